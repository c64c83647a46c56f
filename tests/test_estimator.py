"""The estimator of top-k feedback: unbiased, by going through all outcomes of the exploration.

No test here samples and hopes, but for the last, which counts what boosters show; its bound
holds with a probability of all but 1e-6, and its seed is fixed.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from cases import TOP_K, Case
from kernel_cases import work_of
from naive.ranking import SINGLE_SWAP, UNIFORM, explored

from booster import TopOpt
from booster.exploration import CLIP, pair_probabilities
from booster.kernels.cost import ada_weights, estimated_rank_loss, logistic_slopes, opt_weights
from booster.kernels.pairs import weigh_seen
from booster.kernels.ranking import explore, order_labels
from booster.potentials import vote_probabilities, walk_table
from booster.tables import SCHEMES

SHAPES = [
    (scheme, m, k)
    for scheme in SCHEMES
    for m in range(3, 7)
    for k in range(2, m + 1)
    if scheme == UNIFORM or 3 <= k < m
]
RATES = [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)]
"""None of them so small that a probability would be clipped."""

shapes = pytest.mark.parametrize(("scheme", "m", "k"), SHAPES)
rates = pytest.mark.parametrize("rho", RATES, ids=str)

CONSTANT_RATE = [case for case in TOP_K if "schedule" not in case.options]

Outcomes = dict[frozenset[int], Fraction]


def outcomes(scheme: str, ranking: list[int], k: int, rho: Fraction) -> Outcomes:
    """The exact probability of every top-k that may be shown."""
    found: Outcomes = Counter()
    randomised = explored(ranking, scheme, k)
    for order in randomised:
        found[frozenset(order[:k])] += rho / len(randomised)
    found[frozenset(ranking[:k])] += 1 - rho
    assert sum(found.values()) == 1
    return found


def shuffled(m: int, seed: int) -> list[int]:
    return np.random.default_rng(seed).permutation(m).tolist()


def inverse_probabilities(
    scheme: str, m: int, k: int, rho: float, t: int = 1, **schedule: Any
) -> np.ndarray:
    """The weights of pairs with 0, 1 or 2 labels in the top-k, as a booster has them in round t."""
    booster = TopOpt(
        n_features=1, n_labels=m, n_learners=1, k=k, rho=rho, exploration=scheme, **schedule
    )
    booster._round = t - 1
    booster.predict([0.0])
    return booster._work.inverse_probability.copy()


# Probabilities in closed form


@shapes
@rates
def test_pair_probabilities_are_those_of_all_outcomes(
    scheme: str, m: int, k: int, rho: Fraction
) -> None:
    ranking = shuffled(m, seed=m + k)
    found = outcomes(scheme, ranking, k, rho)
    closed = pair_probabilities(scheme, m, k, float(rho))
    assert closed.shape == (3,)
    for a, b in itertools.combinations(range(m), 2):
        seen = sum(p for top, p in found.items() if {a, b} <= top)
        inside = len({a, b} & set(ranking[:k]))
        assert abs(float(seen) - closed[inside]) <= 1e-12


@pytest.mark.parametrize(("m", "k"), [(6, 3), (14, 3), (14, 5), (101, 3), (101, 20)])
def test_single_swap_agrees_with_what_the_paper_says_of_it(m: int, k: int) -> None:
    rho = 0.05
    none, one, two = pair_probabilities(SINGLE_SWAP, m, k, rho)
    assert none == pytest.approx(rho * 2 / (m - k) ** 2 * (k - 1) / k, rel=1e-12)
    assert one >= rho * (k - 1) / k / (m - k) * (k - 2) / k
    assert 1 - rho <= two < 1.0
    # The k (k-1) / 2 pairs of the top-k are shared among all pairs.
    pairs = [math.comb(m - k, 2), k * (m - k), math.comb(k, 2)]
    assert np.dot(pairs, [none, one, two]) == pytest.approx(math.comb(k, 2), rel=1e-12)


@pytest.mark.parametrize(("m", "k"), [(3, 2), (14, 3), (101, 3)])
def test_uniform_pairs_add_up(m: int, k: int) -> None:
    pairs = [math.comb(m - k, 2), k * (m - k), math.comb(k, 2)]
    probabilities = pair_probabilities(UNIFORM, m, k, 0.03)
    assert np.dot(pairs, probabilities) == pytest.approx(math.comb(k, 2), rel=1e-12)


@shapes
@rates
def test_weights_are_inverse_probabilities(scheme: str, m: int, k: int, rho: Fraction) -> None:
    weights = inverse_probabilities(scheme, m, k, float(rho))
    if k == m:
        assert weights.tolist() == [1.0, 1.0, 1.0]
        return
    # With one label outside, there is no pair of two outside, and no weight to speak of.
    possible = slice(1 if k == m - 1 else 0, None)
    product = weights * pair_probabilities(scheme, m, k, float(rho))
    np.testing.assert_allclose(product[possible], 1.0, rtol=1e-12)


def test_probabilities_are_clipped() -> None:
    assert CLIP == (0.005, 0.995)
    low, high = CLIP
    # Seldom seen: 0.02 * 6 / (100 * 99) is far below the lower limit.
    unclipped = 0.98 + 0.02 * 6 / 9900
    weights = inverse_probabilities(UNIFORM, 100, 3, 0.02)
    assert weights.tolist() == [1 / low, 1 / low, pytest.approx(1 / unclipped)]
    # Nearly always seen: the pair inside is above the upper one.
    weights = inverse_probabilities(UNIFORM, 6, 3, 0.001)
    assert weights.tolist() == [1 / low, 1 / low, 1 / high]
    assert inverse_probabilities(SINGLE_SWAP, 101, 3, 0.02)[0] == 1 / low
    # Each on its own: only the pair with both labels outside is below the lower limit.
    none, one, two = pair_probabilities(SINGLE_SWAP, 20, 10, 0.2)
    assert none < low < one < two < high
    expected = [1 / low, 1 / one, 1 / two]
    assert inverse_probabilities(SINGLE_SWAP, 20, 10, 0.2).tolist() == pytest.approx(expected)


@pytest.mark.parametrize("case", TOP_K, ids=str)
def test_boosters_use_these_weights(case: Case) -> None:
    booster = case.make(n_labels=9, k=4, rho=0.3)
    scheme = booster.parameters["exploration"]
    booster.predict(np.zeros(booster.n_features))
    expected = 1 / np.clip(pair_probabilities(scheme, 9, 4, 0.3), *CLIP)
    np.testing.assert_array_equal(booster._work.inverse_probability, expected)


# Estimates

GAMMA, N_LEARNERS, REMAINING = 0.15, 4, 2


def surrogate(m: int, x: float, n: int = REMAINING) -> float:
    """E max(0, x + W) after n votes, by its recurrence."""
    if n == 0:
        return max(0.0, x)
    down, up = vote_probabilities(m, GAMMA, 1)
    stay = 1.0 - down - up
    return (
        down * surrogate(m, x - 1, n - 1)
        + up * surrogate(m, x + 1, n - 1)
        + stay * surrogate(m, x, n - 1)
    )


class Estimates(NamedTuple):
    """Losses and cost vectors; sums over pairs, seen and weighted or simply all."""

    rank: float
    hinge: float
    logistic: float
    opt_cost: np.ndarray
    ada_cost: np.ndarray


def all_pairs(s: np.ndarray, relevant: set[int]) -> Estimates:
    """By the definitions, from the whole label set."""
    m = s.size
    irrelevant = set(range(m)) - relevant
    pairs = list(itertools.product(relevant, irrelevant))
    opt_cost, ada_cost = np.zeros((2, m))
    for label in range(m):
        voted = s + np.eye(m)[label]
        opt_cost[label] = sum(surrogate(m, 1 + voted[b] - voted[a]) for a, b in pairs)
    for a, b in pairs:
        slope = 1 / (1 + math.exp(s[a] - s[b]))
        ada_cost[a] -= slope
        ada_cost[b] += slope
    return Estimates(
        rank=sum(s[a] <= s[b] for a, b in pairs),
        hinge=sum(max(0.0, 1 + s[b] - s[a]) for a, b in pairs),
        logistic=sum(math.log1p(math.exp(s[b] - s[a])) for a, b in pairs),
        opt_cost=opt_cost,
        ada_cost=ada_cost,
    )


class Estimator:
    """The kernels, given what a top-k shows of a label set."""

    def __init__(self, ranking: list[int], k: int, weights: np.ndarray) -> None:
        self.m = len(ranking)
        self.work = work_of(N_LEARNERS, self.m)
        self.work.inverse_probability[:] = weights
        self.work.inside[ranking[:k]] = 1
        self.walk = walk_table(N_LEARNERS, *vote_probabilities(self.m, GAMMA, 1))[REMAINING]

    def __call__(self, s: np.ndarray, relevant: set[int], top: frozenset[int]) -> Estimates:
        seen = np.array(sorted(top & relevant), np.int64)
        not_relevant = np.array(sorted(top - relevant), np.int64)
        pairs = self.work.pairs
        weigh_seen(
            seen, not_relevant, self.work.inside, self.work.inverse_probability, pairs.weight
        )
        weight = pairs.weight[: seen.size, : not_relevant.size]
        s_seen, s_not = s[seen], s[not_relevant]
        d = s_not[np.newaxis] - s_seen[:, np.newaxis]

        opt_weights(self.walk, s_seen, s_not, pairs)
        here = [surrogate(self.m, 1 + x) for x in d.flat]
        opt_cost = np.full(self.m, np.dot(weight.ravel(), here))
        self.apply(opt_cost, seen, not_relevant)
        logistic_slopes(s_seen, s_not, pairs)
        ada_weights(seen.size, not_relevant.size, pairs)
        ada_cost = np.zeros(self.m)
        self.apply(ada_cost, seen, not_relevant)
        return Estimates(
            rank=estimated_rank_loss(s_seen, s_not, pairs.weight),
            hinge=float((weight * np.maximum(0.0, 1 + d)).sum()),
            logistic=float((weight * np.log1p(np.exp(d))).sum()),
            opt_cost=opt_cost,
            ada_cost=ada_cost,
        )

    def apply(self, cost: np.ndarray, seen: np.ndarray, not_relevant: np.ndarray) -> None:
        """Complete a cost vector by what the kernel found, and check what it feeds the trees:
        how far the cost of each relevant label seen is below the highest."""
        pairs = self.work.pairs
        cost[seen] -= pairs.fall[: seen.size]
        cost[not_relevant] += pairs.rise[: not_relevant.size]
        fed = cost.max() - cost[seen]
        np.testing.assert_allclose(pairs.fed[: seen.size], fed, rtol=1e-9, atol=1e-9)


def label_sets(m: int, rng: np.random.Generator) -> list[set[int]]:
    """The least, the most, none, all, and some others."""
    drawn = [set(np.flatnonzero(rng.random(m) < 0.5).tolist()) for _ in range(4)]
    return [set(), set(range(m)), {m - 1}, set(range(m - 1)), *drawn]


def score_vectors(m: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Of an expert that need not be the one that ranks; with ties, and without."""
    return [rng.normal(0, 2, m), rng.integers(-2, 3, m).astype(float), np.zeros(m)]


def each_with_one_of(values: Iterable[object]) -> list[tuple[object, ...]]:
    """Every shape, with the values in turns: that each probability is right is shown above."""
    return [(*shape, value) for shape, value in zip(SHAPES, itertools.cycle(values))]


@pytest.mark.parametrize(("scheme", "m", "k", "rho"), each_with_one_of(RATES), ids=str)
def test_estimates_are_unbiased(scheme: str, m: int, k: int, rho: Fraction) -> None:
    assert_unbiased(scheme, m, k, rho, inverse_probabilities(scheme, m, k, float(rho)))


@pytest.mark.parametrize(("scheme", "m", "k", "t"), each_with_one_of([1, 2, 3, 4, 9]))
def test_estimates_are_unbiased_while_exploration_fades(
    scheme: str, m: int, k: int, t: int
) -> None:
    """A rate of its own in each round, here down to a third in three rounds."""
    start, end, horizon = Fraction(9, 10), Fraction(3, 10), 3
    fading = start - (start - end) * min(t - 1, horizon) / horizon
    fades = {"schedule": "linear", "rho_end": float(end), "horizon": horizon}
    weights = inverse_probabilities(scheme, m, k, float(start), t, **fades)
    assert_unbiased(scheme, m, k, fading, weights)


def assert_unbiased(scheme: str, m: int, k: int, rho: Fraction, weights: np.ndarray) -> None:
    rng = np.random.default_rng(17 * m + k)
    ranking = shuffled(m, seed=m * k)
    found = outcomes(scheme, ranking, k, rho)
    estimate = Estimator(ranking, k, weights)
    for relevant in label_sets(m, rng):
        for s in score_vectors(m, rng):
            estimates = [(float(p), estimate(s, relevant, top)) for top, p in found.items()]
            for name, expected in all_pairs(s, relevant)._asdict().items():
                mean = sum(p * getattr(one, name) for p, one in estimates)
                np.testing.assert_allclose(mean, expected, rtol=1e-11, atol=1e-11, err_msg=name)


@pytest.mark.parametrize("m", range(3, 7))
def test_full_observation_is_full_information(m: int) -> None:
    """With k = m every single outcome gives all pairs, each with weight 1."""
    rng = np.random.default_rng(m)
    ranking = shuffled(m, seed=m)
    assert set(outcomes(UNIFORM, ranking, m, Fraction(1, 2))) == {frozenset(range(m))}
    estimate = Estimator(ranking, m, inverse_probabilities(UNIFORM, m, m, 0.01))
    for relevant in label_sets(m, rng):
        for s in score_vectors(m, rng):
            every = estimate(s, relevant, frozenset(range(m)))
            seen = estimate.work.pairs.weight[: len(relevant), : m - len(relevant)]
            assert (seen == 1.0).all()
            for name, expected in all_pairs(s, relevant)._asdict().items():
                np.testing.assert_allclose(getattr(every, name), expected, rtol=1e-13, atol=1e-13)


# What the kernels draw

_MASK = 2**64 - 1


def _mixed(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def draws(state: int, n: int) -> list[float]:
    """The next n numbers of SplitMix64 from a state."""
    return [
        (_mixed((state + i * 0x9E3779B97F4A7C15) & _MASK) >> 11) * 2.0**-53 for i in range(1, n + 1)
    ]


def cell(scheme: str, m: int, k: int, numbers: list[float]) -> tuple[int, ...]:
    """Which of the equally likely cells of their unit cube the numbers fall into."""
    sides = [k, m - k, k, m - k] if scheme == SINGLE_SWAP else list(range(m, 1, -1))
    return tuple(int(number * side) for number, side in zip(numbers, sides, strict=True))


@pytest.mark.parametrize(("scheme", "m", "k"), [s for s in SHAPES if s[1] <= 5])
def test_rankings_shown_are_all_outcomes_each_as_likely(scheme: str, m: int, k: int) -> None:
    """Uniform numbers fall into each cell alike, and the ranking depends on the cell alone: so
    the rankings of all cells are the distribution itself."""
    rho = 0.5
    booster = TopOpt(n_features=1, n_labels=m, k=k, rho=rho, exploration=scheme)
    scores = np.random.default_rng(m + k).integers(0, 3, m).astype(float)
    ranking = np.argsort(-scores, kind="stable").tolist()
    n_cells = (k * (m - k)) ** 2 if scheme == SINGLE_SWAP else math.factorial(m)
    shown: dict[tuple[int, ...], list[int]] = {}
    work = booster._work
    work.scores[:], work.prior[:], work.rate[:] = scores, 0.0, rho
    unexplored = 0
    for state in range(20 * n_cells):
        first, *numbers = draws(state, 5 if scheme == SINGLE_SWAP else m)
        for whole in (False, True):
            work.rng[0] = state
            order_labels(booster._rules, whole, work)
            held = m if whole else k
            assert work.order[:held].tolist() == ranking[:held]
            assert np.flatnonzero(work.inside).tolist() == sorted(ranking[:k])
            if scheme == SINGLE_SWAP and not whole:
                continue  # swaps need the whole ranking
            explore(booster._rules, work)
            order = work.order.tolist()
            if first < rho:
                assert shown.setdefault(cell(scheme, m, k, numbers), order) == order
            else:
                unexplored += 1
                assert order[:held] == ranking[:held]
    assert unexplored > 0
    assert len(shown) == n_cells
    assert sorted(shown.values()) == sorted(explored(ranking, scheme, k))


def surprise(count: int, n: int, p: float) -> float:
    """-log of Chernoff's bound on the probability of a count as far from n p as this one."""
    share = count / n
    parts = [(share, p), (1 - share, 1 - p)]
    return n * sum(q * math.log(q / expected) for q, expected in parts if q > 0)


@pytest.mark.slow
@pytest.mark.parametrize("case", CONSTANT_RATE, ids=str)
def test_boosters_show_pairs_as_often_as_they_should(case: Case) -> None:
    m, k, rho, n = 6, 3, 0.4, 12_000
    booster = case.make(n_labels=m, k=k, rho=rho, n_learners=2)
    x, nothing = np.zeros(booster.n_features), np.zeros(k, np.uint8)
    # A booster that is told of nothing relevant learns nothing; and if it also forgets what it
    # has shown, all labels tie for good.
    seen = np.zeros((m, m), int)
    for _ in range(n):
        top = booster.predict(x)[:k]
        seen[np.ix_(top, top)] += 1
        booster.update(nothing)
        booster._votes.seen[:] = booster._work.prior[:] = 0.0
    probabilities = pair_probabilities(booster.parameters["exploration"], m, k, rho)
    pairs = list(itertools.combinations(range(m), 2))
    limit = math.log(2 * len(pairs) / 1e-6)
    for a, b in pairs:
        expected = probabilities[(a < k) + (b < k)]
        assert surprise(seen[a, b], n, expected) < limit, (a, b, seen[a, b] / n, expected)

"""Losses from logs: unbiased, by going through all that a policy can show, and their intervals."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import numpy as np
import pytest
from cases import TOP_K, stream
from kernel_cases import work_of
from naive.ranking import explored

from booster import Log, TopOpt
from booster.kernels.pairs import weigh_logged
from booster.log_intervals import Interval, bernstein
from booster.log_losses import effective, log_losses, predicted_wrong, row_sums, scores_of
from booster.log_model import predicted_relevance
from booster.logs import LogRows, count_pairs, log_rows

M = 5
Outcome = tuple[float, tuple[int, ...]]


def explored_outcomes(scheme: str, rate: float, k: int = 3) -> list[Outcome]:
    """What a booster can show of a ranking, and how likely it is."""
    ranking = [2, 0, 4, 1, 3]
    randomised = explored(ranking, scheme, k)
    found = [(rate / len(randomised), tuple(order[:k])) for order in randomised]
    return [*found, (1.0 - rate, tuple(ranking[:k]))]


def foreign_outcomes() -> list[Outcome]:
    """Lists of 2 to 5 labels, each as likely as it happens to be."""
    rng = np.random.default_rng(4)
    lists = [each for n in range(2, M + 1) for each in itertools.permutations(range(M), n)]
    chances = rng.dirichlet(np.full(len(lists), 0.3)) * 0.5 + 0.5 / len(lists)
    return list(zip(chances.tolist(), lists, strict=True))


POLICIES = {
    "uniform": explored_outcomes("uniform", 0.3),
    "single-swap": explored_outcomes("single-swap", 0.4),
    "foreign": foreign_outcomes(),
    # A rate of its own in each round.
    **{f"fading to {rate}": explored_outcomes("uniform", rate) for rate in (0.9, 0.5, 0.2)},
}
policies = pytest.mark.parametrize("outcomes", POLICIES.values(), ids=POLICIES)


def probabilities(outcomes: list[Outcome]) -> Any:
    """How likely each two labels are shown together, by adding up outcomes."""
    table = np.zeros((M, M))
    for chance, shown in outcomes:
        table[np.ix_(shown, shown)] += chance
    return table


def log_of(outcomes: list[Outcome], y: Any) -> LogRows:
    """A row for each outcome, with the probabilities of its pairs found by counting outcomes."""
    n, table = len(outcomes), probabilities(outcomes)
    shown = np.full((n, M), -1)
    bits, pairs = np.zeros((n, M), int), np.zeros((n, count_pairs(M)))
    for row, (_, labels) in enumerate(outcomes):
        shown[row, : len(labels)] = labels
        bits[row, : len(labels)] = y[list(labels)]
        likely = [table[pair] for pair in itertools.combinations(labels, 2)]
        pairs[row, : len(likely)] = likely
    return log_rows(Log(np.zeros((n, 1)), shown, bits, pairs), 1, M)


def rank_loss(s: Any, y: Any) -> int:
    return sum(s[a] <= s[b] for a in range(M) for b in range(M) if y[a] and not y[b])


LABEL_SETS = [np.array(each) for each in ([1, 0, 1, 0, 0], [0, 0, 0, 1, 0], [1, 1, 1, 0, 1])]
SCORES = [np.array(each, float) for each in ([5, 4, 3, 2, 1], [0, 1, 0, 1, 0], [0, 0, 0, 0, 0])]


@policies
def test_estimated_losses_are_unbiased_for_any_scores_and_any_model(outcomes: Any) -> None:
    rng = np.random.default_rng(1)
    chances = np.array([p for p, _ in outcomes])
    assert chances.sum() == pytest.approx(1)
    for y, s in itertools.product(LABEL_SETS, SCORES):
        rows = log_of(outcomes, y)
        scores = np.tile(s, (rows.n_rows, 1))
        model = np.tile(rng.random(M), (rows.n_rows, 1))
        sums = row_sums(rows, scores, model)
        assert chances @ sums.wrong == pytest.approx(rank_loss(s, y), abs=1e-9)
        robust = predicted_wrong(scores, model) + sums.corrections
        assert chances @ robust == pytest.approx(rank_loss(s, y), abs=1e-9)
        # The self-normalised estimate divides by what is 1 in expectation.
        assert chances @ sums.weight == pytest.approx(count_pairs(M))


@policies
def test_learning_costs_are_unbiased(outcomes: Any) -> None:
    """Each pair has a weight of 1 in expectation, and costs are sums of weights times a number."""
    booster = TopOpt(n_features=1, n_labels=M, k=3, least_probability=1e-9)
    rules = booster._rules._replace(most_probability=1.0)
    weight = work_of(1, M).pairs.weight
    for y in LABEL_SETS:
        rows = log_of(outcomes, y)
        mean = np.zeros((M, M))
        for (chance, labels), bits, pairs in zip(outcomes, rows.bits, rows.pairs, strict=True):
            weigh_logged(rules, bits.copy(), len(labels), M, pairs.copy(), weight)
            relevant = [label for label in labels if y[label]]
            irrelevant = [label for label in labels if not y[label]]
            for (i, a), (j, b) in itertools.product(enumerate(relevant), enumerate(irrelevant)):
                mean[a, b] += chance * weight[i, j]
        expected = np.outer(y, 1 - y)
        np.testing.assert_allclose(mean, expected, atol=1e-9)


def test_a_model_that_is_right_leaves_no_variance() -> None:
    y, s = LABEL_SETS[0], SCORES[0]
    rows = log_of(POLICIES["uniform"], y)
    found = log_losses(rows, np.tile(s, (rows.n_rows, 1)), np.tile(y, (rows.n_rows, 1)))
    assert found.doubly_robust is not None
    assert found.doubly_robust.value == pytest.approx(rank_loss(s, y))
    assert found.doubly_robust.error == pytest.approx(0, abs=1e-9)
    assert found.best == found.doubly_robust
    assert found.inverse_propensity.error > 0.1


def test_predicted_pairs_beside_all_pairs() -> None:
    rng = np.random.default_rng(3)
    scores = rng.integers(0, 3, (50, M)).astype(float)
    q = rng.random((50, M))
    naive = [
        sum(p[a] * (1 - p[b]) * (s[a] <= s[b]) for a, b in itertools.permutations(range(M), 2))
        for s, p in zip(scores, q, strict=True)
    ]
    np.testing.assert_allclose(predicted_wrong(scores, q), naive)


def test_scores_of_rankings_rank_alike() -> None:
    rankings = np.array([[2, 0, 1], [1, 2, 0]])
    assert np.argsort(-scores_of(rankings), axis=1).tolist() == rankings.tolist()


def test_effective_rows() -> None:
    assert effective(np.ones(7)) == pytest.approx(7)
    assert effective(np.array([1.0, 0.0, 0.0])) == 1.0
    rows = log_of(POLICIES["uniform"], LABEL_SETS[0])
    found = log_losses(rows, np.zeros((rows.n_rows, M)))
    assert 1 < found.effective_rows < found.rows == rows.n_rows
    assert found.doubly_robust is None
    assert found.best == found.self_normalised


@cache
def every_kind() -> list[LogRows]:
    return [log_of(POLICIES["uniform"], y) for y in LABEL_SETS]


def drawn_log(rng: np.random.Generator, n: int) -> tuple[LogRows, float, Any]:
    """Rounds of a policy on rows of three kinds, and the true loss of some scores on them."""
    outcomes = POLICIES["uniform"]
    kind = rng.integers(3, size=n)
    chosen = rng.choice(len(outcomes), size=n, p=[p for p, _ in outcomes])
    logs = every_kind()
    parts = [
        np.stack([getattr(each, name) for each in logs])[kind, chosen]
        for name in ("shown", "bits", "pairs")
    ]
    s = SCORES[0]
    truth = float(np.mean([rank_loss(s, y) for y in LABEL_SETS]))
    return log_rows(Log(np.zeros((n, 1)), *parts), 1, M), truth, np.tile(s, (n, 1))


@pytest.mark.slow
def test_intervals_have_the_loss_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    hits = dict.fromkeys(("inverse_propensity", "self_normalised", "doubly_robust"), 0)
    certain = 0
    for seed in range(100):
        rows, truth, scores = drawn_log(rng, 400)
        found = log_losses(rows, scores, np.full(scores.shape, 0.4), seed=seed)
        for name in hits:
            low, high = getattr(found, name).interval
            hits[name] += low <= truth <= high
        low, high = found.inverse_propensity.bernstein
        certain += low <= truth <= high
    # Of 100 intervals of 95%, 88 or more have it with a probability of all but 0.0015.
    assert all(n >= 88 for n in hits.values()), hits
    assert certain == 100


def test_bernstein_is_wide_and_knows_when_it_knows_nothing() -> None:
    assert bernstein(np.zeros(1), 1.0, 0.95) == Interval(-np.inf, np.inf)
    wide, narrow = bernstein(np.zeros(10), 1.0, 0.95), bernstein(np.zeros(1000), 1.0, 0.95)
    assert wide.low < narrow.low < 0 < narrow.high < wide.high


def test_no_row_is_predicted_by_its_own_bits() -> None:
    X, Y = stream(60)
    rng = np.random.default_rng(0)
    shown = np.array([rng.permutation(6)[:3] for _ in X])
    bits = np.take_along_axis(Y, shown, axis=1)
    scores, rates = rng.normal(size=(60, 6)), np.full(6, 0.5)

    def predicted(told: Any) -> Any:
        log = log_rows(Log(X, shown, told, np.full((60, 3), 0.5)), 5, 6)
        return predicted_relevance(log, scores, rates)

    before = predicted(bits)
    for row in (0, 1):
        changed = bits.copy()
        changed[row] ^= 1
        moved = (predicted(changed) != before).any(axis=1)
        assert not moved[row % 2 :: 2].any()
        assert moved[1 - row % 2 :: 2].all()
    assert (before > 0).all() and (before < 1).all()


def test_a_booster_is_measured_by_its_rankings_and_learns_nothing() -> None:
    X, Y = stream(200)
    booster = TOP_K[0].make()
    booster.run(X, Y)
    every = np.tile(np.arange(6), (200, 1))
    log = Log(X, every, Y, np.ones((200, 15)))  # all labels shown: nothing is left to estimate
    found = booster.evaluate_log(log)
    exact = booster.evaluate(X, Y).rank
    for each in (found.inverse_propensity, found.self_normalised, found.doubly_robust):
        assert each.value == pytest.approx(exact)
    assert found.effective_rows == pytest.approx(200)
    assert booster.rounds == 200


def test_scores_must_fit_the_log() -> None:
    rows = log_of(POLICIES["uniform"], LABEL_SETS[0])
    with pytest.raises(ValueError, match=f"{rows.n_rows} rows"):
        log_losses(rows, np.zeros((2, M)))
    with pytest.raises(ValueError, match="numbers"):
        log_losses(rows, np.full((rows.n_rows, M), np.nan))

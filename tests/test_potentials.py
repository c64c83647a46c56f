"""Exact potentials: the walk tables against brute force, and Proposition 1 of the paper."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from booster.kernels.cost import potential
from booster.potentials import vote_probabilities, walk_table

MOST = 12
"""Learners in the properties: enough for long walks, few enough for many examples."""

scores = st.floats(-15, 15, allow_nan=False)
differences = st.floats(-40, 40, allow_nan=False)


@st.composite
def walks(draw: st.DrawFn) -> tuple[float, float]:
    """Probabilities of a step down and of a step up, their sum at most 1."""
    down = draw(st.floats(0, 1))
    return down, draw(st.floats(0, 1 - down))


@st.composite
def worlds(draw: st.DrawFn) -> tuple[int, list[int], list[int], float]:
    """m, the relevant and the irrelevant labels, and an edge gamma that a distribution can have
    on each relevant label."""
    m = draw(st.integers(2, 7))
    relevant = sorted(draw(st.sets(st.integers(0, m - 1), min_size=1, max_size=m - 1)))
    # An edge below the rounding of the tables cannot be told from none.
    gamma = draw(st.floats(1e-6, 1 / len(relevant)))
    return m, relevant, [label for label in range(m) if label not in relevant], gamma


def pair_potential(table: np.ndarray, n: int, d: float) -> float:
    """The expected hinge loss of a pair with difference d after n more votes."""
    return float(potential(table[n], float(1.0 + d)))


def brute_force(n: int, down: float, up: float, d: float) -> float:
    """The same, by going through all 3^n walks."""
    steps = {-1: down, 1: up, 0: 1.0 - down - up}
    return math.fsum(
        math.prod(steps[step] for step in walk) * max(0.0, 1.0 + d + sum(walk))
        for walk in itertools.product(steps, repeat=n)
    )


@pytest.mark.parametrize(
    ("down", "up"), [(0.5, 0.2), (0.1, 0.9), (0.0, 0.3), (1.0, 0.0), (0.0, 0.0)]
)
def test_tables_hold_all_walks(down: float, up: float) -> None:
    n_learners = 7
    table = walk_table(n_learners, down, up)
    assert table.shape == (n_learners, 2 * n_learners + 3, 2)
    # Whole numbers are where a walk just reaches, or just misses, a loss of 0.
    grid = np.concatenate([np.arange(-9.0, 10.0), np.linspace(-8.7, 8.6, 31)])
    for n in range(n_learners):
        for d in grid:
            expected = brute_force(n, down, up, float(d))
            assert pair_potential(table, n, d) == pytest.approx(expected, abs=1e-12)


@given(walk=walks(), n=st.integers(0, 6), d=differences)
@example(walk=(0.25, 0.5), n=6, d=-1.0)
@example(walk=(0.25, 0.5), n=6, d=math.nextafter(-1.0, 0.0))
@example(walk=(0.25, 0.5), n=6, d=math.nextafter(-1.0, -2.0))
def test_any_walk_and_difference(walk: tuple[float, float], n: int, d: float) -> None:
    found = pair_potential(walk_table(7, *walk), n, d)
    assert found == pytest.approx(brute_force(n, *walk, d), abs=1e-12)


@given(walk=walks(), d=differences)
def test_a_vote_moves_the_potential_by_one_step(walk: tuple[float, float], d: float) -> None:
    down, up = walk
    table = walk_table(MOST, down, up)
    for n in range(1, MOST):
        stepped = (
            down * pair_potential(table, n - 1, d - 1)
            + up * pair_potential(table, n - 1, d + 1)
            + (1 - down - up) * pair_potential(table, n - 1, d)
        )
        assert pair_potential(table, n, d) == pytest.approx(stepped, rel=1e-12, abs=1e-12)


@given(walk=walks(), beyond=st.floats(0, 1e6))
def test_far_pairs(walk: tuple[float, float], beyond: float) -> None:
    down, up = walk
    table = walk_table(MOST, down, up)
    for n in range(MOST):
        # So far ahead that no walk comes back: nothing to lose, not even a rounding error.
        assert pair_potential(table, n, -1.0 - n - beyond) == 0.0
        # So far behind that no walk catches up: the hinge loss is linear.
        expected = 1.0 + n + beyond + n * (up - down)
        assert pair_potential(table, n, n + beyond) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("d", [-1e18, -1e9, 1e9, 1e18])
def test_differences_beyond_every_table(d: float) -> None:
    table = walk_table(MOST, 0.5, 0.25)
    for n in range(MOST):
        assert pair_potential(table, n, d) == pytest.approx(max(0.0, d))


def test_long_walks_keep_their_precision() -> None:
    n_learners = 400
    down, up = vote_probabilities(14, 0.1, 1)
    table = walk_table(n_learners, down, up)
    n = n_learners - 1
    # The trinomial walk as the sum of its binomial and sign parts, in exact logarithms.
    mass: dict[int, list[float]] = {}
    for ups in range(n + 1):
        for downs in range(n + 1 - ups):
            log = math.lgamma(n + 1) - sum(
                math.lgamma(i + 1) for i in (ups, downs, n - ups - downs)
            )
            log += ups * math.log(up) + downs * math.log(down)
            log += (n - ups - downs) * math.log(1 - up - down)
            mass.setdefault(ups - downs, []).append(math.exp(log))
    for d in (-30.5, -1.0, 0.0, 7.25, 40.0, 90.0):
        expected = math.fsum(
            max(0.0, 1 + d + at) * math.fsum(masses) for at, masses in mass.items()
        )
        assert pair_potential(table, n, d) == pytest.approx(expected, rel=1e-9)


# The competitor


@given(m=st.integers(2, 200), gamma=st.floats(0, 1, exclude_min=True), data=st.data())
def test_votes_are_a_distribution(m: int, gamma: float, data: st.DataObject) -> None:
    n_relevant = data.draw(st.integers(1, m - 1))
    down, up = vote_probabilities(m, gamma, n_relevant)
    assert 0.0 <= up <= down <= 1.0
    assert n_relevant * down + (m - n_relevant) * up == pytest.approx(1.0)
    # The edge is gamma, or what remains of it once the relevant labels have all votes.
    assert down - up == pytest.approx(min(gamma, 1 / n_relevant))
    if gamma * n_relevant >= 1:
        assert up == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("relevant", [(0,), (1, 3), (0, 1, 2)])
@pytest.mark.parametrize("n", [0, 1, 3, 4])
def test_pairs_of_walks_are_votes_for_labels(relevant: tuple[int, ...], n: int) -> None:
    """The potential is defined by votes for labels; the sum of walks of pairs must be the same."""
    m, gamma = 4, 0.2
    down, up = vote_probabilities(m, gamma, len(relevant))
    irrelevant = [label for label in range(m) if label not in relevant]
    start = np.array([0.5, -1.25, 2.0, 0.75])
    votes = [down if label in relevant else up for label in range(m)]

    expected = 0.0
    for drawn in itertools.product(range(m), repeat=n):
        s = start + np.bincount(drawn, minlength=m)
        hinge = sum(max(0.0, 1 + s[b] - s[a]) for a in relevant for b in irrelevant)
        expected += math.prod(votes[label] for label in drawn) * hinge
    table = walk_table(5, down, up)
    found = sum(pair_potential(table, n, start[b] - start[a]) for a in relevant for b in irrelevant)
    assert found == pytest.approx(expected, rel=1e-12)


# Proposition 1


class Potentials:
    """The surrogate potential, biased to one relevant label of each pair, and the true one,
    biased to all of them, of n more votes."""

    def __init__(self, world: tuple[int, list[int], list[int], float], n: int) -> None:
        m, self.relevant, self.irrelevant, gamma = world
        self.n = n
        self.one = walk_table(MOST, *vote_probabilities(m, gamma, 1))
        self.all = walk_table(MOST, *vote_probabilities(m, gamma, len(self.relevant)))

    def surrogate(self, s: list[float]) -> float:
        return self._sum(self.one, s)

    def true(self, s: list[float]) -> float:
        return self._sum(self.all, s)

    def _sum(self, table: np.ndarray, s: list[float]) -> float:
        return math.fsum(
            pair_potential(table, self.n, s[b] - s[a])
            for a in self.relevant
            for b in self.irrelevant
        )


def close_above(bound: float) -> float:
    """The bound, with room for rounding."""
    return bound + 1e-10 * max(1.0, abs(bound))


@st.composite
def situations(draw: st.DrawFn, vectors: int) -> tuple[Potentials, list[list[float]]]:
    """Potentials and as many score vectors."""
    world = draw(worlds())
    potentials = Potentials(world, draw(st.integers(0, MOST - 1)))
    return potentials, [
        draw(st.lists(scores, min_size=world[0], max_size=world[0])) for _ in range(vectors)
    ]


@given(situations(1))
def test_surrogate_is_above_the_true_potential(
    situation: tuple[Potentials, list[list[float]]],
) -> None:
    potentials, (s,) = situation
    assert potentials.true(s) <= close_above(potentials.surrogate(s))


def test_surrogate_is_strictly_above_where_it_should_be() -> None:
    # Guards the test above against comparing a potential with itself.
    potentials = Potentials((5, [0, 1, 2], [3, 4], 0.3), 6)
    assert potentials.surrogate([0.0] * 5) > 1.01 * potentials.true([0.0] * 5)


@given(situations(2), st.floats(0, 1))
def test_surrogate_is_convex(situation: tuple[Potentials, list[list[float]]], share: float) -> None:
    potentials, (s, other) = situation
    between = [share * x + (1 - share) * y for x, y in zip(s, other, strict=True)]
    chord = share * potentials.surrogate(s) + (1 - share) * potentials.surrogate(other)
    assert potentials.surrogate(between) <= close_above(chord)


@given(situations(1), st.floats(0, 5), st.data())
def test_surrogate_is_proper(
    situation: tuple[Potentials, list[list[float]]], more: float, data: st.DataObject
) -> None:
    potentials, (s,) = situation
    label = data.draw(st.integers(0, len(s) - 1))
    raised = [x + more * (i == label) for i, x in enumerate(s)]
    before, after = potentials.surrogate(s), potentials.surrogate(raised)
    if label in potentials.relevant:
        assert after <= close_above(before)
    else:
        assert before <= close_above(after)


@given(situations(1), st.floats(0, 5))
def test_raising_all_scores_changes_nothing(
    situation: tuple[Potentials, list[list[float]]], more: float
) -> None:
    # Uncrossability, which holds with equality for the hinge loss.
    potentials, (s,) = situation
    raised = potentials.surrogate([x + more for x in s])
    assert raised == pytest.approx(potentials.surrogate(s), rel=1e-9, abs=1e-9)

"""Pairs, cost vectors, potentials and losses, against their twins and against the calculus."""

from dataclasses import dataclass

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from kernel_cases import mean_losses, work_of
from naive import cost as naive
from naive.boosting import moved_alpha
from naive.losses import expected_rank_loss, hinge_loss, rank_loss, shown_rank_loss, ties, weighted
from naive.ranking import UNIFORM, rank
from numpy.testing import assert_allclose

from booster import TopOpt
from booster.kernels.cost import (
    FEW,
    TOGETHER,
    ada_weights,
    add_one_by_one,
    add_together,
    estimated_rank_loss,
    logistic_slopes,
    opt_weights,
    opt_weights_ahead,
    potential,
    slope_along,
    sum_rows,
)
from booster.kernels.losses import hinge, wrong_pairs
from booster.kernels.pairs import split_feedback, weigh_all, weigh_seen
from booster.kernels.state import Votes
from booster.kernels.steps import adapt
from booster.potentials import vote_probabilities, walk_table

CLOSE = {"rtol": 1e-9, "atol": 1e-11}

# Scores of a few learners, with ties among them.
score = st.sampled_from([0.0, 0.25, 1.0]) | st.floats(-6, 6)
gammas = st.floats(0.01, 0.9)


@dataclass
class Seen:
    """A round that has shown some labels, as arrays and as pairs."""

    scores: list[float]
    labels: list[int]
    bits: list[int]
    weights: np.ndarray

    def __post_init__(self):
        m = len(self.scores)
        self.space = work_of(1, m).pairs
        self.relevant = [label for label, bit in zip(self.labels, self.bits, strict=True) if bit]
        self.irrelevant = [b for b in self.labels if b not in self.relevant]
        r, i = len(self.relevant), len(self.irrelevant)
        self.space.weight[:r, :i] = self.weights[:r, :i]
        self.pairs = [
            (a, b, float(self.weights[x, y]))
            for x, a in enumerate(self.relevant)
            for y, b in enumerate(self.irrelevant)
        ]
        self.s_relevant = np.array(self.scores)[self.relevant]
        self.s_irrelevant = np.array(self.scores)[self.irrelevant]

    def fed(self, costs):
        """What the twin would feed, from a whole cost vector."""
        return [naive.learner_weight(costs, label) for label in self.relevant]


@st.composite
def rounds_seen(draw):
    """Some labels of at least one more, in any order; at least one pair among them."""
    m = draw(st.integers(2, 8))
    labels = draw(st.permutations(range(m)))[: draw(st.integers(2, m))]
    bits = draw(st.lists(st.integers(0, 1), min_size=len(labels), max_size=len(labels)))
    assume(0 < sum(bits) < len(bits))
    weights = st.sampled_from([1.0, 1 / 0.995, 200.0, 0.25]) | st.floats(0.01, 300)
    pair_weights = draw(st.lists(weights, min_size=m * m, max_size=m * m))
    scores = draw(st.lists(score, min_size=m, max_size=m))
    return Seen(scores, labels, bits, np.reshape(pair_weights, (m, m)))


@st.composite
def labelled(draw, n_rows=1):
    """Rows of scores and of bits."""
    m = draw(st.integers(2, 12))
    row = st.tuples(
        st.lists(score, min_size=m, max_size=m), st.lists(st.integers(0, 1), min_size=m, max_size=m)
    )
    return draw(st.lists(row, min_size=n_rows, max_size=n_rows))


def bits_of(y):
    bits = np.array(y, np.uint8)
    bits.flags.writeable = False
    return bits


@given(rounds_seen())
def test_split_feedback(seen):
    m = len(seen.scores)
    relevant, irrelevant = np.zeros((2, m), np.int64)
    labels, bits = np.array(seen.labels), np.array(seen.bits, np.uint8)
    r, i = split_feedback(labels, bits, len(labels), relevant, irrelevant)
    assert relevant[:r].tolist() == seen.relevant
    assert irrelevant[:i].tolist() == seen.irrelevant


@given(rounds_seen(), st.data())
def test_pair_weights(seen, data):
    m = len(seen.scores)
    inside = np.array(data.draw(st.lists(st.integers(0, 1), min_size=m, max_size=m)))
    by_count = np.array([200.0, 7.0, 1.5])
    a, b = np.array(seen.relevant), np.array(seen.irrelevant)
    weights = np.zeros((m, m))
    weigh_seen(a, b, inside, by_count, weights)
    expected = [[by_count[inside[label] + inside[other]] for other in b] for label in a]
    assert weights[: a.size, : b.size].tolist() == expected
    weigh_all(a.size, b.size, weights)
    assert_allclose(weights[: a.size, : b.size], 1 / (a.size * b.size))


@given(st.integers(1, 9), st.data(), st.floats(-12, 12) | st.integers(-12, 12), gammas)
def test_potential(n_learners, data, x, gamma):
    """Whole numbers are the kinks of the potential."""
    down, up = vote_probabilities(5, gamma, n_relevant=1)
    n = data.draw(st.integers(0, n_learners - 1))
    walk = walk_table(n_learners, down, up)[n]
    assert_allclose(potential(walk, float(x)), naive.potential(n, float(x), down, up), **CLOSE)


@given(rounds_seen(), gammas, st.integers(1, 6), st.booleans(), st.data())
def test_opt_weights(seen, gamma, n_learners, full, data):
    m, n = len(seen.scores), data.draw(st.integers(0, n_learners - 1))
    favoured = seen.relevant if full else seen.relevant[:1]
    walk = walk_table(n_learners, *vote_probabilities(m, gamma, len(favoured)))[n]
    opt_weights(walk, seen.s_relevant, seen.s_irrelevant, seen.space)

    def u(a):
        return naive.competitor(m, gamma, seen.relevant if full else [a])

    costs = naive.opt_costs(seen.scores, seen.pairs, n, u)
    assert_allclose(seen.space.fed[: len(seen.relevant)], seen.fed(costs), rtol=1e-9, atol=1e-9)


@st.composite
def many_labels(draw):
    """Scores and weights of many labels: also at the kinks, and so far apart that tables end."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_relevant, n_irrelevant = draw(st.integers(1, 5)), draw(st.integers(FEW, 70))
    spread = draw(st.sampled_from([0.0, 0.1, 3.0, 100.0]))
    s_relevant, s_irrelevant = (spread * rng.normal(size=n) for n in (n_relevant, n_irrelevant))
    if draw(st.booleans()):
        s_relevant, s_irrelevant = abs(s_relevant), abs(s_irrelevant)
    whole = rng.random(n_irrelevant) < 0.3
    s_irrelevant[whole] = np.round(s_irrelevant[whole]) + s_relevant[0]
    space = work_of(1, 80).pairs
    space.weight[:] = rng.random(space.weight.shape)
    return rng, s_relevant, s_irrelevant, space


@settings(max_examples=50)
@given(many_labels(), st.sampled_from([1, 5, 60]))
def test_potentials_of_many_labels_have_the_same_bits(many, n_learners):
    _, s_relevant, s_irrelevant, space = many
    n_relevant, n_irrelevant = s_relevant.size, s_irrelevant.size
    walk = walk_table(n_learners, *vote_probabilities(80, 0.2, n_relevant))[n_learners // 2]
    fall, rise = np.zeros(n_relevant), np.zeros(n_irrelevant)
    add_one_by_one(walk, s_relevant, s_irrelevant, fall, rise, space)
    sums, risen = np.zeros(n_relevant), np.zeros(n_irrelevant)
    add_together(walk, s_relevant, s_irrelevant, risen, space.slope, space)
    sum_rows(space.slope, n_irrelevant, sums)
    assert (sums.tobytes(), risen.tobytes()) == (fall.tobytes(), rise.tobytes())


@settings(max_examples=30)
@given(many_labels(), st.integers(1, TOGETHER), st.floats(0.5, 2.0))
def test_weights_of_several_learners_have_the_same_bits(many, n_learners, alpha):
    rng, s_relevant, s_irrelevant, space = many
    r, i = s_relevant.size, s_irrelevant.size
    labels = rng.permutation(80)
    space.relevant[:r], space.irrelevant[:i] = labels[:r], labels[r : r + i]
    space.s_relevant[:r], space.s_irrelevant[:i] = s_relevant, s_irrelevant
    h, alphas = rng.random((n_learners, 80)), np.full(n_learners, alpha)
    walks = walk_table(9, *vote_probabilities(80, 0.2, r))
    opt_weights_ahead(walks, 7, h, alphas, r, i, space)
    for b in range(n_learners):
        fall, rise = np.zeros(r), np.zeros(i)
        add_one_by_one(walks[7 - b], s_relevant, s_irrelevant, fall, rise, space)
        assert space.ahead[b, :r].tobytes() == (max(0.0, rise.max()) + fall).tobytes()
        s_relevant = s_relevant + alpha * h[b, labels[:r]]
        s_irrelevant = s_irrelevant + alpha * h[b, labels[r : r + i]]
    assert space.s_relevant[:r].tobytes() == s_relevant.tobytes()
    assert space.s_irrelevant[:i].tobytes() == s_irrelevant.tobytes()


@given(rounds_seen())
def test_ada_weights(seen):
    logistic_slopes(seen.s_relevant, seen.s_irrelevant, seen.space)
    ada_weights(len(seen.relevant), len(seen.irrelevant), seen.space)
    costs = naive.logistic_gradient(seen.scores, seen.pairs)
    assert_allclose(seen.space.fed[: len(seen.relevant)], seen.fed(costs), **CLOSE)


@given(rounds_seen(), st.data())
def test_slope_along(seen, data):
    m = len(seen.scores)
    h = data.draw(st.lists(st.floats(0, 1), min_size=m, max_size=m))
    logistic_slopes(seen.s_relevant, seen.s_irrelevant, seen.space)
    slope = slope_along(
        np.array(h), np.array(seen.relevant), np.array(seen.irrelevant), seen.space.slope
    )
    assert_allclose(slope, naive.slope_along(h, seen.scores, seen.pairs), **CLOSE)


@given(rounds_seen(), st.data())
def test_twins_of_the_slopes_are_derivatives(seen, data):
    """Of the logistic loss, by central differences."""
    m, pairs = len(seen.scores), seen.pairs
    h = data.draw(st.lists(st.floats(0, 1), min_size=m, max_size=m))
    scale = sum(weight for _, _, weight in pairs)

    def derivative(direction, by=1e-5):
        ahead, behind = (np.add(seen.scores, sign * by * np.array(direction)) for sign in (1, -1))
        return (naive.logistic_loss(ahead, pairs) - naive.logistic_loss(behind, pairs)) / (2 * by)

    gradient = [derivative(axis) for axis in np.eye(m)]
    assert_allclose(naive.logistic_gradient(seen.scores, pairs), gradient, atol=1e-8 * scale)
    assert_allclose(naive.slope_along(h, seen.scores, pairs), derivative(h), atol=1e-8 * scale)


@given(rounds_seen())
def test_estimated_rank_loss(seen):
    loss = estimated_rank_loss(seen.s_relevant, seen.s_irrelevant, seen.space.weight)
    assert_allclose(loss, naive.estimated_rank_loss(seen.scores, seen.pairs), **CLOSE)


@given(st.floats(-2, 2), st.floats(0.001, 1), st.floats(-9, 9), st.floats(0, 300))
def test_adapt(alpha, eta, slope, loss):
    votes = Votes(np.full(3, alpha), np.full(3, -4.0), np.zeros(2), np.zeros(2))
    adapt(votes, 1, eta, slope, loss)
    assert votes.alpha.tolist() == [alpha, moved_alpha(alpha, eta, slope), alpha]
    assert votes.log_nu.tolist() == [-4.0, -4.0 - loss, -4.0]


@given(labelled(), st.data())
def test_losses(rows, data):
    scores, y = rows[0]
    prior = data.draw(st.lists(st.sampled_from([0.25, 0.5]), min_size=len(y), max_size=len(y)))
    compared = list(zip(scores, prior, strict=True))
    wrong, tied, wrong_ranked, pairs = wrong_pairs(np.array(scores), np.array(prior), bits_of(y))
    assert wrong == rank_loss(compared, y)
    assert tied == ties(compared, y)
    assert wrong_ranked == shown_rank_loss(rank(scores, prior), y)
    assert pairs == sum(y) * (len(y) - sum(y))
    assert_allclose(hinge(np.array(scores), bits_of(y)), hinge_loss(scores, y), **CLOSE)


@given(labelled(n_rows=4))
def test_mean_losses(rows):
    scores, Y = np.array([s for s, _ in rows]), bits_of([y for _, y in rows])
    expected = [
        np.mean([weighted(rank_loss(s, y), y) for s, y in rows]),
        np.mean([weighted(ties(s, y), y) for s, y in rows]),
        np.mean([rank_loss(s, y) for s, y in rows]),
        np.mean([hinge_loss(s, y) for s, y in rows]),
        np.mean([weighted(expected_rank_loss(rank(s), y, UNIFORM, 2, 0.3), y) for s, y in rows]),
    ]
    m = scores.shape[1]
    rules = TopOpt(n_features=1, n_labels=m, n_learners=1, k=2)._rules
    assert_allclose(mean_losses(rules, 0.3, scores, np.zeros(m), Y), expected, **CLOSE)

"""Split attempts on leaves of all kinds: the plain search against its twin, the screened one
against both."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_cases import work_of
from naive.tree import Candidate, Gaussian, information_gain, search, thresholds
from numpy.testing import assert_allclose

from booster import ALGORITHMS
from booster.kernels.gain import INVALID, entropy
from booster.kernels.screen import UNUSABLE, screen
from booster.kernels.split import place_thresholds, search_plainly, search_screened
from booster.kernels.state import LANES, MIN_GAIN, N_COUNTS, RESOLVED, SEARCHED, THRESHOLDS, Slots

WEIGHTS = (1e-6, 0.03, 0.4, 1.0, 1.0 + 1e-9, 1.5, 20.0, 300.0, 1e5)
OFFSETS = (0.0, 0.0, 0.0, 0.5, -40.0, 1e4, -1e6)
SPREADS = (0.0, 1e-17, 1e-9, 1e-5, 1e-3, 1e-2, 0.05, 0.2, 0.4, 0.5)
"""Standard deviations, as shares of the range."""


@dataclass
class Leaf:
    """The same observations twice: as the kernels and as the twin have them."""

    slots: Slots
    chosen: np.ndarray
    gaussians: list[list[Gaussian]]
    """By class and covariate."""

    def __post_init__(self):
        self.n_covariates = len(self.gaussians[0])
        lanes = self.slots.moments.shape[2]
        self.search = work_of(1, len(self.chosen), lanes).search
        self.counts = np.zeros(N_COUNTS, np.int64)
        self.before, self.total = entropy(self.slots.weight[self.chosen], self.search.logs)
        place_thresholds(self.slots, self.chosen, self.search)

    def of_covariate(self, f):
        return [gaussians[f] for gaussians in self.gaussians]

    def plainly(self):
        return search_plainly(
            self.slots, self.chosen, self.n_covariates, self.before, self.total, self.search
        )

    def screened(self, tie, epsilon):
        return search_screened(
            self.slots,
            self.chosen,
            self.n_covariates,
            self.before,
            self.total,
            tie,
            epsilon,
            self.search,
            self.counts,
        )


def random_leaf(rng, n_classes, n_covariates, weights, offsets, spreads, narrow=False):
    """Any mean within the limits goes with any deviation: more than a stream can bring about."""
    shape = n_classes, n_covariates
    weight = rng.choice(weights, n_classes) * rng.uniform(0.9, 1.1, n_classes) ** rng.integers(2)
    offset = rng.choice(offsets, n_covariates)
    size = 10.0 ** rng.uniform(-3, 3, n_covariates)
    ends = np.sort(rng.random((2, *shape)), axis=0)
    ends[:, rng.random(shape) < 0.3] = [[0.0], [1.0]]
    ends[0] = np.where(rng.random(shape) < 0.2, ends[1], ends[0])
    ends[:, :, rng.random(n_covariates) < 0.1] = 0.25
    limits = (offset + size * ends).astype(np.float32)
    low, high = limits.astype(np.float64)
    mean = low + (high - low) * rng.choice([0.0, 0.5, 1.0, 0.3, 0.8], shape)
    mean = np.where(rng.random(shape) < 0.7, low + (high - low) * rng.random(shape), mean)
    deviation = (high - low) * rng.choice(spreads, shape)
    if narrow:
        # Round a threshold, where the rounding of the mean counts most.
        step = (high.max(axis=0) - low.min(axis=0)) / (THRESHOLDS + 1)
        near = low.min(axis=0) + step * rng.integers(1, THRESHOLDS + 1, shape)
        thin = step * 10.0 ** rng.uniform(-4, -1, shape)
        near += thin * rng.uniform(-3, 3, shape)
        fits = (low < near) & (near < high)
        mean, deviation = np.where(fits, (near, thin), (mean, deviation))
    m2 = deviation**2 * np.where(weight > 1.0, weight - 1.0, weight)[:, None]

    statistics = np.broadcast_arrays(weight[:, None], mean, m2, *limits)
    gaussians = [[Gaussian(*map(float, g)) for g in own] for own in np.stack(statistics, axis=2)]
    return leaf_of(gaussians, rng.permutation(2 * n_classes)[:n_classes])


@st.composite
def leaves(draw):
    """Of every kind at once, or all of one kind."""

    def some(values):
        return draw(st.just(values) | st.sampled_from(values).map(lambda value: (value,)))

    return random_leaf(
        np.random.default_rng(draw(st.integers(0, 2**32 - 1))),
        n_classes=draw(st.integers(2, 7)),
        n_covariates=draw(st.integers(1, 10)),
        weights=some(WEIGHTS),
        offsets=some(OFFSETS),
        spreads=some(SPREADS),
        narrow=draw(st.booleans()),
    )


def observations():
    """Leaves that a stream of rows does bring about."""
    return st.builds(
        observed_leaf,
        seed=st.integers(0, 2**32 - 1),
        n_rows=st.integers(3, 40),
        values=st.sampled_from(["normal", "few", "offset"]),
        weight=st.sampled_from([0.01, 0.3, 5.0]),
    )


def observed_leaf(seed, n_rows, values, weight):
    rng = np.random.default_rng(seed)
    n_classes, n_covariates = int(rng.integers(2, 5)), int(rng.integers(1, 9))
    labels = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rows)])
    X = rng.normal(size=(len(labels), n_covariates)) + labels[:, None] * rng.random(n_covariates)
    X = {"normal": X, "few": np.round(3 * X), "offset": 1e4 + 0.01 * X}[values]
    gaussians = [[Gaussian() for _ in range(n_covariates)] for _ in range(n_classes)]
    for x, label in zip(X.astype(np.float32).tolist(), labels, strict=True):
        w = weight * rng.uniform(0.5, 1.5)
        for f in range(n_covariates):
            gaussians[label][f].observe(x[f], w)
    return leaf_of(gaussians)


def leaf_of(gaussians, places=None):
    """Leaves find their slots in whatever places others have released."""
    n_classes, n_covariates = len(gaussians), len(gaussians[0])
    lanes = -(-n_covariates // LANES) * LANES
    none = np.zeros(2 * n_classes, np.int32)
    slots = Slots(
        weight=np.full(2 * n_classes, np.nan),
        moments=np.full((2 * n_classes, 2, lanes), np.nan),
        limits=np.full((2 * n_classes, 2, lanes), np.nan, np.float32),
        block=none,
        bits=none,
        used=none,
    )
    chosen = np.arange(n_classes) if places is None else places
    slots.moments[chosen] = 0.0
    slots.limits[chosen] = 0.0
    for slot, own in zip(chosen, gaussians, strict=True):
        slots.weight[slot] = own[0].weight
        for f, g in enumerate(own):
            slots.moments[slot, :, f] = g.mean, g.m2
            slots.limits[slot, :, f] = g.smallest, g.largest
    return Leaf(slots, chosen.astype(np.int32), gaussians)


def accepts(best, second, tie, epsilon):
    """The rule of a split attempt, with the Hoeffding bound `epsilon`."""
    return best > MIN_GAIN and (tie or best - max(second, 0.0) > epsilon)


@settings(max_examples=150)
@given(leaves() | observations())
def test_plain_search_finds_the_split_of_its_twin(leaf):
    for f in range(leaf.n_covariates):
        placed = thresholds(leaf.of_covariate(f))
        assert (leaf.search.step[f] > 0.0) == bool(placed)
        if placed:
            assert leaf.search.threshold[:, f].tolist() == placed

    best, second, f, t = leaf.plainly()
    expected, expected_second = search(dict(enumerate(leaf.gaussians)), leaf.n_covariates)
    if expected is None:
        assert best == INVALID
    else:
        assert_allclose(best, expected.gain, atol=1e-9)
        assert_allclose(max(second, 0.0), max(expected_second, 0.0), atol=1e-9)
        assert (f, t) == (expected.covariate, expected.place)


@settings(max_examples=200)
@given(leaves() | observations())
def test_screened_gains_are_within_their_error(leaf):
    assert_within_error(leaf)


def assert_within_error(leaf):
    screen(leaf.slots, leaf.chosen, leaf.total, leaf.search)
    gains = leaf.search.gain.reshape(THRESHOLDS, -1)
    for f in range(leaf.n_covariates):
        error = leaf.search.error[f]
        assert error > 0.0
        if error > UNUSABLE:
            continue
        exact = [
            information_gain(leaf.of_covariate(f), threshold)
            for threshold in thresholds(leaf.of_covariate(f))
        ]
        for t, gain in enumerate(exact):
            if gain is None:
                assert gains[t, f] == INVALID
            else:
                assert abs(gains[t, f] - gain) <= error
        if exact:
            assert leaf.search.bound[f] == gains[:, f].max()


def test_screening_is_usable_where_it_matters():
    """An error that is never usable would bound everything, and save nothing."""
    rng = np.random.default_rng(0)
    usable = []
    for _ in range(100):
        leaf = random_leaf(rng, 4, 8, (1.5, 20.0, 300.0), OFFSETS, (0.05, 0.2, 0.4))
        screen(leaf.slots, leaf.chosen, leaf.total, leaf.search)
        usable += (leaf.search.error[leaf.search.step > 0.0] <= UNUSABLE).tolist()
    assert np.mean(usable) > 0.9


@settings(max_examples=300)
@given(leaves() | observations(), st.booleans(), st.sampled_from([0.0, 0.5, 1 - 1e-6, 1 + 1e-6, 2]))
def test_screened_search_makes_the_split_of_the_plain_one(leaf, tie, closeness):
    assert_same_split(leaf, tie, closeness)


def assert_same_split(leaf, tie, closeness):
    """With a Hoeffding bound that is close to the margin of the best split, or not so."""
    best, second, f, t = leaf.plainly()
    # It is never so small that the rounding of equal gains could pass it.
    epsilon = max(closeness * (best - max(second, 0.0)), 1e-6)
    screened_best, screened_second, screened_f, screened_t = leaf.screened(tie, epsilon)
    accepted = accepts(best, second, tie, epsilon)
    assert accepts(screened_best, screened_second, tie, epsilon) == accepted
    if accepted:
        assert (screened_f, screened_t) == (f, t)
        assert_allclose(screened_best, best, atol=1e-12)
    return accepted


@pytest.mark.parametrize("more", [s * 10.0**-e for e in (2, 3, 4, 5, 6, 7, 8, 12) for s in (1, -1)])
def test_splits_near_the_least_share(more):
    """The whole of a class goes left, which is 1 % of the weight and a little more, or less."""
    share = 0.01 * (1 + more)
    light = Gaussian(share, 0.0, 0.0, 0.0, 0.0)
    heavy = Gaussian(1.0 - share, 1.0, 0.0, 1.0, 1.0)
    leaf = leaf_of([[light], [heavy]])
    assert_within_error(leaf)
    assert assert_same_split(leaf, True, 0.0) == (more > 0)


@pytest.mark.parametrize(
    "beyond", [0.0, *(s * 10.0**-e for e in (2, 4, 5, 6, 7, 9, 15) for s in (1, -1))]
)
@pytest.mark.parametrize(("weight", "m2"), [(0.9, 1.0), (5.0, 0.0), (5.0, 1e-40)])
def test_steps_near_a_threshold(beyond, weight, m2):
    """A class without a deviation is a step at its mean; thresholds are 1, 2, .. 10."""
    step = Gaussian(weight, 5.0 + beyond, m2, 0.0, 11.0)
    leaf = leaf_of([[step], [Gaussian(weight, 9.5, m2, 0.0, 11.0)]])
    assert_within_error(leaf)
    assert assert_same_split(leaf, True, 0.0)
    _, _, _, t = leaf.plainly()
    assert leaf.search.threshold[t, 0] == (5.0 if step.share_at_or_below(5.0) == 1.0 else 6.0)


@pytest.mark.parametrize("shift", np.linspace(0.085, 0.104, 20))
def test_splits_near_the_least_gain(shift):
    """Two classes whose means are a fraction of the deviation apart."""
    one, other = (Gaussian(50.0, mean, 49.0, -3.0, 3.0) for mean in (0.0, float(shift)))
    leaf = leaf_of([[one, one], [other, one]])
    assert_within_error(leaf)
    best, *_ = leaf.plainly()
    assert 0.0008 < best < 0.00125
    assert assert_same_split(leaf, True, 0.0) == (best > MIN_GAIN)


def test_first_of_equal_gains_wins_in_every_search():
    """Two equal covariates, and thresholds between two classes that are far apart."""
    own = [[Gaussian(5.0, 0.0, 0.0, 0.0, 0.0)] * 3, [Gaussian(5.0, 11.0, 0.0, 11.0, 11.0)] * 3]
    leaf = leaf_of(own)
    assert search(dict(enumerate(own)), 3) == (Candidate(1.0, 0, 1.0, 0), 1.0)
    assert leaf.plainly() == (1.0, 1.0, 0, 0)
    best, _, f, t = leaf.screened(True, 0.0)
    assert (best, f, t) == (1.0, 0, 0)
    best, second, _, _ = leaf.screened(False, 1e-6)
    assert not accepts(best, second, False, 1e-6)


def learned(booster):
    """All that was learned, and all that was counted but for the work of searching."""
    forest, votes = booster._state()
    counts = np.delete(forest.counts, [SEARCHED, RESOLVED])
    nodes, rows = forest.counts[:2]
    kept = [votes.alpha, votes.log_nu, counts, forest.nodes[:nodes], forest.tree_nodes]
    return [array.tobytes() for array in (*kept, *(array[:rows] for array in forest.rows))]


def assert_screening_changes_nothing(algorithm, X, Y, **parameters):
    boosters = [
        ALGORITHMS.load(algorithm)(n_features=X.shape[1], n_labels=Y.shape[1], **parameters)
        for _ in range(2)
    ]
    plain, screened = boosters
    plain._forest.trees = plain._forest.trees._replace(screened=False)
    losses = [booster.run(X, Y).curve for booster in boosters]
    assert losses[0].tobytes() == losses[1].tobytes()
    assert learned(plain) == learned(screened)
    assert screened.counts["splits"] > 0
    assert screened._forest.arrays.counts[RESOLVED] < plain._forest.arrays.counts[SEARCHED]


@pytest.mark.parametrize("algorithm", ALGORITHMS.own)
def test_screening_changes_no_bit_on_random_rows(algorithm):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 12))
    X[:, ::3] = np.round(2 * X[:, ::3])
    Y = X @ rng.normal(size=(12, 7)) + rng.normal(size=(400, 7)) > 1.0
    assert_screening_changes_nothing(algorithm, X, Y, n_learners=10, n_covariates=9)


@pytest.mark.parametrize("algorithm", ALGORITHMS.own)
@pytest.mark.parametrize("name", ["yeast", "scene"])
def test_screening_changes_no_bit_on_published_rows(algorithm, name, shared_data):
    data = np.load(shared_data / f"{name}.npz")
    X, Y = data["X_train"][:400], data["Y_train"][:400]
    assert_screening_changes_nothing(algorithm, X, Y, n_learners=10)

"""One tree of the compiled forest and its twin, fed the same weighted labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kernel_cases import forest_of, make_room
from naive.replay import assert_same_tree
from naive.tree import HoeffdingTree

from booster.features import row_of
from booster.kernels.leaf import learn
from booster.kernels.rows import gather, load_row
from booster.kernels.state import FREE, NODES, ROWS, SLOTS
from booster.workspace import workspace


class Both:
    """A tree of the forest, the second of three, and its twin."""

    TREE = 1

    def __init__(
        self, n_features, n_classes, *, seed=0, n_covariates=None, max_nodes=255, **values
    ):
        self.forest = forest_of(
            3,
            n_features,
            n_classes,
            n_covariates=n_covariates or n_features,
            max_nodes=max_nodes,
            seed=seed,
        )
        born = self.forest.trees
        self.trees = born._replace(**{name: np.full(3, value) for name, value in values.items()})
        self.work = workspace(self.forest, n_features, n_classes, n_classes, np.ones(3))
        self.twin = HoeffdingTree(
            n_classes,
            born.covariates[self.TREE, : born.n_covariates].tolist(),
            max_nodes=max_nodes,
            **{name: float(getattr(self.trees, name)[self.TREE]) for name in PARAMETERS},
        )

    @property
    def arrays(self):
        return self.forest.arrays

    def leaf(self, x):
        node = int(self.arrays.root[self.TREE])
        while self.arrays.nodes["feature"][node] != -1:
            threshold, feature, link = self.arrays.nodes[node].tolist()
            node = link + int(x[feature] > threshold)
        return node

    def learn(self, x, label, weight):
        make_room(self.forest, self.trees, self.work, 1)
        load_row(row_of(x, x.size), 0, self.work.row)
        gather(self.trees, self.TREE, self.work.row, self.work.x)
        node = learn(self.arrays, self.trees, self.TREE, self.leaf(x), label, weight, self.work)
        assert node == self.leaf(x)
        self.twin.learn(x.tolist(), label, weight)
        assert self.arrays.tree_nodes[self.TREE] == self.twin.n_nodes

    def over(self, X, labels, weights):
        for x, label, weight in zip(frozen(X), labels.tolist(), weights.tolist(), strict=True):
            self.learn(x, label, weight)
        self.compare()

    def compare(self):
        assert_same_tree(self.arrays, self.TREE, self.twin)
        counts = self.arrays.counts
        leaves = list(self.twin.root.leaves())
        assert counts[NODES] == self.twin.n_nodes + 2
        assert counts[ROWS] == len(leaves) + 2
        assert counts[SLOTS] - counts[FREE] == sum(len(leaf.observed) for leaf in leaves)


PARAMETERS = ("grace", "log_confidence", "tie")

# A tree that splits by the Hoeffding bound alone, and one that splits as soon as it may.
SURE = {"grace": 6.1, "log_confidence": 3.0, "tie": 1e-9}
EAGER = {"grace": 6.1, "log_confidence": 0.5, "tie": 5.0}

VALUES = {
    "normal": lambda X: X,
    "few": lambda X: np.clip(np.round(3 * X + 5), 0, 11),
    "two": lambda X: X > 0.3,
    "constant": lambda X: 0 * X + 2.5,
    "offset": lambda X: 1e4 + 0.05 * X,
    "far": lambda X: -3e7 + 10 * X,
    "duplicates": lambda X: X[np.arange(len(X)) % 7],
}
WEIGHTS = {
    "usual": lambda u: 1 + 8 * u,
    "tiny": lambda u: 0.01 + 0.05 * u,
    "huge": lambda u: 500 + 1000 * u,
    "any": lambda u: 10 ** (8 * u - 5),
}


def frozen(X):
    X = np.ascontiguousarray(X, np.float32)
    X.flags.writeable = False
    return X


def stream(seed, n_rows, n_features, n_classes, values="normal", weights="usual"):
    """Rows whose label shows, more or less, in some of the features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    if values == "duplicates":
        X = VALUES[values](X)
    noise = rng.choice([0.0, 0.3, 3.0])
    hidden = X @ rng.normal(size=n_features) + noise * rng.normal(size=n_rows)
    labels = np.argsort(np.argsort(hidden)) * n_classes // n_rows
    return VALUES[values](X), labels, WEIGHTS[weights](rng.random(n_rows))


@given(
    seed=st.integers(0, 2**32 - 1),
    n_features=st.integers(1, 10),
    n_classes=st.integers(2, 6),
    values=st.sampled_from(sorted(VALUES)),
    weights=st.sampled_from(sorted(WEIGHTS)),
    grace=st.floats(0.05, 20.0),
    log_confidence=st.floats(0.01, 5.0),
    tie=st.floats(0.01, 0.9),
    max_nodes=st.sampled_from([1, 2, 3, 4, 5, 10, 255]),
    data=st.data(),
)
def test_tree(seed, n_features, n_classes, values, weights, max_nodes, data, **parameters):
    n_covariates = data.draw(st.integers(1, n_features))
    both = Both(
        n_features,
        n_classes,
        seed=seed,
        n_covariates=n_covariates,
        max_nodes=max_nodes,
        **parameters,
    )
    both.over(*stream(seed, 80, n_features, n_classes, values, weights))


@pytest.mark.parametrize("parameters", [SURE, EAGER], ids=["sure", "eager"])
@pytest.mark.parametrize("values", ["normal", "few", "offset", "far", "duplicates"])
def test_tree_that_grows(parameters, values):
    both = Both(5, 4, **parameters)
    both.over(*stream(3, 400, 5, 4, values))
    assert both.twin.n_nodes >= 5


def test_tree_of_tiny_weights():
    """Leaves whose classes weigh too little for a deviation split by the means."""
    X, labels, weights = stream(1, 400, 3, 2, weights="tiny")
    both = Both(3, 2, grace=0.2, log_confidence=0.05, tie=0.9)
    unknown = 0
    for x, label, weight in zip(frozen(X), labels.tolist(), weights.tolist(), strict=True):
        leaf = both.twin.leaf(x)
        both.learn(x, label, weight)
        unknown += leaf.feature is not None and max(leaf.total, leaf.tried) < 1
    both.compare()
    assert unknown > 5


def test_tree_of_constant_features_never_splits():
    both = Both(3, 3, **EAGER)
    both.over(*stream(0, 100, 3, 3, "constant"))
    assert both.twin.n_nodes == 1


def test_tree_of_one_class_never_splits():
    X, labels, weights = stream(0, 100, 3, 3)
    both = Both(3, 3, **EAGER)
    both.over(X, 0 * labels, weights)
    assert both.twin.n_nodes == 1


@pytest.mark.parametrize("screened", [True, False])
@pytest.mark.parametrize(("shift", "splits"), [(0.02, False), (0.5, True)])
def test_split_that_gains_next_to_nothing_is_not_made(shift, splits, screened):
    """The classes have the same values, but for a shift; the one attempt comes at the end."""
    X = np.random.default_rng(0).normal(size=(400, 1))
    labels = np.arange(400) % 2
    X[1::2] = X[::2] + shift
    both = Both(1, 2, grace=399.5, log_confidence=0.5, tie=5.0)
    both.trees = both.trees._replace(screened=screened)
    both.over(X, labels, np.ones(400))
    assert (both.twin.n_nodes > 1) == splits


@pytest.mark.parametrize(("parameters", "splits"), [(SURE, False), (EAGER, True)])
def test_equal_covariates(parameters, splits):
    """Neither of two equal covariates is surely the better one; on a tie the first one wins."""
    X, labels, weights = stream(2, 200, 1, 2)
    both = Both(2, 2, **parameters)
    both.over(np.repeat(X, 2, axis=1), labels, weights)
    assert (both.twin.root.feature is not None) == splits
    if splits:
        assert both.twin.root.feature == both.twin.covariates[0]


def test_second_best_threshold_of_the_same_covariate_stops_no_split():
    X, labels, weights = stream(2, 200, 1, 2)
    both = Both(1, 2, **SURE)
    both.over(X, labels, weights)
    assert both.twin.n_nodes > 1


def test_values_equal_to_the_threshold_go_left():
    """Whole numbers from 0 to 11 put the thresholds on 1, 2, .. 10."""
    X = np.arange(240).reshape(-1, 1) % 12
    labels = (X[:, 0] > 4).astype(int)
    # The first attempt comes when each number has been seen once.
    both = Both(1, 2, grace=27.0, log_confidence=0.5, tie=5.0)
    both.over(X, labels, np.full(240, 2.3))
    assert both.twin.root.threshold == 4.0
    left, right = both.twin.root.children
    assert both.twin.leaf([4.0]) is left
    assert both.twin.leaf([5.0]) is right


@pytest.mark.parametrize("max_nodes", [1, 2, 3, 4, 6, 7])
def test_frozen_tree_learns_class_weights_only(max_nodes):
    X, labels, weights = stream(5, 400, 3, 4)
    both = Both(3, 4, max_nodes=max_nodes, **EAGER)
    both.over(X, labels, weights)
    assert both.twin.frozen
    assert both.twin.n_nodes == max(1, max_nodes - 1 + max_nodes % 2)
    assert both.arrays.counts[SLOTS] == both.arrays.counts[FREE]
    before = sum(leaf.total for leaf in both.twin.root.leaves())
    both.over(X, labels, weights)
    after = sum(leaf.total for leaf in both.twin.root.leaves())
    assert after - before == pytest.approx(weights.sum())

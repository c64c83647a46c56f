"""One tree that observes only what is not zero, and its twin, fed the same weighted labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from kernel_cases import forest_of, make_room
from naive.leaves import CLOSE, covariates_of
from naive.nonzero import BINARY, SPARSE, NonzeroTree
from naive.replay import assert_same_tree
from numpy.testing import assert_allclose

from booster.features import row_of
from booster.kernels import state
from booster.kernels.counting import fold, folded_pages
from booster.kernels.leaf import learn
from booster.kernels.rounds import look, vote_of
from booster.kernels.route import route_all
from booster.kernels.rows import gather_nonzero, load_row
from booster.kernels.state import (
    CELLS,
    ENTRIES,
    FREE,
    NODES,
    PAGE,
    PAGES,
    ROWS,
    SLOTS,
    SPARE_PAGES,
)
from booster.workspace import workspace

OBSERVERS = {BINARY: state.BINARY, SPARSE: state.SPARSE}
PARAMETERS = ("grace", "log_confidence", "tie")
SURE = {"grace": 6.1, "log_confidence": 3.0, "tie": 1e-9}
EAGER = {"grace": 6.1, "log_confidence": 0.5, "tie": 5.0}


class Both:
    """A tree of the forest, the second of three, and its twin."""

    TREE = 1

    def __init__(
        self,
        n_features: int,
        n_classes: int,
        *,
        observer: str,
        bayes: bool = False,
        max_nodes: int = 255,
        **others: Any,
    ) -> None:
        values = {name: others.pop(name) for name in PARAMETERS if name in others}
        self.forest = forest_of(
            3,
            n_features,
            n_classes,
            observer=OBSERVERS[observer],
            bayes=bayes,
            max_nodes=max_nodes,
            **others,
        )
        born = self.forest.trees
        self.trees = born._replace(**{name: np.full(3, value) for name, value in values.items()})
        self.work = workspace(self.forest, n_features, n_classes, n_classes, np.ones(3))
        self.twin = NonzeroTree(
            n_classes,
            covariates_of(born, self.TREE, n_features),
            observer=observer,
            bayes=bayes,
            max_nodes=max_nodes,
            **{name: float(getattr(self.trees, name)[self.TREE]) for name in PARAMETERS},
        )

    @property
    def arrays(self) -> state.Forest:
        return self.forest.arrays

    def round(self, x: np.ndarray, labels: list[int], weights: list[float]) -> None:
        """Vote, then feed some labels one after another, as a round does."""
        work = self.work
        load_row(row_of(x, x.size), 0, work.row)
        route_all(self.arrays.nodes, self.arrays.root, work.row.x, work.node, work.active)
        self.compare_votes(x)
        make_room(self.forest, self.trees, work, len(labels))
        before = self.arrays.counts.copy()
        look(self.trees, self.TREE, work)
        node = work.node[self.TREE]
        for label, weight in zip(labels, weights, strict=True):
            node = learn(self.arrays, self.trees, self.TREE, node, label, weight, work)
            self.twin.learn(x.tolist(), label, weight)
            assert self.arrays.tree_nodes[self.TREE] == self.twin.n_nodes
        route_all(self.arrays.nodes, self.arrays.root, work.row.x, work.node, work.active)
        assert node == work.node[self.TREE]
        more = self.arrays.counts - before
        assert more[SLOTS] - more[FREE] <= work.more[state.MORE_SLOTS]
        assert more[ENTRIES] <= work.more[state.MORE_ENTRIES]
        assert more[CELLS] <= work.more[state.MORE_CELLS]
        assert more[PAGES] - more[SPARE_PAGES] <= work.more[state.MORE_PAGES]

    def count_notes(self) -> None:
        """Replace the notes of every leaf by cells."""
        self.work.more[:] = 0
        for row in range(self.arrays.counts[ROWS]):
            values = self.arrays.cells.value.shape[1]
            pages = folded_pages(self.arrays.rows, row, self.trees.n_covariates, values)
            self.work.more[state.MORE_PAGES] = pages
            self.forest.make_room(self.work.more)
            before = self.arrays.counts.copy()
            words = int(self.arrays.rows.words[row])
            fold(self.arrays, self.trees, row, self.work.search.found)
            more = self.arrays.counts - before
            assert more[PAGES] - more[SPARE_PAGES] + -(-words // (PAGE - 1)) <= pages
            assert self.arrays.rows.raw[row] == self.arrays.rows.updates[row] == 0

    def compare_votes(self, x: np.ndarray) -> None:
        h = np.empty(len(self.twin.root.weights))
        node, row, hits = self.work.node[self.TREE], self.work.row, self.work.hits
        vote_of(self.trees, self.arrays, self.TREE, node, row, hits, h)
        assert_allclose(h, self.twin.predict(x.tolist()), **CLOSE)

    def over(self, X: np.ndarray, labels: list[list[int]], weights: list[list[float]]) -> None:
        for x, own, w in zip(X.astype(np.float32), labels, weights, strict=True):
            self.round(x, own, w)
        self.compare()

    def compare(self) -> None:
        counts = self.arrays.counts
        leaves = list(self.twin.root.leaves())
        assert counts[NODES] == self.twin.n_nodes + 2
        assert counts[ROWS] == len(leaves) + 2
        in_use = sum(len(self.twin.touched(leaf)) for leaf in leaves)
        assert counts[SLOTS] - counts[FREE] == (in_use if self.twin.bayes else 0)
        words = self.arrays.rows.words[: counts[ROWS]].tolist()
        assert counts[PAGES] - counts[SPARE_PAGES] == sum(-(-n // (PAGE - 1)) for n in words)
        assert_same_tree(self.arrays, self.TREE, self.twin)


VALUES = {
    "binary": lambda X: X > 0.7,
    "rare": lambda X: X > 1.8,
    "counts": lambda X: np.clip(np.round(2 * X), 0, 5),
    "positive": lambda X: np.where(X > 0.3, X, 0),
    "negative": lambda X: np.where(X < -0.3, X, 0),
    "either sign": lambda X: np.where(np.abs(X) > 0.7, X, 0),
    "never zero": lambda X: 1e3 + np.abs(X),
    "some dense": lambda X: np.where((X > 0.5) | (np.arange(X.shape[1]) % 2 == 0), X, 0),
    "all zero": lambda X: 0 * X,
    "constant": lambda X: 0 * X + 3,
}
WEIGHTS = {
    "usual": lambda u: 1 + 8 * u,
    "tiny": lambda u: 0.01 + 0.05 * u,
    "any": lambda u: 10 ** (6 * u - 3),
}


def stream(
    seed: int,
    n_rows: int,
    n_features: int,
    n_classes: int,
    values: str,
    weights: str = "usual",
    most: int | None = None,
) -> tuple[np.ndarray, list[list[int]], list[list[float]]]:
    """Rows with up to `most` labels each, which show, more or less, in some of the features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_features))
    noise = rng.choice([0.0, 0.3, 3.0]) if most is None else 0.3
    by_feature = rng.normal(size=(n_features, n_classes))
    by_feature[0] *= 5
    hidden = X @ by_feature + noise * rng.normal(size=(n_rows, n_classes))
    X = VALUES[values](X).astype(np.float64)
    order = np.argsort(-hidden, axis=1)
    most = n_classes if most is None else most
    labels = [order[i, : rng.integers(1, most + 1)].tolist() for i in range(n_rows)]
    fed = [WEIGHTS[weights](rng.random(len(own))).tolist() for own in labels]
    return X, labels, fed


observers = pytest.mark.parametrize("observer", OBSERVERS)
leaves = pytest.mark.parametrize("bayes", [False, True], ids=["weights", "bayes"])


TWO_VALUES = ("binary", "rare", "all zero", "constant")
SUITED = [(SPARSE, values) for values in VALUES] + [(BINARY, values) for values in TWO_VALUES]
"""Binary observers are for features that are zero or have one positive value."""


WIDTHS = st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n)))
"""Features, and how many of them are covariates."""


@given(
    seed=st.integers(0, 2**32 - 1),
    widths=WIDTHS,
    n_classes=st.integers(2, 6),
    suited=st.sampled_from(SUITED),
    bayes=st.booleans(),
    weights=st.sampled_from(sorted(WEIGHTS)),
    grace=st.floats(0.05, 20.0),
    log_confidence=st.floats(0.01, 5.0),
    tie=st.floats(0.01, 0.9),
    max_nodes=st.sampled_from([1, 2, 3, 5, 10, 255]),
)
@example(  # five features in a row whose gains differ by less, one after another, than is the same
    seed=36286,
    widths=(32, 11),
    n_classes=6,
    suited=(SPARSE, "some dense"),
    bayes=False,
    weights="any",
    grace=11.0,
    log_confidence=4.0,
    tie=0.3125,
    max_nodes=10,
)
def test_tree(
    seed: int,
    widths: tuple[int, int],
    n_classes: int,
    suited: tuple[str, str],
    weights: str,
    **others: Any,
) -> None:
    others["observer"], values = suited
    n_features, n_covariates = widths
    both = Both(n_features, n_classes, seed=seed, n_covariates=n_covariates, **others)
    both.over(*stream(seed, 30, n_features, n_classes, values, weights))


@pytest.mark.parametrize(
    ("parameters", "bayes"),
    [
        pytest.param(SURE, False, id="sure-weights"),
        pytest.param(SURE, True, id="sure-bayes", marks=pytest.mark.slow),
        pytest.param(EAGER, False, id="eager-weights", marks=pytest.mark.slow),
        pytest.param(EAGER, True, id="eager-bayes"),
    ],
)
@pytest.mark.parametrize(("observer", "values"), SUITED)
def test_tree_that_grows(
    observer: str, bayes: bool, values: str, parameters: dict[str, float]
) -> None:
    both = Both(4, 3, observer=observer, bayes=bayes, **parameters)
    both.over(*stream(3, 200, 4, 3, values, most=1))
    if values in ("all zero", "constant"):
        assert both.twin.n_nodes == 1
    elif values != "rare":
        assert both.twin.n_nodes >= 3


@observers
@leaves
@pytest.mark.parametrize("max_nodes", [1, 3, 7])
def test_frozen_trees(observer: str, bayes: bool, max_nodes: int) -> None:
    both = Both(8, 3, observer=observer, bayes=bayes, max_nodes=max_nodes, **EAGER)
    both.over(*stream(5, 150, 8, 3, "binary"))
    assert both.twin.frozen
    assert (both.arrays.counts[SLOTS] > both.arrays.counts[FREE]) == bayes


def test_a_class_on_one_side_has_no_weight_on_the_other() -> None:
    """Weights that rounding would give to a child count as a class in its Hoeffding bound."""
    both = Both(1, 3, observer=SPARSE, **EAGER)
    rng = np.random.default_rng(0)
    for turn in range(200):
        label = int(rng.integers(3))
        # One class below zero or zero, one at zero, one above.
        value = [-rng.random() * rng.integers(2), 0.0, rng.random() + 0.1][label]
        both.round(np.array([value], np.float32), [label], [float(rng.random() * 3 + 0.1)])
        if turn % 20 == 0:
            both.compare()
    both.compare()
    assert both.twin.n_nodes > 1


@observers
@pytest.mark.parametrize(
    "parameters",
    [pytest.param(SURE, marks=pytest.mark.slow, id="sure"), pytest.param(EAGER, id="eager")],
)
@pytest.mark.parametrize("every", [1, 7])
def test_counting_notes_in_between_changes_nothing(
    observer: str, parameters: dict[str, float], every: int
) -> None:
    both = Both(8, 4, observer=observer, **parameters)
    X, labels, weights = stream(3, 120, 8, 4, "binary" if observer == BINARY else "either sign")
    for turn, (x, own, w) in enumerate(zip(X.astype(np.float32), labels, weights, strict=True)):
        both.round(x, own, w)
        if turn % every == 0:
            both.count_notes()
        if turn % 5 == 0:
            both.compare()
    assert both.arrays.rows.counted.max() > 1
    both.compare()


@pytest.mark.parametrize("n_features", [1, 31, 32, 33, 64, 100])
@pytest.mark.parametrize("n_covariates", [1, 20, 100])
def test_features_of_a_tree(n_features: int, n_covariates: int) -> None:
    """Trees use the same features whatever they observe of them."""
    shape = {"n_covariates": min(n_covariates, n_features), "seed": 4}
    gaussian = forest_of(5, n_features, 3, **shape).trees
    binary = forest_of(5, n_features, 3, observer=state.BINARY, **shape).trees
    for tree in range(5):
        chosen = sorted(gaussian.covariates[tree, : gaussian.n_covariates].tolist())
        assert covariates_of(binary, tree, n_features) == chosen
        row = workspace(forest_of(1, n_features, 2), n_features, 2, 2, np.ones(3)).row
        load_row(row_of(np.ones(n_features), n_features), 0, row)
        hits = np.empty(n_features, np.int32)
        assert hits[: gather_nonzero(binary, tree, row, hits)].tolist() == chosen
    for name in ("multiplier", "grace", "log_confidence", "tie"):
        np.testing.assert_array_equal(getattr(gaussian, name), getattr(binary, name))

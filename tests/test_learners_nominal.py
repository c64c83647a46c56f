"""Binary observers against the nominal ones of scikit-multiflow and river.

A feature of two values is nominal: both libraries split it by equality with one of its values, and
their gain is exact, as it is here. As elsewhere (see test_learners_parity), trees agree where they
are sure; what ties is decided differently by design.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from learner_cases import LIBRARIES, LIBRARY, Example, NativeTree, fed, library

from booster.kernels.counting import sort_notes
from booster.kernels.gain import INVALID, entropy
from booster.kernels.nonzero import observed_classes, search_nonzero
from booster.kernels.split import logs_by_label
from booster.kernels.state import BINARY, SPARSE

SURE = {"grace": 20.5, "confidence": 0.05, "tie": 1e-3, "max_nodes": 255}
NEVER = {"grace": 1e9, "confidence": 0.05, "tie": 1e-3, "max_nodes": 255}

# Nominal observers and their gains


class RiverGain:
    def __init__(self) -> None:
        from river.tree.split_criterion import InfoGainSplitCriterion
        from river.tree.splitter.nominal_splitter_classif import NominalSplitterClassif

        self.observer = NominalSplitterClassif()
        self.criterion = InfoGainSplitCriterion(0.01)
        self.learn = self.observer.update

    def gain(self, before: Mapping[int, float]) -> float:
        best = self.observer.best_evaluated_split_suggestion(self.criterion, before, 0, True)
        return float(best.merit)


class SkmultiflowGain:
    def __init__(self) -> None:
        from skmultiflow.trees.attribute_observer import NominalAttributeClassObserver
        from skmultiflow.trees.split_criterion import InfoGainSplitCriterion

        self.observer = NominalAttributeClassObserver()
        self.criterion = InfoGainSplitCriterion(0.01)
        self.learn = self.observer.observe_attribute_class

    def gain(self, before: Mapping[int, float]) -> float:
        best = self.observer.get_best_evaluated_split_suggestion(self.criterion, before, 0, True)
        return float(best.merit)


GAINS: dict[str, Callable[[], Any]] = {"river": RiverGain, "skmultiflow": SkmultiflowGain}


def gains_of(tree: NativeTree, n_features: int) -> list[float]:
    """The gain of each feature, in the only leaf of a tree."""
    forest, search = tree.forest.arrays, tree.work.search
    trees = tree.trees._replace(screened=False)
    observed, _ = observed_classes(forest.rows, 0, search)
    before, total = entropy(search.weight[:observed], search.logs)
    logs_by_label(search, observed)
    search_nonzero(forest, trees, 0, before, total, True, 0.0, search)
    found = dict.fromkeys(range(n_features), INVALID)
    used = sort_notes(forest, trees, 0, search.found)
    pairs = zip(search.touched[:used].tolist(), search.gains[:used].tolist(), strict=True)
    return list((found | dict(pairs)).values())


def test_both_libraries_have_nominal_observers() -> None:
    assert set(GAINS) == set(TREES) == set(LIBRARIES)


@LIBRARY
@pytest.mark.parametrize("observer", [BINARY, SPARSE], ids=["binary", "sparse"])
@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.95])
@pytest.mark.parametrize("n_classes", [2, 3, 6])
def test_gains_are_those_of_a_nominal_observer(
    name: str, observer: int, share: float, n_classes: int
) -> None:
    library(name)
    rng = np.random.default_rng(n_classes)
    n_features, n_rows = 6, 60
    X = (rng.random((n_rows, n_features)) < share).astype(float)
    labels = rng.integers(0, n_classes, n_rows)
    X[:, 0] = labels == 0
    weights = rng.uniform(0.01, 10.0, n_rows)
    native = NativeTree(n_classes, range(n_features), observer=observer, **NEVER)
    others = [GAINS[name]() for _ in range(n_features)]
    before: dict[int, float] = {}
    for x, label, weight in zip(X.tolist(), labels.tolist(), weights.tolist(), strict=True):
        native.learn(x, label, weight)
        before[label] = before.get(label, 0.0) + weight
        for other, value in zip(others, x, strict=True):
            other.learn(value, label, weight)
    theirs = [other.gain(before) for other in others]
    ours = gains_of(native, n_features)
    for one, other in zip(ours, theirs, strict=True):
        if one == INVALID:  # too little weight on one side, which is minus infinity there
            assert other == -np.inf
        else:
            assert one == pytest.approx(other, abs=1e-9)
    assert max(ours) > 0.01


# Whole trees


def river_tree(n_features: int) -> tuple[Callable[..., int], Callable[..., Any]]:
    from river.tree import HoeffdingTreeClassifier

    tree = HoeffdingTreeClassifier(
        grace_period=SURE["grace"],
        delta=SURE["confidence"],
        tau=SURE["tie"],
        leaf_prediction="mc",
        nominal_attributes=list(range(n_features)),
        binary_split=True,
        merit_preprune=False,
        max_share_to_split=1.0,
        memory_estimate_period=10**9,
    )

    def learn(x: list[float], label: int, weight: float) -> int:
        tree.learn_one(dict(enumerate(x)), label, w=weight)
        return int(tree.n_nodes)

    def weights(x: list[float]) -> Mapping[int, float]:
        found: Any = tree._root
        while hasattr(found, "children"):
            found = found.next(dict(enumerate(x)))
        return dict(found.stats)

    return learn, weights


def skmultiflow_tree(n_features: int) -> tuple[Callable[..., int], Callable[..., Any]]:
    from skmultiflow.trees import HoeffdingTreeClassifier

    tree = HoeffdingTreeClassifier(
        grace_period=SURE["grace"],
        split_confidence=SURE["confidence"],
        tie_threshold=SURE["tie"],
        leaf_prediction="mc",
        nominal_attributes=list(range(n_features)),
        binary_split=True,
        no_preprune=True,
        memory_estimate_period=10**9,
    )

    def learn(x: list[float], label: int, weight: float) -> int:
        tree.partial_fit(np.array([x]), np.array([label]), sample_weight=np.array([weight]))
        leaves = tree._active_leaf_node_cnt + tree._inactive_leaf_node_cnt
        return 2 * int(leaves) - 1

    def weights(x: list[float]) -> Mapping[int, float]:
        return dict(tree.get_votes_for_instance(np.array(x)))

    return learn, weights


TREES = {"river": river_tree, "skmultiflow": skmultiflow_tree}


def words(n_rows: int, seed: int) -> list[Example]:
    """Four classes by two words of six, with some noise."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n_rows, 6)) < 0.4).astype(np.float32)
    label = 2 * X[:, 1] + (X[:, 4] != (rng.random(n_rows) < 0.05))
    return list(fed(X, np.eye(4)[label.astype(int)], seed))


@LIBRARY
@pytest.mark.parametrize("observer", [BINARY, SPARSE], ids=["binary", "sparse"])
@pytest.mark.parametrize("seed", range(3))
def test_trees_split_when_those_on_nominal_features_do(name: str, observer: int, seed: int) -> None:
    library(name)
    examples = words(150, seed)
    native = NativeTree(4, range(6), observer=observer, **SURE)
    learn, weights = TREES[name](6)
    ours, theirs = [], []
    for x, label, weight in examples:
        native.learn(x, label, weight)
        theirs.append(learn(x, label, weight))
        ours.append(native.n_nodes)
    assert ours == theirs
    assert native.n_nodes >= 5
    for x, _, _ in examples[::7]:
        row = native.forest.arrays.nodes["link"][native.leaf(x)]
        found = native.forest.arrays.rows.weight[row]
        expected = weights(x)
        np.testing.assert_allclose(found, [expected.get(c, 0.0) for c in range(4)], atol=1e-9)

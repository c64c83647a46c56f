"""Native trees against those of scikit-multiflow and river: the same splits, at the same time.

As they are (stock), the trees of the libraries make the splits of a native tree where none of
these differences, all by design, comes into play:

- thresholds: native ones are rounded to float32, as the features are;
- equal gains: of features that gain the same a native tree takes the first, the others the last;
- worthless splits: on a tie a native tree still wants a gain, of what the leaf has seen itself;
  the others split by anything;
- minimum branch share: on a tie where no split keeps to it river forgets the statistics of the
  leaf, and scikit-multiflow splits all the same;
- no split as a candidate: it gains 0 in a native tree, so that a single feature must win against
  it; in the others it loses to everything;
- classes without a deviation yet (a weight of at most 1): a step at the mean in a native tree;
  river sends them right, and scikit-multiflow to the wrong side of the mean;
- smoothing of leaves: a class starts at 1 here and at 0 there, which the adapters even out.

Each is shown below, and with `matched` learners none is left.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest
from learner_cases import LIBRARY, Example, NativeTree, differ, fed, history, library

from topk_tune.data import load

FLOAT32 = 1e-6
"""Thresholds that agree but for their rounding to float32."""

SURE = {"grace": 20.5, "confidence": 0.05, "tie": 1e-3, "max_nodes": 255}
"""Only splits that are better than others by the bound."""

LATE = SURE | {"grace": 40.5, "tie": 0.12}
"""Ties as well, but with much weight: one feature is then better than the others."""

TIED = {"grace": 6.3, "confidence": 0.3, "tie": 0.8, "max_nodes": 61}
"""As a booster may draw them: most splits are ties, and the budget is soon used up."""


def yeast(n_rows: int, seed: int) -> list[Example]:
    data = load("yeast")
    return list(fed(data.X_train[:n_rows], data.Y_train[:n_rows], seed))


def synthetic(n_rows: int, seed: int) -> list[Example]:
    """Four classes by the signs of two of six features, with some noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 6))
    label = 2 * (X[:, 1] > 0) + (X[:, 4] + 0.2 * rng.normal(size=n_rows) > 0.3)
    return list(fed(X, np.eye(4)[label.astype(int)], seed))


def noise(n_rows: int) -> list[Example]:
    """Labels that have nothing to do with the features."""
    rng = np.random.default_rng(0)
    return list(fed(rng.normal(size=(n_rows, 2)), np.eye(2)[rng.integers(2, size=n_rows)], 0))


STREAMS = {
    "yeast": (yeast(150, 1), 14, [70, 3, 41, 88, 16, 5], LATE),
    "synthetic": (synthetic(600, 2), 4, [4, 0, 1, 3, 2, 5], SURE),
}


@LIBRARY
@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("tied", [False, True])
def test_matched_trees_make_the_same_splits_at_the_same_rounds(name, stream, tied) -> None:
    examples, n_classes, covariates, settings = STREAMS[stream]
    settings = TIED if tied else settings
    native = NativeTree(n_classes, covariates, **settings)
    other = library(name)(n_classes, covariates, matched=True, **settings)
    ours = history(native, examples)
    assert ours == history(other, examples)
    assert len(ours) >= (15 if tied else 2)
    assert native.n_attempts == other.n_attempts > len(ours)
    for x, _, _ in examples[::7]:
        np.testing.assert_allclose(native.distribution(x), other.distribution(x), atol=1e-12)


@LIBRARY
@pytest.mark.parametrize("stream", STREAMS)
def test_stock_trees_make_the_same_splits_where_they_are_sure(name, stream) -> None:
    examples, n_classes, covariates, settings = STREAMS[stream]
    native = NativeTree(n_classes, covariates, **settings)
    stock = library(name)(n_classes, covariates, **settings)
    ours = history(native, examples)
    assert len(ours) >= 2
    assert differ(ours, history(stock, examples), FLOAT32) is None
    assert native.n_attempts == stock.n_attempts
    for x, _, _ in examples[::7]:
        np.testing.assert_allclose(native.distribution(x), stock.distribution(x), atol=1e-6)


def three(name, n_classes, covariates, settings, examples):
    """What a native tree, a stock one and a matched one do with a stream."""
    make = library(name)
    trees = (
        NativeTree(n_classes, covariates, **settings),
        make(n_classes, covariates, **settings),
        make(n_classes, covariates, matched=True, **settings),
    )
    return [history(tree, examples) for tree in trees]


@LIBRARY
def test_difference_rounding_of_thresholds(name) -> None:
    examples, n_classes, covariates, _ = STREAMS["synthetic"]
    native, stock, matched = three(name, n_classes, covariates, SURE, examples)
    assert [split[3] for split in native] != [split[3] for split in stock]
    assert differ(native, stock, FLOAT32) is None
    assert native == matched


@LIBRARY
def test_difference_equal_gains(name) -> None:
    twice = [([*x, x[1]], label, weight) for x, label, weight in synthetic(60, 3)]
    settings = SURE | {"tie": 0.9}
    native, stock, matched = three(name, 4, [1, 6], settings, twice)
    assert (native[0][0], native[0][2]) == (stock[0][0], 1)
    assert stock[0][2] == 6
    assert native == matched


@LIBRARY
def test_difference_worthless_splits(name) -> None:
    """The leaves of the first split have inherited both classes, and see only one more."""
    examples = synthetic(300, 7)
    once = [(x, int(label >= 2), weight) for x, label, weight in examples[:60]]
    only = [(x, 0, weight) for x, _, weight in examples[60:]]
    native, stock, matched = three(name, 2, [1, 4], SURE | {"grace": 40.5, "tie": 0.9}, once + only)
    assert len(stock) > len(native) > 0
    assert native == matched


@LIBRARY
def test_difference_minimum_branch_share(name) -> None:
    """Two classes in one place, and far away next to nothing."""
    rows = [([1000.0], 0, 0.001), ([0.0], 0, 5.0), ([0.0], 1, 5.0)]
    settings = SURE | {"grace": 9.0, "tie": 9.0}
    native, stock, matched = three(name, 2, [0], settings, rows)
    assert native == matched == []
    tree = library(name)(2, [0], **settings)
    history(tree, rows)
    assert len(stock) == (0 if name == "river" else 1)
    assert tree._n_estimators() == 0
    history(same := library(name)(2, [0], matched=True, **settings), rows)
    assert same._n_estimators() == 2


@LIBRARY
def test_difference_no_split_as_a_candidate(name) -> None:
    native, stock, matched = three(name, 2, [1], SURE, noise(100))
    assert len(stock) > len(native)
    assert native == matched


@LIBRARY
def test_difference_classes_without_a_deviation(name) -> None:
    """Both classes weigh less than 1, and lie on either side of 0."""
    rows = [([-1.0], 0, 0.3), ([1.0], 1, 0.3), ([-0.2], 0, 0.3), ([0.2], 1, 0.3)]
    settings = SURE | {"grace": 1.1, "tie": 5.0}
    native, stock, matched = three(name, 2, [0], settings, rows)
    assert native == matched
    tree = library(name)(2, [0], **settings)
    history(tree, rows)
    right = NativeTree(2, [0], **settings)
    history(right, rows)
    assert stock != native or tree.distribution([-0.9]) != right.distribution([-0.9])


@LIBRARY
def test_difference_smoothing_of_leaves(name) -> None:
    tree = library(name)(3, [0, 1], **SURE)
    assert tree.distribution([0.0, 0.0]) == [1 / 3] * 3
    tree.learn([0.0, 0.0], 2, 5.0)
    np.testing.assert_allclose(tree.distribution([0.0, 0.0]), [1 / 8, 1 / 8, 6 / 8])
    if name == "river":
        assert tree.tree.predict_proba_one({0: 0.0, 1: 0.0}) == {2: 1.0}
    else:
        assert tree.tree.predict_proba(np.zeros((1, 2))).tolist() == [[0.0, 0.0, 1.0]]


@LIBRARY
def test_a_weight_of_zero_changes_nothing(name) -> None:
    examples, n_classes, covariates, _ = STREAMS["synthetic"]
    zeros = [(x, (label + 1) % 4, 0.0) for x, label, _ in examples]
    mixed = [example for pair in zip(zeros, examples, strict=True) for example in pair]
    plain, fed_zeros = (library(name)(n_classes, covariates, **TIED) for _ in range(2))
    history(plain, examples[:200])
    history(fed_zeros, mixed[:400])
    assert plain.splits() == fed_zeros.splits()
    assert plain.distribution(examples[0][0]) == fed_zeros.distribution(examples[0][0])


@LIBRARY
@pytest.mark.parametrize("max_nodes", [1, 2, 3, 8])
def test_a_tree_at_its_budget_keeps_its_shape_and_goes_on_learning(name, max_nodes) -> None:
    settings = TIED | {"max_nodes": max_nodes}
    examples = synthetic(80, 5)
    native = NativeTree(4, [4, 1], **settings)
    other = library(name)(4, [4, 1], matched=True, **settings)
    assert history(native, examples) == history(other, examples)
    assert other.n_nodes <= max_nodes
    assert other.frozen
    assert other._n_estimators() == 0
    before = other.distribution(examples[0][0])
    for tree in (native, other):
        tree.learn(*examples[0])
    assert other.distribution(examples[0][0]) != before
    np.testing.assert_allclose(
        native.distribution(examples[0][0]), other.distribution(examples[0][0])
    )


@LIBRARY
def test_a_copy_goes_its_own_way(name) -> None:
    examples = synthetic(60, 6)
    tree = library(name)(4, [4, 1], **TIED)
    history(tree, examples[:30])
    before = tree.distribution(examples[0][0])
    other = copy.deepcopy(tree)
    history(other, examples[30:])
    assert tree.distribution(examples[0][0]) == before
    history(tree, examples[30:])
    assert tree.splits() == other.splits()

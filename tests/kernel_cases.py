"""What kernels are called with: forests, scratch space and rows, of any shape and kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from booster.features import blank_row, row_of
from booster.kernels.room import has_room
from booster.kernels.rounds import add_losses
from booster.kernels.rows import load_row
from booster.kernels.state import GAUSSIAN, Row, Rules, Trees, Work
from booster.learners import HoeffdingForest, TreeRanges
from booster.workspace import with_pairs, workspace


def forest_of(n_trees: int, n_features: int, n_classes: int, **others: Any) -> HoeffdingForest:
    """A forest of new trees that use all features and observe Gaussians, unless told otherwise."""
    usual = {
        "observer": GAUSSIAN,
        "bayes": False,
        "max_nodes": 255,
        "max_bytes": None,
        "n_covariates": n_features,
    }
    seed = others.pop("seed", 0)
    return HoeffdingForest(
        n_trees=n_trees,
        n_features=n_features,
        n_classes=n_classes,
        ranges=TreeRanges(),
        rng=np.random.default_rng(seed),
        **usual | others,
    )


def work_of(n_learners: int, n_labels: int, n_features: int = 8) -> Work:
    """The scratch space of a booster on Gaussians, with room for any pairs."""
    forest = forest_of(n_learners, n_features, n_labels)
    work = workspace(forest, n_features, n_labels, n_labels, np.ones(3))
    return with_pairs(work, n_labels)


def make_room(forest: HoeffdingForest, trees: Trees, work: Work, n_fed: int) -> None:
    """Make room for a round in which each tree is fed so many labels."""
    bits = np.ones(n_fed, np.uint8)
    if not has_room(trees, forest.arrays, bits, n_fed, work):
        forest.make_room(work.more)
        assert has_room(trees, forest.arrays, bits, n_fed, work)


def mean_losses(rules: Rules, rate: float, scores: Any, prior: Any, Y: Any) -> list[float]:
    """The mean losses of some rows."""
    totals, spare = np.zeros(5), np.zeros((2, scores.shape[1]), np.int64)
    add_losses(rules, rate, scores, prior, Y, *spare, totals)
    return (totals / len(Y)).tolist()


def loaded(x: Any) -> Row:
    """A row as kernels have it."""
    row = blank_row(len(x))
    load_row(row_of(x, len(x)), 0, row)
    return row

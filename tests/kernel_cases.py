"""What kernels are called with: forests, scratch space and rows, of any shape and kind."""

from __future__ import annotations

from typing import Any

import numpy as np

from booster.features import blank_row, row_of
from booster.kernels.rows import load_row
from booster.kernels.state import GAUSSIAN, Row, Work
from booster.learners import HoeffdingForest, TreeRanges
from booster.workspace import workspace


def forest_of(n_trees: int, n_features: int, n_classes: int, **others: Any) -> HoeffdingForest:
    """A forest of new trees that use all features and observe Gaussians, unless told otherwise."""
    usual = {"observer": GAUSSIAN, "bayes": False, "max_nodes": 255, "n_covariates": n_features}
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
    """The scratch space of a booster on Gaussians."""
    return workspace(forest_of(n_learners, n_features, n_labels), n_features, n_labels, np.ones(3))


def loaded(x: Any) -> Row:
    """A row as kernels have it."""
    row = blank_row(len(x))
    load_row(row_of(x, len(x)), 0, row)
    return row

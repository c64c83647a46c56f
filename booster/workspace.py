"""Scratch space of the kernels, allocated once per booster."""

from __future__ import annotations

from typing import Any

import numpy as np

from booster.features import blank_row
from booster.kernels.cost import TOGETHER
from booster.kernels.state import (
    BINARY,
    CELL_VALUES,
    GAUSSIAN,
    INDEX,
    LANES,
    MOST_NOTES,
    NONE,
    THRESHOLDS,
    FloatArray,
    Found,
    Listed,
    Losses,
    Pairs,
    Pool,
    Search,
    Work,
)
from booster.learners import HoeffdingForest

LEAVES = 64
"""How many leaves of each tree remember what their features cannot gain; see `kernels.memo`."""

COUNTED = 4
"""How many leaves of each tree remember where their counted features are."""

REMEMBERED = 2**23
"""The most bytes that either of them takes; what no leaf has used yet takes none."""


def workspace(
    forest: HoeffdingForest, n_features: int, n_labels: int, n_seen: int, explored: FloatArray
) -> Work:
    """Return empty arrays of the sizes that a booster of this shape needs.

    `n_seen` is the number of labels with feedback. If it is all of them, `with_pairs` makes room
    for the label sets that there are: few labels are relevant, so it is much less than all pairs.
    """
    n_learners, lanes = forest.arrays.root.size, forest.lanes
    trees = forest.trees
    nonzero = 0 if trees.observer == GAUSSIAN else trees.n_covariates
    noted = 0 if trees.bayes else nonzero
    return Work(
        rng=np.zeros(1, np.uint64),
        node=np.zeros(n_learners, INDEX),
        active=np.zeros(n_learners, INDEX),
        nu=np.zeros(n_learners),
        h=np.zeros((n_learners, n_labels)),
        scores=np.zeros(n_labels),
        prefix=np.zeros(n_labels),
        labels=np.arange(n_labels),
        order=np.zeros(n_labels, np.int64),
        spare=np.zeros(n_labels, np.int64),
        bits=np.zeros(n_labels, np.uint8),
        inside=np.zeros(n_labels, np.int64),
        prior=np.zeros(n_labels),
        rate=np.zeros(1),
        explored=explored,
        probability=np.ones(3),
        inverse_probability=np.ones(3),
        row=blank_row(n_features),
        x=np.zeros(lanes),
        hits=np.zeros(nonzero + 1, INDEX),
        n_hits=np.zeros(1, np.int64),
        noted=np.full(1, NONE, np.int64),
        touched=np.zeros(1),
        more=np.zeros(6, np.int64),
        pairs=_pairs(n_labels, 0 if n_seen == n_labels else n_seen, n_seen),
        search=_search(
            n_labels,
            lanes,
            nonzero,
            _found(n_features, n_labels, noted, CELL_VALUES[trees.observer], n_learners),
        ),
    )


def with_pairs(work: Work, n_relevant: int, n_irrelevant: int = 0) -> Work:
    """Return a workspace with room for the pairs of so many labels; it never shrinks."""
    pairs = work.pairs
    rows, columns = pairs.weight.shape
    if rows >= n_relevant and columns >= n_irrelevant:
        return work
    room = max(rows, n_relevant), max(columns, n_irrelevant)
    return work._replace(pairs=_pairs(pairs.fed.size, *room))


def count_bytes(arrays: tuple[Any, ...]) -> int:
    """Return the bytes of the arrays in nested tuples."""
    return sum(
        count_bytes(value) if isinstance(value, tuple) else int(getattr(value, "nbytes", 0))
        for value in arrays
    )


def _pairs(n_labels: int, n_relevant: int, n_irrelevant: int) -> Pairs:
    sums = ("s_relevant", "fall", "fed")
    filled, n_irrelevant = _filled(n_labels), _filled(n_irrelevant)
    return Pairs(
        relevant=np.zeros(n_labels, np.int64),
        irrelevant=np.zeros(filled, np.int64),
        far=np.zeros(filled, np.int64),
        s_irrelevant=np.zeros(filled),
        rise=np.zeros(filled),
        weight=np.zeros((n_relevant, n_irrelevant)),
        slope=np.zeros((TOGETHER * n_relevant, n_irrelevant)),
        ahead=np.zeros((TOGETHER, n_relevant)),
        highest=np.zeros(TOGETHER),
        falls=np.zeros(TOGETHER * n_relevant),
        **{name: np.zeros(n_labels) for name in sums},
    )


def _filled(n: int) -> int:
    """Return so many, rounded up to whole vectors."""
    return -(-n // LANES) * LANES


def _search(n_labels: int, lanes: int, nonzero: int, found: Found) -> Search:
    by_class = ("mean", "scale")
    by_threshold = ("threshold", "position")
    by_candidate = ("gain", "share", "within")
    return Search(
        slots=np.zeros(n_labels, INDEX),
        classes=np.zeros(n_labels, INDEX),
        weight=np.zeros(n_labels),
        logs=np.zeros(n_labels),
        left=np.zeros(n_labels),
        low=np.zeros(lanes),
        step=np.zeros(lanes),
        per_step=np.zeros(lanes),
        bound=np.zeros(lanes, np.float32),
        error=np.zeros(lanes, np.float32),
        touched=np.zeros(nonzero, INDEX),
        slot=np.zeros(nonzero, INDEX),
        gains=np.zeros(nonzero),
        bounds=np.zeros(nonzero),
        cut=np.zeros(nonzero, np.float32),
        apart=np.zeros(n_labels),
        found=found,
        **{name: np.zeros((n_labels, lanes), np.float32) for name in by_class},
        **{name: np.zeros((THRESHOLDS, lanes), np.float32) for name in by_threshold},
        **{name: np.zeros(THRESHOLDS * lanes, np.float32) for name in by_candidate},
    )


def _found(
    n_features: int, n_labels: int, n_covariates: int, values: int, n_learners: int
) -> Found:
    """Return room for the notes of a leaf; none if the trees, without covariates, have no notes.

    A row is noted when there are fewer than MOST_NOTES words, and takes at most one for each
    covariate and three for each label.
    """
    some = n_covariates > 0
    hits = some * MOST_NOTES + n_covariates
    labels = some * (MOST_NOTES // 3 + n_labels)
    of_feature = 4 + (1 + 2 * values) * n_labels
    words = max(MOST_NOTES + 1 + 2 * n_covariates + 3 * n_labels, of_feature)
    by_feature = ("feature", "page", "at", "n_cells", "start", "n_hits", "chosen")
    return Found(
        place=np.zeros(some * n_features, INDEX),
        weight=np.zeros(n_covariates),
        row=np.zeros(hits + 1, INDEX),
        value=np.zeros(hits + 1 if values > CELL_VALUES[BINARY] else 0, np.float32),
        words=np.zeros(some * words, INDEX),
        hits=np.zeros(hits, INDEX),
        first=np.zeros(hits + 1, INDEX),
        label=np.zeros(labels, INDEX),
        label_weight=np.zeros(labels),
        cell=np.zeros(some * n_labels, INDEX),
        of_cells=np.zeros(some * of_feature, INDEX),
        cells=Pool(
            key=np.zeros(some * n_labels, INDEX),
            value=np.zeros((some * n_labels, values)),
            vacant=np.zeros(0, INDEX),
        ),
        listed=_listed(_places(COUNTED * n_learners, 24 * n_covariates), n_covariates),
        losses=_losses(_places(LEAVES * n_learners, 4 * n_covariates), n_covariates),
        **{name: np.zeros(n_covariates, INDEX) for name in by_feature},
    )


def _places(most: int, bytes_each: int) -> int:
    """Return how many leaves can be remembered: so many, if they take little room."""
    return max(1, min(most, REMEMBERED // max(1, bytes_each)))


def _listed(places: int, n_covariates: int) -> Listed:
    by_feature = ("feature", "n_cells", "page", "at")
    return Listed(
        row=np.full(places, NONE, INDEX),
        weight=np.zeros((places, n_covariates)),
        end=np.zeros((places, 2), INDEX),
        **{name: np.zeros((places, n_covariates), INDEX) for name in by_feature},
    )


def _losses(places: int, n_covariates: int) -> Losses:
    return Losses(
        row=np.full(places, NONE, INDEX), least=np.zeros((places, n_covariates), np.float32)
    )


def forget(work: Work) -> None:
    """Forget what is remembered of leaves: they are other ones now."""
    found = work.search.found
    found.listed.row[:] = NONE
    found.losses.row[:] = NONE

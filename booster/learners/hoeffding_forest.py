"""A forest of Hoeffding trees (VFDT), each with its own random covariates and parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.kernels.state import (
    BLOCK_SIZES,
    CELL_VALUES,
    CELLS,
    ENTRIES,
    FREE,
    FROZEN,
    GAUSSIAN,
    INDEX,
    LANES,
    LEAF,
    LOG_MASS,
    MORE_CELLS,
    MORE_ENTRIES,
    MORE_SLOTS,
    N_COUNTS,
    NODE,
    NODES,
    NONE,
    ROWS,
    SLOTS,
    Forest,
    IntArray,
    Pool,
    Rows,
    Slots,
    Trees,
)
from booster.parameters import Range, interval

GROWTH = 1.5

_HEAVIEST = 1e100
"""The largest weight multiplier: sums and products of weights stay finite."""


@dataclass(frozen=True)
class TreeRanges:
    """The ranges from which each tree draws its parameters (as in the full-information code).

    Parameters
    ----------
    split_confidence
        One minus the confidence of the Hoeffding bound; drawn log-uniformly.
    tie_threshold
        A leaf splits despite a tie once the bound is below this; drawn log-uniformly.
    grace_period
        The weight a leaf must see between two split attempts; drawn uniformly.
    weight_multiplier
        Multiplies the weights of labels; drawn uniformly.
    """

    split_confidence: Range = (0.01, 0.9)
    tie_threshold: Range = (0.01, 0.9)
    grace_period: Range = (5.0, 20.0)
    weight_multiplier: Range = (3.0, 10.0)

    def checked(self) -> TreeRanges:
        """Check every range and return the ranges."""
        return TreeRanges(
            split_confidence=interval("split_confidence", self.split_confidence, most=1.0),
            tie_threshold=interval("tie_threshold", self.tie_threshold),
            grace_period=interval("grace_period", self.grace_period),
            weight_multiplier=interval("weight_multiplier", self.weight_multiplier, most=_HEAVIEST),
        )


class HoeffdingForest:
    """N Hoeffding trees over m classes in shared flat arrays that grow by reallocation.

    A tree with `max_nodes` nodes stops splitting. Its leaves continue to learn class weights, and
    drop the attribute statistics, which only splitting needs.

    Parameters
    ----------
    n_trees, n_features, n_classes
        The shape of the forest.
    n_covariates
        The number of features, chosen at random, that each tree uses.
    observer
        What leaves observe: GAUSSIAN, BINARY or SPARSE of `booster.kernels.state`.
    bayes
        Whether leaves predict by naive Bayes.
    max_nodes
        The largest number of nodes (splits and leaves) of a tree.
    ranges
        The ranges from which each tree draws its parameters.
    rng
        The random generator.
    """

    def __init__(
        self,
        *,
        n_trees: int,
        n_features: int,
        n_classes: int,
        n_covariates: int,
        observer: int,
        bayes: bool,
        max_nodes: int,
        ranges: TreeRanges,
        rng: np.random.Generator,
    ) -> None:
        self.trees = _draw_trees(
            rng,
            ranges,
            n_trees,
            n_features,
            n_covariates,
            observer,
            bayes,
            max_nodes,
        )
        self.arrays = _seedlings(n_classes, self.trees)
        if self.trees.max_nodes < 3:
            self.arrays.frozen[:] = FROZEN

    @property
    def lanes(self) -> int:
        """The number of covariates, padded for vector instructions."""
        return int(self.trees.covariates.shape[1])

    @property
    def nbytes(self) -> int:
        """The current memory of the forest."""
        forest = self.arrays
        pools = (*forest.entries, *forest.cells)
        grown = (forest.nodes, *forest.rows, *forest.slots, forest.free, *pools)
        return sum(array.nbytes for array in grown)

    def make_room(self, n_fed: int, needed: IntArray) -> None:
        """Grow the arrays for at least one round in which each tree is fed `n_fed` labels.

        `needed` is `Work.more`: what such a round may need of places for observations.
        """
        forest, counts = self.arrays, self.arrays.counts
        most = forest.root.size * n_fed
        slots = _size(forest.free, counts[SLOTS] - counts[FREE] + max(needed[MORE_SLOTS], most))
        rows = _size(forest.rows.tree, counts[ROWS] + most)
        self.arrays = forest._replace(
            nodes=_resized(forest.nodes, _size(forest.nodes, counts[NODES] + 2 * most)),
            rows=Rows(*(_resized(array, rows) for array in forest.rows)),
            slots=Slots(*(_resized(array, slots) for array in forest.slots)),
            free=_resized(forest.free, slots),
            entries=_enlarged(forest.entries, counts[ENTRIES] + needed[MORE_ENTRIES]),
            cells=_enlarged(forest.cells, counts[CELLS] + needed[MORE_CELLS]),
        )

    def bounded_bytes(self) -> int:
        """The upper limit of the memory of the forest.

        Every tree is at its node limit and every leaf has every class, with room for one round
        and the spare room that growing leaves.
        """
        n_trees, n_classes = self.arrays.root.size, self.arrays.rows.weight.shape[1]
        round_most = n_trees * n_classes
        nodes = n_trees * self.trees.max_nodes + 2 * round_most
        rows = n_trees * (self.trees.max_nodes + 1) // 2 + round_most
        slots = n_trees * (self.trees.max_nodes + 1) // 2 * n_classes + round_most
        node, row, slot = bytes_each(n_classes, self.lanes)
        vacant = self.arrays.entries.vacant.nbytes + self.arrays.cells.vacant.nbytes
        return int(GROWTH * (nodes * node + rows * row + slots * slot)) + vacant


def bytes_each(n_classes: int, lanes: int) -> tuple[int, int, int]:
    """Return the bytes of a node, of the row of a leaf, and of the slot of a class in a leaf."""
    owner = 3 * 4  # its block, which Gaussians do not use
    return NODE.itemsize, 4 + 8 + 8 + 12 * n_classes + owner, 8 + 24 * lanes + 4 + owner


def _draw_trees(
    rng: np.random.Generator,
    ranges: TreeRanges,
    n_trees: int,
    n_features: int,
    n_covariates: int,
    observer: int,
    bayes: bool,
    max_nodes: int,
) -> Trees:
    by_place = observer == GAUSSIAN
    lanes = -(-n_covariates // LANES) * LANES if by_place else 0
    words = 0 if by_place or n_covariates == n_features else -(-n_features // 32)
    covariates = np.zeros((n_trees, lanes), INDEX)
    member = np.zeros((n_trees, words), np.uint32)
    for tree in range(n_trees):
        chosen = rng.choice(n_features, n_covariates, replace=False)
        if by_place:
            covariates[tree, :n_covariates] = chosen
        elif words:
            bits = np.zeros(32 * words, np.uint8)
            bits[chosen] = 1
            member[tree] = np.packbits(bits, bitorder="little").view("<u4")
    return Trees(
        covariates=covariates,
        member=member,
        observer=observer,
        bayes=bayes,
        n_covariates=n_covariates,
        multiplier=rng.uniform(*ranges.weight_multiplier, n_trees),
        grace=rng.uniform(*ranges.grace_period, n_trees),
        log_confidence=-_log_uniform(rng, ranges.split_confidence, n_trees),
        tie=np.exp(_log_uniform(rng, ranges.tie_threshold, n_trees)),
        max_nodes=max_nodes,
        screened=True,
    )


def _log_uniform(rng: np.random.Generator, limits: Range, size: int) -> NDArray[np.float64]:
    """Return logarithms of log-uniform numbers."""
    return rng.uniform(math.log(limits[0]), math.log(limits[1]), size)


def _seedlings(n_classes: int, trees: Trees) -> Forest:
    """Return a forest in which every tree is a single leaf without observations."""
    n_trees, lanes = trees.covariates.shape
    observer, bayes = trees.observer, int(trees.bayes)
    by_class, by_feature = (n_classes, 0) if observer == GAUSSIAN else (0, n_classes)
    initial = np.zeros((n_trees, 3, bayes * n_classes))
    initial[:, LOG_MASS] = math.log(trees.n_covariates)
    counts = np.zeros(N_COUNTS, np.int64)
    counts[NODES] = counts[ROWS] = n_trees
    nodes = np.zeros(n_trees, NODE)
    nodes["feature"] = LEAF
    nodes["link"] = np.arange(n_trees)
    return Forest(
        root=np.arange(n_trees, dtype=INDEX),
        tree_nodes=np.ones(n_trees, np.int64),
        frozen=np.zeros(n_trees, np.uint8),
        nodes=nodes,
        rows=Rows(
            tree=np.arange(n_trees, dtype=INDEX),
            total=np.zeros(n_trees),
            tried=np.zeros(n_trees),
            weight=np.zeros((n_trees, n_classes)),
            slot=np.full((n_trees, by_class), NONE, INDEX),
            observed=np.zeros((n_trees, by_feature)),
            bayes=initial,
            block=np.full(n_trees, NONE, INDEX),
            bits=np.zeros(n_trees, INDEX),
            used=np.zeros(n_trees, INDEX),
        ),
        slots=Slots(
            weight=np.zeros(0),
            moments=np.zeros((0, 2, lanes)),
            limits=np.zeros((0, 2, lanes), np.float32),
            block=np.zeros(0, INDEX),
            bits=np.zeros(0, INDEX),
            used=np.zeros(0, INDEX),
        ),
        free=np.zeros(0, INDEX),
        entries=_pool(1, INDEX),
        cells=_pool(CELL_VALUES[observer] + bayes, np.float64),
        counts=counts,
    )


def _pool(values: int, dtype: Any) -> Pool:
    """Return a pool without blocks."""
    return Pool(
        key=np.zeros(0, INDEX),
        value=np.zeros((0, values), dtype),
        vacant=np.full(BLOCK_SIZES, NONE, INDEX),
    )


def _enlarged(pool: Pool, needed: int) -> Pool:
    size = _size(pool.key, needed)
    return Pool(_resized(pool.key, size), _resized(pool.value, size), pool.vacant)


def _size(array: NDArray[Any], needed: int) -> int:
    """Return the length of an array, or a greater one if more is needed."""
    return len(array) if needed <= len(array) else max(int(GROWTH * len(array)), needed)


def _resized(array: NDArray[Any], size: int) -> NDArray[Any]:
    if size == len(array):
        return array
    larger = np.zeros((size, *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger

"""A forest of Hoeffding trees (VFDT), each with its own random covariates and parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from booster.kernels.state import FROZEN, GAUSSIAN, INDEX, LANES, IntArray, Trees
from booster.learners.forest_arrays import (
    LEAST_GROWTH,
    bounded_bytes,
    bytes_each,
    enlarged,
    held_bytes,
    seedlings,
)
from booster.parameters import Range, interval

UNLIMITED = 2**62
"""More memory than there is."""

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
    drop the attribute statistics, which only splitting needs. All trees do this when a round could
    take more than `max_bytes`. With naive Bayes, leaves keep the statistics, but add none.

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
    max_bytes
        The most memory of the forest, or None for no other limit than `max_nodes`.
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
        max_bytes: int | None,
        ranges: TreeRanges,
        rng: np.random.Generator,
    ) -> None:
        trees = _draw_trees(
            rng, ranges, n_trees, n_features, n_covariates, observer, bayes, max_nodes
        )
        self.arrays = seedlings(n_classes, trees)
        self.trees = trees._replace(bytes_each=bytes_each(self.arrays))
        if max_bytes is not None:
            least = LEAST_GROWTH * self.nbytes
            if max_bytes < least:
                raise ValueError(
                    f"max_bytes must be at least {math.ceil(least)}, which {n_trees} trees without "
                    f"observations take, but got {max_bytes}"
                )
            self.trees = self.trees._replace(most_bytes=int(max_bytes / LEAST_GROWTH))
        if self.trees.max_nodes < 3:
            self.arrays.frozen[:] = FROZEN

    @property
    def lanes(self) -> int:
        """The number of covariates, padded for vector instructions."""
        return int(self.trees.covariates.shape[1])

    @property
    def nbytes(self) -> int:
        """The current memory of the forest."""
        return held_bytes(self.arrays, self.trees)

    def make_room(self, more: IntArray) -> None:
        """Grow the arrays for a round that adds `more`; see `Work.more`."""
        self.arrays = enlarged(self.arrays, self.trees, more)

    @property
    def bounded_bytes(self) -> int:
        """The upper limit of the memory of the forest."""
        return bounded_bytes(self.arrays, self.trees)


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
        bytes_each=np.zeros(6, np.int64),
        most_bytes=UNLIMITED,
        screened=True,
    )


def _log_uniform(rng: np.random.Generator, limits: Range, size: int) -> NDArray[np.float64]:
    """Return logarithms of log-uniform numbers."""
    return rng.uniform(math.log(limits[0]), math.log(limits[1]), size)

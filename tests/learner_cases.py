"""One native tree as a learner of its own, streams of weighted labels, and what trees did."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from kernel_cases import forest_of, make_room

from booster.features import row_of
from booster.kernels.leaf import learn
from booster.kernels.rounds import look
from booster.kernels.route import distribution
from booster.kernels.rows import gather, load_row
from booster.kernels.state import ATTEMPTS, GAUSSIAN, LEAF
from booster.plugins import MissingPackageError
from booster.tables import LEARNERS, NATIVE
from booster.workspace import workspace

Example = tuple[list[float], int, float]
"""A row, a label and its weight."""

Split = tuple[int, str, int, float]
"""The example after which it was made, the path to it, its feature and its threshold."""


def library(name: str) -> Any:
    """The adapter of a library; a test that needs it is skipped where it is missing."""
    try:
        return LEARNERS.load(name)
    except MissingPackageError as error:
        pytest.skip(str(error))


LIBRARIES = [name for name in LEARNERS.own if name != NATIVE]
LIBRARY = pytest.mark.parametrize("name", LIBRARIES)


class NativeTree:
    """One tree of the compiled forest, with the protocol of a weak learner."""

    def __init__(
        self,
        n_classes: int,
        covariates: Sequence[int],
        *,
        grace: float,
        confidence: float,
        tie: float,
        max_nodes: int,
        observer: int = GAUSSIAN,
    ) -> None:
        self.n_features = max(covariates) + 1
        self.forest = forest_of(
            1,
            self.n_features,
            n_classes,
            n_covariates=len(covariates),
            max_nodes=max_nodes,
            observer=observer,
        )
        born = self.forest.trees
        if observer == GAUSSIAN:
            born.covariates[0, : born.n_covariates] = covariates
        self.trees = born._replace(
            grace=np.array([grace]),
            log_confidence=np.array([-math.log(confidence)]),
            tie=np.array([tie]),
        )
        self.work = workspace(self.forest, self.n_features, n_classes, n_classes, np.ones(3))
        self.h = np.empty(n_classes)

    def leaf(self, x: Sequence[float]) -> int:
        nodes, node = self.forest.arrays.nodes, 0
        while nodes["feature"][node] != LEAF:
            threshold, feature, link = nodes[node].tolist()
            node = link + int(x[feature] > threshold)
        return node

    def learn(self, x: Sequence[float], label: int, weight: float) -> None:
        if weight == 0.0:
            return
        load_row(row_of(x[: self.n_features], self.n_features), 0, self.work.row)
        self.work.node[0] = self.leaf(x)
        make_room(self.forest, self.trees, self.work, 1)
        if self.trees.observer == GAUSSIAN:
            gather(self.trees, 0, self.work.row, self.work.x)
        else:
            look(self.trees, 0, self.work)
        learn(self.forest.arrays, self.trees, 0, self.leaf(x), label, weight, self.work)

    def distribution(self, x: Sequence[float]) -> list[float]:
        link = self.forest.arrays.nodes["link"][self.leaf(x)]
        distribution(self.forest.arrays.rows, link, self.h)
        return self.h.tolist()

    @property
    def n_nodes(self) -> int:
        return int(self.forest.arrays.tree_nodes[0])

    @property
    def n_attempts(self) -> int:
        return int(self.forest.arrays.counts[ATTEMPTS])

    def splits(self) -> list[tuple[str, int, float]]:
        found, pending = [], [("", 0)]
        while pending:
            path, node = pending.pop()
            threshold, feature, link = self.forest.arrays.nodes[node].tolist()
            if feature != LEAF:
                found.append((path, feature, threshold))
                pending += [(f"{path}{side}", link + side) for side in range(2)]
        return sorted(found)


def history(tree: Any, stream: Iterable[Example]) -> list[Split]:
    """Feed a stream; returns the splits in the order in which they were made."""
    made: dict[str, Split] = {}
    nodes = 1
    for t, (x, label, weight) in enumerate(stream):
        tree.learn(x, label, weight)
        if tree.n_nodes != nodes:
            nodes = tree.n_nodes
            for path, feature, threshold in tree.splits():
                made.setdefault(path, (t, path, feature, threshold))
    return list(made.values())


def differ(ours: list[Split], theirs: list[Split], tolerance: float) -> str | None:
    """The first split in which two histories differ, in words."""
    for one, other in zip(ours, theirs, strict=False):
        same_place = one[:3] == other[:3]
        if not same_place or not math.isclose(one[3], other[3], rel_tol=tolerance, abs_tol=1e-7):
            return f"{one} and {other}"
    if len(ours) != len(theirs):
        return f"{len(ours)} and {len(theirs)} splits"
    return None


def fed(X: Any, Y: Any, seed: int, loops: int = 1, low: float = 0.1) -> Iterator[Example]:
    """Rows of a multilabel stream as a booster feeds them: each relevant label, by a weight."""
    rng = np.random.default_rng(seed)
    for _ in range(loops):
        for x, y in zip(X, Y, strict=True):
            row = np.asarray(x, np.float32).tolist()
            for label in rng.permutation(np.flatnonzero(y)).tolist():
                yield row, label, float(rng.uniform(low, 10.0))

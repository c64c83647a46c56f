"""What a booster asks of a weak learner that is not native."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from booster.kernels.state import Trees
from booster.tables import LEARNERS


class WeakLearner(Protocol):
    """Gives a distribution over labels and learns from weighted labels.

    It is made as `make_learners` does, with what a native tree of its number is born with.

    Parameters
    ----------
    n_classes
        The number of labels.
    covariates
        The features that it may look at; rows come whole.
    grace
        The weight that a leaf must see between two split attempts.
    confidence
        One minus the confidence of the Hoeffding bound.
    tie
        A split is made all the same once the bound is below this.
    max_nodes
        The most nodes that it may have.
    matched
        Whether it is to decide as a native tree; tests of libraries of trees ask for it.
    """

    def __init__(
        self,
        n_classes: int,
        covariates: Sequence[int],
        *,
        grace: float,
        confidence: float,
        tie: float,
        max_nodes: int,
        matched: bool = False,
    ) -> None: ...

    def distribution(self, x: Sequence[float]) -> Sequence[float]:
        """What it thinks of a row: a number for every label, all together 1."""
        ...

    def learn(self, x: Sequence[float], label: int, weight: float) -> None:
        """Learn that a row has a label, by its weight; a weight of 0 changes nothing."""
        ...

    @property
    def n_nodes(self) -> int:
        """How many nodes it has."""
        ...

    @property
    def n_attempts(self) -> int:
        """How often it looked for a split."""
        ...

    @property
    def nbytes(self) -> int:
        """About how much memory it holds."""
        ...

    @property
    def bounded_bytes(self) -> int:
        """About the most memory that it can ever hold."""
        ...


def make_learners(
    name: str, trees: Trees, n_classes: int, matched: bool = False
) -> list[WeakLearner]:
    """Learners of a library, each with what a native tree of the same number is born with.

    `matched` ones also decide as native trees do where the two differ by design.
    """
    make: type[WeakLearner] = LEARNERS.load(name)
    return [
        make(
            n_classes,
            trees.covariates[i, : trees.n_covariates].tolist(),
            grace=float(trees.grace[i]),
            confidence=math.exp(-trees.log_confidence[i]),
            tie=float(trees.tie[i]),
            max_nodes=trees.max_nodes,
            matched=matched,
        )
        for i in range(len(trees.grace))
    ]

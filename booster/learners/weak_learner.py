"""The protocol of weak learners that are not native."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from booster.kernels.state import Trees
from booster.tables import LEARNERS


class WeakLearner(Protocol):
    """Gives a distribution over labels and learns from weighted labels.

    `make_learners` makes it with the parameters of the native tree of the same number.

    Parameters
    ----------
    n_classes
        The number of labels.
    covariates
        The features that it may use; it gets whole rows.
    grace
        The weight that a leaf must see between two split attempts.
    confidence
        One minus the confidence of the Hoeffding bound.
    tie
        A leaf splits despite a tie once the bound is below this.
    max_nodes
        The largest number of nodes.
    matched
        Whether to decide like a native tree; tests of tree libraries use it.
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
        """Return a distribution for a row: a number for every label, summing to 1."""
        ...

    def learn(self, x: Sequence[float], label: int, weight: float) -> None:
        """Learn that a row has a label, with a weight; a weight of 0 changes nothing."""
        ...

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        ...

    @property
    def n_attempts(self) -> int:
        """The number of split attempts."""
        ...

    @property
    def nbytes(self) -> int:
        """The approximate memory it holds."""
        ...

    @property
    def bounded_bytes(self) -> int:
        """The approximate upper limit of its memory."""
        ...


def make_learners(
    name: str, trees: Trees, n_classes: int, matched: bool = False
) -> list[WeakLearner]:
    """Return learners of a library, each with the parameters of the native tree of its number.

    With `matched`, they also decide like native trees where the two differ by design.
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

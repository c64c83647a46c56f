"""How often each label was taught, whatever the features: as little as a weak learner can be."""

from __future__ import annotations

from collections.abc import Sequence


class Frequency:
    """A tree of one leaf.

    Parameters
    ----------
    n_classes
        The number of labels.
    covariates
        The features that it might look at.
    grace, confidence, tie, max_nodes, matched
        What a tree that splits would be born with.
    """

    n_nodes = 1
    n_attempts = 0

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
    ) -> None:
        self._weights = [1.0] * n_classes

    def distribution(self, x: Sequence[float]) -> list[float]:
        """The shares of the labels, each of which starts at 1."""
        total = sum(self._weights)
        return [weight / total for weight in self._weights]

    def learn(self, x: Sequence[float], label: int, weight: float) -> None:
        """Add to the weight of a label."""
        self._weights[label] += weight

    @property
    def nbytes(self) -> int:
        """About how much memory it holds."""
        return 32 * len(self._weights)

    @property
    def bounded_bytes(self) -> int:
        """It never grows."""
        return self.nbytes

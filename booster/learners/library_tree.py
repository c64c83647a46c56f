"""The common base of adapters to trees of other libraries: leaves, weights and node limit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

NODE_BYTES = 900
"""The approximate memory of a node with its class weights, measured in both libraries."""

NEVER = 10**18
"""A period between memory estimates that is never reached, because `max_nodes` bounds the trees."""


class LibraryTree(ABC):
    """A Hoeffding tree of another library with the interface of a native one.

    Parameters
    ----------
    n_classes
        The number of labels.
    covariates
        The features that it uses.
    grace, confidence, tie
        The grace period, one minus the confidence of the bound, and the tie threshold.
    max_nodes
        The largest number of nodes. Beyond it the shape is fixed, and leaves learn class weights.
    matched
        Whether it decides like a native tree where the two differ by design.
    """

    estimator_bytes: int
    """The approximate memory of the Gaussian of one class and covariate in a leaf; measured."""

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
        self.n_classes = n_classes
        self.covariates = tuple(covariates)
        self.max_nodes = max_nodes
        self.tree = self._made(grace, confidence, tie, matched)
        self.frozen = False
        self._keep_budget()

    def distribution(self, x: Sequence[float]) -> list[float]:
        """Return the class weights of the leaf, each starting at 1, normalised."""
        weights = self._class_weights(x)
        scale = 1.0 / (self.n_classes + sum(weights.values()))
        h = [scale] * self.n_classes
        for label, weight in weights.items():
            h[label] = (1.0 + weight) * scale
        return h

    def learn(self, x: Sequence[float], label: int, weight: float) -> None:
        """Feed a weighted label. A weight of 0, which libraries treat differently, does nothing."""
        if weight > 0.0:
            self._learn(x, label, weight)
            self._keep_budget()

    def _keep_budget(self) -> None:
        if not self.frozen and self.n_nodes + 2 > self.max_nodes:
            self.frozen = True
            self._freeze()

    @property
    def nbytes(self) -> int:
        """The approximate memory of its nodes and their Gaussians."""
        return self.n_nodes * NODE_BYTES + self._n_estimators() * self.estimator_bytes

    @property
    def bounded_bytes(self) -> int:
        """The same for a tree at its node limit, every leaf with every class."""
        estimators = (self.max_nodes + 1) // 2 * self.n_classes * len(self.covariates)
        return self.max_nodes * NODE_BYTES + estimators * self.estimator_bytes

    @property
    @abstractmethod
    def n_nodes(self) -> int:
        """The number of nodes."""

    @property
    def n_attempts(self) -> int:
        """The number of split attempts."""
        return int(self.tree.n_attempts)

    @abstractmethod
    def _made(self, grace: float, confidence: float, tie: float, matched: bool) -> Any:
        """Return the library's tree, a single leaf, which also counts its split attempts."""

    @abstractmethod
    def splits(self) -> list[tuple[str, int, float]]:
        """Return path ("0" for left, "1" for right), feature and threshold of every split."""

    @abstractmethod
    def _class_weights(self, x: Sequence[float]) -> Mapping[int, float]:
        """Return the class weights of the leaf that a row falls into."""

    @abstractmethod
    def _learn(self, x: Sequence[float], label: int, weight: float) -> None:
        """Feed the library's tree."""

    @abstractmethod
    def _freeze(self) -> None:
        """Fix the shape of the tree, and drop what only splitting needs."""

    @abstractmethod
    def _n_estimators(self) -> int:
        """Return the number of Gaussians: one for each class and covariate that a leaf has seen."""

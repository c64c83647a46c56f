"""What the trees of other libraries have in common here: leaves, weights and budget."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

NODE_BYTES = 900
"""About the memory of a node with its class weights; measured, in both libraries."""

NEVER = 10**18
"""A period between memory estimates that never ends: `max_nodes` bounds the trees."""


class LibraryTree(ABC):
    """A Hoeffding tree of another library that is fed and read as a native one.

    Parameters
    ----------
    n_classes
        The number of labels.
    covariates
        The features that it looks at.
    grace, confidence, tie
        The grace period, one minus the confidence of the bound, and the tie threshold.
    max_nodes
        The most nodes: then it keeps its shape, and its leaves learn class weights only.
    matched
        Whether it decides as a native tree does where the two differ by design.
    """

    estimator_bytes: int
    """About the memory of the Gaussian of one class and covariate in a leaf; measured."""

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
        """The class weights of the leaf, each starting at 1, normalised."""
        weights = self._class_weights(x)
        scale = 1.0 / (self.n_classes + sum(weights.values()))
        h = [scale] * self.n_classes
        for label, weight in weights.items():
            h[label] = (1.0 + weight) * scale
        return h

    def learn(self, x: Sequence[float], label: int, weight: float) -> None:
        """Feed a weighted label. Libraries do not agree on what a weight of 0 is; here nothing."""
        if weight > 0.0:
            self._learn(x, label, weight)
            self._keep_budget()

    def _keep_budget(self) -> None:
        if not self.frozen and self.n_nodes + 2 > self.max_nodes:
            self.frozen = True
            self._freeze()

    @property
    def nbytes(self) -> int:
        """About how much memory its nodes and their Gaussians take."""
        return self.n_nodes * NODE_BYTES + self._n_estimators() * self.estimator_bytes

    @property
    def bounded_bytes(self) -> int:
        """The same for a tree at its budget, every leaf with every class."""
        estimators = (self.max_nodes + 1) // 2 * self.n_classes * len(self.covariates)
        return self.max_nodes * NODE_BYTES + estimators * self.estimator_bytes

    @property
    @abstractmethod
    def n_nodes(self) -> int:
        """How many nodes it has."""

    @property
    def n_attempts(self) -> int:
        """How often it looked for a split."""
        return int(self.tree.n_attempts)

    @abstractmethod
    def _made(self, grace: float, confidence: float, tie: float, matched: bool) -> Any:
        """The library's tree, a single leaf, which also counts its split attempts."""

    @abstractmethod
    def splits(self) -> list[tuple[str, int, float]]:
        """Every split: the path to it (of "0" for left and "1" for right), feature, threshold."""

    @abstractmethod
    def _class_weights(self, x: Sequence[float]) -> Mapping[int, float]:
        """The class weights of the leaf that a row falls into."""

    @abstractmethod
    def _learn(self, x: Sequence[float], label: int, weight: float) -> None:
        """Feed the library's tree."""

    @abstractmethod
    def _freeze(self) -> None:
        """Let the tree keep its shape, and drop what only splitting needs."""

    @abstractmethod
    def _n_estimators(self) -> int:
        """The number of Gaussians, one for each class and covariate that a leaf has seen."""

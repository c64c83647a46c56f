"""Hoeffding trees of river."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from river.tree.nodes.branch import NumericBinaryBranch

from booster.learners.library_tree import NEVER, LibraryTree
from booster.learners.river_parts import CountingTree, MatchedTree


class RiverTree(LibraryTree):
    """river's `HoeffdingTreeClassifier` as a weak learner.

    Parameters
    ----------
    n_classes, covariates, max_nodes
        See `LibraryTree`.
    grace, confidence, tie
        What river calls `grace_period`, `delta` and `tau`.
    matched
        Whether it decides as a native tree does where the two differ by design.
    """

    estimator_bytes = 3500

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
        make: Any = MatchedTree if matched else CountingTree
        self.tree = make(
            grace_period=grace,
            delta=confidence,
            tau=tie,
            leaf_prediction="mc",
            merit_preprune=False,
            max_share_to_split=1.0,
            memory_estimate_period=NEVER,
        )
        self.tree._root = self.tree._new_leaf()
        self.tree._n_active_leaves = 1
        super().__init__(n_classes, covariates, max_nodes)

    @property
    def n_nodes(self) -> int:
        """How many nodes it has."""
        leaves = self.tree.n_active_leaves + self.tree.n_inactive_leaves
        return 2 * int(leaves) - 1

    @property
    def n_attempts(self) -> int:
        """How often it looked for a split."""
        return int(self.tree.n_attempts)

    def splits(self) -> list[tuple[str, int, float]]:
        """Every split: the path to it, its feature and its threshold."""
        found, pending = [], [("", self.tree._root)]
        while pending:
            path, node = pending.pop()
            if isinstance(node, NumericBinaryBranch):
                found.append((path, int(node.feature), float(node.threshold)))
                pending += [(f"{path}{side}", child) for side, child in enumerate(node.children)]
        return sorted(found)

    def _class_weights(self, x: Sequence[float]) -> Mapping[int, float]:
        node = self.tree._root
        while isinstance(node, NumericBinaryBranch):
            node = node.children[0 if x[node.feature] <= node.threshold else 1]
        return node.stats

    def _learn(self, x: Sequence[float], label: int, weight: float) -> None:
        self.tree.learn_one({f: x[f] for f in self.covariates}, label, w=weight)

    def _freeze(self) -> None:
        self.tree._growth_allowed = False
        for leaf in self._leaves():
            leaf.deactivate()

    def _leaves(self) -> list[Any]:
        return list(self.tree._root.iter_leaves())

    def _n_estimators(self) -> int:
        active = [leaf for leaf in self._leaves() if leaf.is_active()]
        return sum(len(s._att_dist_per_class) for leaf in active for s in leaf.splitters.values())

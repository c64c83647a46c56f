"""Hoeffding trees of river."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from river.tree.nodes.branch import NumericBinaryBranch

from booster.learners.library_tree import NEVER, LibraryTree
from booster.learners.river_parts import CountingTree, MatchedTree


class RiverTree(LibraryTree):
    """river's `HoeffdingTreeClassifier` as a weak learner; see `LibraryTree`.

    The parameters `grace`, `confidence` and `tie` are river's `grace_period`, `delta` and `tau`.
    """

    estimator_bytes = 3500

    def _made(self, grace: float, confidence: float, tie: float, matched: bool) -> Any:
        make: Any = MatchedTree if matched else CountingTree
        tree = make(
            grace_period=grace,
            delta=confidence,
            tau=tie,
            leaf_prediction="mc",
            merit_preprune=False,
            max_share_to_split=1.0,
            memory_estimate_period=NEVER,
        )
        tree._root = tree._new_leaf()
        tree._n_active_leaves = 1
        return tree

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        leaves = self.tree.n_active_leaves + self.tree.n_inactive_leaves
        return 2 * int(leaves) - 1

    def splits(self) -> list[tuple[str, int, float]]:
        """Return the path, feature and threshold of every split."""
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

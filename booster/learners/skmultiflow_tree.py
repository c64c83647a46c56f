"""Hoeffding trees of scikit-multiflow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skmultiflow.trees.nodes import ActiveLearningNode, SplitNode

from booster.learners.library_tree import NEVER, LibraryTree
from booster.learners.skmultiflow_parts import CountingTree, MatchedTree


class SkmultiflowTree(LibraryTree):
    """scikit-multiflow's `HoeffdingTreeClassifier` as a weak learner; see `LibraryTree`.

    The parameters `grace`, `confidence` and `tie` are scikit-multiflow's `grace_period`,
    `split_confidence` and `tie_threshold`.
    """

    estimator_bytes = 350

    def _made(self, grace: float, confidence: float, tie: float, matched: bool) -> Any:
        make: Any = MatchedTree if matched else CountingTree
        tree = make(
            grace_period=grace,
            split_confidence=confidence,
            tie_threshold=tie,
            leaf_prediction="mc",
            no_preprune=True,
            memory_estimate_period=NEVER,
        )
        tree._tree_root = tree._new_learning_node()
        tree._active_leaf_node_cnt = 1
        return tree

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        leaves = self.tree._active_leaf_node_cnt + self.tree._inactive_leaf_node_cnt
        return int(leaves + self.tree._decision_node_cnt)

    def splits(self) -> list[tuple[str, int, float]]:
        """Return the path, feature and threshold of every split."""
        found, pending = [], [("", self.tree._tree_root)]
        while pending:
            path, node = pending.pop()
            if isinstance(node, SplitNode):
                test = node.get_split_test()
                (covariate,) = test.get_atts_test_depends_on()
                found.append((path, self.covariates[covariate], float(test.get_split_value())))
                pending += [(f"{path}{side}", node.get_child(side)) for side in range(2)]
        return sorted(found)

    def _class_weights(self, x: Sequence[float]) -> Mapping[int, float]:
        return self.tree.get_votes_for_instance(self._row(x))

    def _learn(self, x: Sequence[float], label: int, weight: float) -> None:
        self.tree.partial_fit([self._row(x)], [label], sample_weight=[weight])

    def _row(self, x: Sequence[float]) -> list[float]:
        return [x[f] for f in self.covariates]

    def _freeze(self) -> None:
        self.tree._growth_allowed = False
        # The library's own method for this visits every leaf.
        for found in self.tree._find_learning_nodes():
            if isinstance(found.node, ActiveLearningNode):
                self.tree._deactivate_learning_node(found.node, found.parent, found.parent_branch)

    def _n_estimators(self) -> int:
        return sum(
            len(observer._att_val_dist_per_class)
            for found in self.tree._find_learning_nodes()
            if isinstance(found.node, ActiveLearningNode)
            for observer in found.node.get_attribute_observers().values()
        )

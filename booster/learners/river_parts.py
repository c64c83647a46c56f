"""river's tree with a counter, and optionally with the decisions of the native trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from river.tree import HoeffdingTreeClassifier
from river.tree.nodes.htc_nodes import LeafMajorityClass
from river.tree.splitter import GaussianSplitter
from river.tree.utils import BranchFactory

from booster.learners import matching


class CountingTree(HoeffdingTreeClassifier):
    """The unchanged tree, which also counts its split attempts."""

    n_attempts = 0

    def _attempt_to_split(self, *where: Any, **options: Any) -> None:
        self.n_attempts += 1
        super()._attempt_to_split(*where, **options)


class MatchedTree(CountingTree):
    """The tree with the leaves, thresholds and gains of a native one."""

    def _new_leaf(self, initial_stats: Any = None, parent: Any = None) -> LeafMajorityClass:
        depth = 0 if parent is None else parent.depth + 1
        return _Leaf(initial_stats or {}, depth, _Splitter())


class _Leaf(LeafMajorityClass):
    def best_split_suggestions(self, criterion: Any, tree: Any) -> list[BranchFactory]:
        found = [
            splitter.best_evaluated_split_suggestion(criterion, self.stats, feature, True)
            for feature, splitter in self.splitters.items()
        ]
        return matching.ranked(found, none=BranchFactory(merit=0.0))


class _Splitter(GaussianSplitter):
    def best_evaluated_split_suggestion(
        self, criterion: Any, pre_split_dist: Any, att_idx: Any, binary_only: bool
    ) -> BranchFactory:
        """Compute gains from what the leaf has seen itself, without what it inherited."""
        found = []
        for threshold in matching.rounded(self._split_point_suggestions()):
            sides = matching.divided(self._estimates(), threshold)
            gain = criterion.merit_of_split(matching.observed(sides), sides)
            found.append(BranchFactory(gain, att_idx, threshold, sides))
        return matching.first_best(found) or BranchFactory()

    def _estimates(self) -> Iterator[matching.Estimate]:
        for label, gaussian in self._att_dist_per_class.items():
            limits = self._min_per_class[label], self._max_per_class[label]
            variance = gaussian._var.get()
            yield matching.Estimate(int(label), gaussian.n_samples, gaussian.mu, variance, *limits)

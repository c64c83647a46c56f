"""scikit-multiflow's tree with a counter, and optionally with the decisions of the native trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from skmultiflow.trees import HoeffdingTreeClassifier
from skmultiflow.trees.attribute_observer import NumericAttributeClassObserverGaussian
from skmultiflow.trees.attribute_split_suggestion import AttributeSplitSuggestion
from skmultiflow.trees.attribute_test import NumericAttributeBinaryTest
from skmultiflow.trees.nodes import ActiveLearningNode, InactiveLearningNode, LearningNode

from booster.learners import matching


class CountingTree(HoeffdingTreeClassifier):
    """The unchanged tree, which also counts its split attempts."""

    n_attempts = 0

    def _attempt_to_split(self, node: Any, parent: Any, parent_idx: int) -> None:
        self.n_attempts += 1
        super()._attempt_to_split(node, parent, parent_idx)


class MatchedTree(CountingTree):
    """The tree with the leaves, thresholds and gains of a native one."""

    def _new_learning_node(
        self, initial_class_observations: Any = None, is_active_node: bool = True
    ) -> LearningNode:
        observations = initial_class_observations or {}
        return _Leaf(observations) if is_active_node else InactiveLearningNode(observations)


class _Leaf(ActiveLearningNode):
    _attribute_observers: dict[int, Any]

    def learn_from_instance(self, X: Any, y: int, weight: float, ht: Any) -> None:
        if not self._attribute_observers:
            self._attribute_observers = {i: _Observer() for i in range(len(X))}
        super().learn_from_instance(X, y, weight, ht)

    def get_best_split_suggestions(self, criterion: Any, ht: Any) -> list[AttributeSplitSuggestion]:
        found = [
            observer.get_best_evaluated_split_suggestion(criterion, None, feature, True)
            for feature, observer in self._attribute_observers.items()
        ]
        found = [suggestion for suggestion in found if suggestion is not None]
        return matching.ranked(found, none=AttributeSplitSuggestion(None, [{}], 0.0))


class _Observer(NumericAttributeClassObserverGaussian):
    def get_best_evaluated_split_suggestion(
        self, criterion: Any, pre_split_dist: Any, att_idx: int, binary_only: bool
    ) -> AttributeSplitSuggestion | None:
        """Compute gains from what the leaf has seen itself, without what it inherited."""
        found = []
        for threshold in matching.rounded(self.get_split_point_suggestions()):
            sides = matching.divided(self._estimates(), threshold)
            gain = criterion.get_merit_of_split(matching.observed(sides), sides)
            test = NumericAttributeBinaryTest(att_idx, threshold, True)
            found.append(AttributeSplitSuggestion(test, sides, gain))
        return matching.first_best(found)

    def _estimates(self) -> Iterator[matching.Estimate]:
        for label, gaussian in self._att_val_dist_per_class.items():
            yield matching.Estimate(
                label,
                gaussian.get_total_weight_observed(),
                gaussian.get_mean(),
                gaussian.get_variance(),
                self._min_value_observed_per_class[label],
                self._max_value_observed_per_class[label],
            )

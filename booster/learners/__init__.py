"""Weak learners: each gives a distribution over labels and learns from weighted labels.

`HoeffdingForest` is the native one: all trees of a booster in shared arrays. Trees of other
libraries have one adapter each, behind the protocol `WeakLearner`, and are imported only when a
booster uses them. `booster.tables.LEARNERS` lists them all.
"""

from booster.learners.hoeffding_forest import HoeffdingForest, TreeRanges
from booster.learners.weak_learner import WeakLearner

__all__ = [
    "HoeffdingForest",
    "TreeRanges",
    "WeakLearner",
]

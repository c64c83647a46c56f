"""Weak learners: each gives a distribution over labels and learns from weighted labels.

`HoeffdingForest` is the native one: all trees of a booster in shared arrays.
"""

from booster.learners.hoeffding_forest import HoeffdingForest, TreeRanges

__all__ = ["HoeffdingForest", "TreeRanges"]

"""The decisions of the native trees where other libraries decide differently, in plain numbers.

With these decisions a tree of another library makes the same splits as a native one, which the
tests verify.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from booster.kernels.state import MIN_GAIN, SAME


class Estimate(NamedTuple):
    """A leaf's statistics of one covariate and one class."""

    label: int
    weight: float
    mean: float
    variance: float
    smallest: float
    largest: float


def rounded(thresholds: Iterable[float]) -> list[float]:
    """Round thresholds to float32, the type of the features."""
    return [float(np.float32(threshold)) for threshold in thresholds]


def divided(estimates: Iterable[Estimate], threshold: float) -> list[dict[int, float]]:
    """Return the class weights on either side, without classes of weight 0."""
    left, right = {}, {}
    for each in estimates:
        weight_left = each.weight * _share_left(each, threshold)
        if weight_left > 0.0:
            left[each.label] = weight_left
        if each.weight - weight_left > 0.0:
            right[each.label] = each.weight - weight_left
    return [left, right]


def _share_left(one: Estimate, threshold: float) -> float:
    if threshold < one.smallest:
        return 0.0
    if threshold >= one.largest:
        return 1.0
    if one.variance <= 0.0:
        return float(threshold >= one.mean)
    return 0.5 * (1.0 + math.erf((threshold - one.mean) / math.sqrt(one.variance) * math.sqrt(0.5)))


def observed(sides: Sequence[dict[int, float]]) -> dict[int, float]:
    """Return the class weights that a leaf has seen itself, without those that it inherited."""
    total: dict[int, float] = {}
    for side in sides:
        for label, weight in side.items():
            total[label] = total.get(label, 0.0) + weight
    return total


def first_best(suggestions: Iterable[Any]) -> Any:
    """Return the first suggestion whose merit no other exceeds by more than the tolerance."""
    best = None
    for suggestion in suggestions:
        if best is None or suggestion.merit > best.merit + SAME:
            best = suggestion
    return best


def ranked(suggestions: Sequence[Any], none: Any) -> list[Any]:
    """Return the suggestions from which a library chooses the last of the best by merit.

    There is one for each feature, and one for no split, which gains 0. The list is empty if no
    split is worth it.
    """
    best = first_best(suggestions)
    if best is None or best.merit <= MIN_GAIN:
        return []
    best.merit = max(suggestion.merit for suggestion in suggestions)
    return [none, *(other for other in suggestions if other is not best), best]

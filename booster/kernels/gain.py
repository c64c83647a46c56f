"""The exact information gain of one candidate split, from the Gaussians of a leaf."""

from __future__ import annotations

import math

from booster.kernels.compiling import exact
from booster.kernels.state import LARGEST, M2, MEAN, MIN_SHARE, SMALLEST

INVALID = -1.0
"""The gain of a candidate that sends too little weight to one side."""

_SQRT_HALF = math.sqrt(0.5)


@exact
def deviation(weight, m2):
    """Return the standard deviation of a weighted Gaussian; 0 if it is not yet defined."""
    if weight > 1.0 and m2 > 0.0:
        return math.sqrt(m2 / (weight - 1.0))
    return 0.0


@exact
def share_left(weight, mean, m2, smallest, largest, threshold):
    """Return the share of a class at or below `threshold`: a Gaussian within the observed range."""
    if threshold < smallest:
        return 0.0
    if threshold >= largest:
        return 1.0
    scale = deviation(weight, m2)
    if scale == 0.0:
        return 1.0 if threshold >= mean else 0.0
    return 0.5 * (1.0 + math.erf((threshold - mean) / scale * _SQRT_HALF))


@exact
def xlog2x(x):
    return x * math.log2(x) if x > 0.0 else 0.0


@exact
def entropy(weights, logs):
    """Return the entropy of the observed classes in bits, and their total weight.

    `logs` gets the terms of the classes.
    """
    total = 0.0
    all_logs = 0.0
    for c in range(weights.size):
        logs[c] = xlog2x(weights[c])
        total += weights[c]
        all_logs += logs[c]
    return math.log2(total) - all_logs / total, total


@exact
def divide(slots, chosen, f, threshold, left):
    """Put the weight of each class that goes left in `left`; return the weight of all classes."""
    weight_left = 0.0
    for c in range(chosen.size):
        slot = chosen[c]
        left[c] = slots.weight[slot] * share_left(
            slots.weight[slot],
            slots.moments[slot, MEAN, f],
            slots.moments[slot, M2, f],
            slots.limits[slot, SMALLEST, f],
            slots.limits[slot, LARGEST, f],
            threshold,
        )
        weight_left += left[c]
    return weight_left


@exact
def is_valid(weight_left, total):
    return weight_left > MIN_SHARE * total and total - weight_left > MIN_SHARE * total


@exact
def gain_at(slots, chosen, f, threshold, before, total, logs, left):
    """Return the information gain of a split, or INVALID.

    A class that goes to one side as a whole, as most do in a small leaf, needs no logarithm.
    """
    weight_left = divide(slots, chosen, f, threshold, left)
    if not is_valid(weight_left, total):
        return INVALID
    parts = 0.0
    for c in range(chosen.size):
        weight = slots.weight[chosen[c]]
        if left[c] == 0.0 or left[c] == weight:
            parts += logs[c]
        else:
            parts += xlog2x(left[c]) + xlog2x(weight - left[c])
    return before - (xlog2x(weight_left) + xlog2x(total - weight_left) - parts) / total


@exact
def _surprise(weight, total):
    return -weight * math.log2(weight / total) if weight > 0.0 else 0.0


@exact
def plain_gain_at(slots, chosen, f, threshold, before, total, left):
    """Return the same by definition: the entropy before, minus that of each side by its share."""
    weight_left = divide(slots, chosen, f, threshold, left)
    if not is_valid(weight_left, total):
        return INVALID
    after = 0.0
    for c in range(chosen.size):
        weight = slots.weight[chosen[c]]
        after += _surprise(left[c], weight_left)
        after += _surprise(weight - left[c], total - weight_left)
    return before - after / total

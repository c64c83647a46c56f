"""Split candidates of a leaf that observes only what is not zero.

An attempt visits the features that the leaf has observed and their cells, not every covariate of
every class. A feature with two values has one threshold, and its gain is exact. Other features are
modelled, for each class, as a mass at zero and a Gaussian of the other values.
"""

from __future__ import annotations

import numpy as np

from booster.kernels.blocks import look_up
from booster.kernels.compiling import exact
from booster.kernels.gain import INVALID, is_valid, share_left, xlog2x
from booster.kernels.state import (
    BINARY,
    CELL_LARGEST,
    CELL_M2,
    CELL_MEAN,
    CELL_SMALLEST,
    EMPTY,
    NONE,
    SAME,
    THRESHOLDS,
    WEIGHT,
)


@exact
def observed_classes(rows, row, search):
    """List the classes that a leaf has observed, with their weights; count classes with weight."""
    observed = 0
    weighted = 0
    for label in range(rows.observed.shape[1]):
        if rows.observed[row, label] > 0.0:
            search.classes[observed] = label
            search.weight[observed] = rows.observed[row, label]
            observed += 1
        if rows.weight[row, label] > 0.0:
            weighted += 1
    return observed, weighted


@exact
def search_nonzero(forest, observer, row, total, tie, epsilon, search):
    """Find the best split, as `split.search_plainly` does among Gaussians.

    Returns its gain, the best gain of another feature, its feature and its threshold; the gains
    are INVALID if there is none, or if it is certain that none is enough. Of features with the
    same gain, the first wins.
    """
    if not tie and not _may_be_enough(forest, observer, row, total, epsilon, search):
        return INVALID, INVALID, 0, np.float32(0.0)
    n = _gains(forest, observer, row, total, search)
    best, best_f = INVALID, -1
    for i in range(n):
        best = max(best, search.gains[i])
    for i in range(n):
        f = search.touched[i]
        if search.gains[i] >= best - SAME and (best_f < 0 or f < best_f):
            best_f = f
    second = INVALID
    for i in range(n):
        if search.touched[i] == best_f:
            best = search.gains[i]
        else:
            second = max(second, search.gains[i])
    threshold = np.float32(0.0)
    if best > INVALID:
        slot = _slot(forest, row, best_f)
        best, threshold = _best_of(forest, observer, row, slot, total, search)
    return best, second, best_f, threshold


@exact
def _slot(forest, row, f):
    return forest.entries.value[look_up(forest.rows, row, forest.entries, f), 0]


@exact
def _may_be_enough(forest, observer, row, total, epsilon, search):
    """Whether any gain is above `epsilon`.

    The gain of a feature with two values is at most the entropy of the two sides, so most features
    are ruled out without looking at their cells.
    """
    rows, entries = forest.rows, forest.entries
    if rows.block[row] == NONE:
        return False
    if observer != BINARY:
        return True
    for place in range(rows.block[row], rows.block[row] + (1 << rows.bits[row])):
        if entries.key[place] != EMPTY:
            slot = entries.value[place, 0]
            ones = min(forest.slots.weight[slot], total)
            sides = (xlog2x(total) - xlog2x(ones) - xlog2x(total - ones)) / total
            if sides + SAME > epsilon:
                gain = _best_of(forest, observer, row, slot, total, search)[0]
                if gain > epsilon:
                    return True
    return False


@exact
def _gains(forest, observer, row, total, search):
    """Compute the gain of every feature that a leaf has observed; return how many there are."""
    rows, entries = forest.rows, forest.entries
    n = 0
    if rows.block[row] != NONE:
        for place in range(rows.block[row], rows.block[row] + (1 << rows.bits[row])):
            if entries.key[place] != EMPTY:
                slot = entries.value[place, 0]
                search.touched[n] = entries.key[place]
                search.gains[n] = _best_of(forest, observer, row, slot, total, search)[0]
                n += 1
    return n


@exact
def _best_of(forest, observer, row, slot, total, search):
    """Return the best gain of a feature, or INVALID, and its threshold."""
    if observer == BINARY:
        zero = np.float32(0.0)
        return _gain_at(forest, observer, row, slot, zero, total, search), zero
    low, high, edge = _range(forest, slot, total)
    best, best_threshold = INVALID, edge
    step = (high - low) / (THRESHOLDS + 1)
    if step > 0.0:
        for t in range(THRESHOLDS + 1):
            threshold = edge if t == 0 else np.float32(low + step * t)
            gain = _gain_at(forest, observer, row, slot, threshold, total, search)
            if gain > best + SAME:
                best, best_threshold = gain, threshold
    return best, best_threshold


@exact
def _range(forest, slot, total):
    """Return the smallest and largest value of a feature, and the threshold that isolates zeros."""
    slots, value = forest.slots, forest.cells.value
    low, high = np.inf, -np.inf
    for cell in range(slots.block[slot], slots.block[slot] + (1 << slots.bits[slot])):
        if forest.cells.key[cell] != EMPTY:
            low = min(low, value[cell, CELL_SMALLEST])
            high = max(high, value[cell, CELL_LARGEST])
    edge = np.float32(0.0) if high > 0.0 else np.float32(high)
    if slots.weight[slot] < (1.0 - SAME) * total:  # sums in another order: equal but for rounding
        low, high = min(low, 0.0), max(high, 0.0)
    return low, high, edge


@exact
def _gain_at(forest, observer, row, slot, threshold, total, search):
    """Return the gain of a threshold, or INVALID; classes without a cell are on the side of 0."""
    slots, cells, observed = forest.slots, forest.cells, forest.rows.observed
    apart, change = 0.0, 0.0
    for cell in range(slots.block[slot], slots.block[slot] + (1 << slots.bits[slot])):
        label = cells.key[cell]
        if label != EMPTY:
            weight = observed[row, label]
            part = _apart(cells.value[cell], observer, threshold)
            apart += part
            if 0.0 < part < weight:
                change += xlog2x(part) + xlog2x(weight - part) - search.logs[label]
    apart = min(apart, total)
    if not is_valid(apart, total):
        return INVALID
    return (change + xlog2x(total) - xlog2x(apart) - xlog2x(total - apart)) / total


@exact
def _apart(value, observer, threshold):
    """Return the weight of a class on the side of a threshold that has no zeros.

    The other side has the rest, so a class that is all on one side has exactly no weight on the
    other.
    """
    nonzero = value[WEIGHT]
    if observer == BINARY:
        return nonzero
    share = share_left(
        nonzero,
        value[CELL_MEAN],
        value[CELL_M2],
        value[CELL_SMALLEST],
        value[CELL_LARGEST],
        threshold,
    )
    return nonzero * (share if threshold < 0.0 else 1.0 - share)


@exact
def divide_nonzero(forest, observer, row, f, threshold, n_classes, search):
    """Put the weight of each observed class at or below a threshold in `search.left`."""
    slots, cells = forest.slots, forest.cells
    slot = _slot(forest, row, f)
    for c in range(n_classes):
        apart = 0.0
        cell = look_up(slots, slot, cells, search.classes[c])
        if cell != NONE:
            apart = _apart(cells.value[cell], observer, threshold)
        search.left[c] = apart if threshold < 0.0 else search.weight[c] - apart

"""Split candidates of a leaf that observes only what is not zero.

An attempt visits the features that the leaf has observed and whose gain can matter, not every
covariate of every class. A feature with two values has one threshold, and its gain is exact. Other
features are modelled, for each class, as a mass at zero and a Gaussian of the other values.
"""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import exact
from booster.kernels.counting import list_notes, make_cells, sort_chosen
from booster.kernels.gain import INVALID, is_valid, share_left, xlog2x
from booster.kernels.indices import known
from booster.kernels.memo import place_of_losses, remember_loss
from booster.kernels.sparse import has_blocks
from booster.kernels.state import (
    BINARY,
    CELL_LARGEST,
    CELL_M2,
    CELL_MEAN,
    CELL_SMALLEST,
    EMPTY,
    MIN_SHARE,
    NONE,
    SAME,
    THRESHOLDS,
    WEIGHT,
)

_UNKNOWN = 2.0 * INVALID
"""The gain of a feature that was not looked at, or not to the end."""

_LOG_4 = 1.3862944
"""The natural logarithm of 4, rounded up."""

_SMALL_SHARE = MIN_SHARE * (1.0 - 1e-6)
"""With less weight on one side than this, no split is valid, however the sum is rounded."""


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
def search_nonzero(forest, trees, row, before, total, tie, epsilon, search):
    """Find the best split, as `split.search_plainly` does among Gaussians.

    Returns its gain, the best gain of another feature, its feature and its threshold; the gains
    are INVALID if there is none, or if it is certain that none is enough. Of features with the
    same gain, the first wins.
    """
    n, enough = _compute_gains(forest, trees, row, before, total, tie, epsilon, search)
    if not enough:
        return INVALID, INVALID, 0, np.float32(0.0)
    best, best_i = INVALID, 0
    for i in range(n):
        best = max(best, search.gains[i])
    for i in range(n):
        if search.gains[i] >= best - SAME:
            first = search.gains[best_i] < best - SAME
            best_i = i if first or search.touched[i] < search.touched[best_i] else best_i
    second = INVALID
    for i in range(n):
        if i != best_i:
            second = max(second, search.gains[i])
    return search.gains[best_i], second, search.touched[best_i], search.cut[best_i]


@exact
def _list_features(forest, trees, row, before, total, least, search):
    """List the features that a leaf has observed, and bounds of their gains; return how many.

    The rows of features whose gains may be as large as `least` are sorted.
    """
    rows, entries, found = forest.rows, forest.entries, search.found
    n, cut = 0, _cut(least)
    if not has_blocks(trees, rows, row):
        n, n_rows = list_notes(forest, trees, row, found)
        losses = found.losses.least[place_of_losses(row, found)]
        for i in range(n):
            search.touched[i] = found.feature[i]
            search.slot[i] = NONE
            loss = np.float64(losses[i])
            search.bounds[i] = _bound(trees, found.weight[i], before, total, cut, loss)
            found.chosen[i] = search.bounds[i] + 2.0 * SAME >= least
        sort_chosen(trees, n, n_rows, found)
    elif rows.block[row] != NONE:
        for place in range(rows.block[row], rows.block[row] + (1 << rows.bits[row])):
            if entries.key[place] != EMPTY:
                slot = entries.value[place, 0]
                search.touched[n] = entries.key[place]
                search.slot[n] = slot
                weight = forest.slots.weight[slot]
                search.bounds[n] = _bound(trees, weight, before, total, cut, 0.0)
                n += 1
    return n


@exact
def _cut(least):
    """Return a number c: the entropy of two sides is less than `least` if 4 p (1 - p) < c.

    Here p is the share of one side, and the entropy at most (4 p (1 - p)) ** (1 / log 4). This
    inequality (Topsoe, 2001) is close, and most features need no logarithm.
    """
    return max(least - 4.0 * SAME, 0.0) ** _LOG_4


@exact
def _bound(trees, weight, before, total, cut, loss):
    """Return what the gain of a feature cannot exceed, whatever its cells are.

    It is at most the entropy of the classes, and that of the two sides minus that within the
    classes. For a feature with two values, the sides are known and `loss` bounds the rest; `weight`
    is that of the rows in which it is not zero.
    """
    if not trees.screened:
        return np.inf
    if trees.observer != BINARY:
        return min(before, 1.0)
    share = min(weight, total) / total
    rest = 1.0 - share
    if 4.0 * share * rest < cut or min(share, rest) < _SMALL_SHARE:
        return INVALID
    return min(before, (_sides(weight, total) - loss) / total)


@exact
def _sides(weight, total):
    """Return the entropy of the two sides of a feature with two values, times the total."""
    ones = min(weight, total)
    return xlog2x(total) - xlog2x(ones) - xlog2x(total - ones)


@exact
def _compute_gains(forest, trees, row, before, total, tie, epsilon, search):
    """Compute the gains that can matter; the others are INVALID.

    On a tie, these are gains that may be the best. Otherwise, the best must be above `epsilon`,
    and the others matter only if they come within `epsilon` of it. Nearly every attempt ends
    before the others are looked for.

    Returns how many features there are, and whether a gain may be enough.
    """
    best, second, start, n = INVALID, 0.0, 0, 0
    for phase in range(1 if tie else 2):
        least = INVALID if tie else (epsilon if phase == 0 else best - epsilon)
        n = _list_features(forest, trees, row, before, total, least, search)
        if phase == 0:
            for i in range(n):
                search.gains[i] = _UNKNOWN
                start = i if search.bounds[i] > search.bounds[start] else start
        for j in range(n):
            i = start + j if start + j < n else start + j - n
            least = best if tie else (epsilon if phase == 0 else best - epsilon)
            if search.gains[i] == _UNKNOWN and search.bounds[i] + 2.0 * SAME >= least:
                gain, search.cut[i] = _gain_of(forest, trees, row, i, total, least, tie, search)
                search.gains[i] = gain
                if gain > best:
                    best, second = gain, max(best, 0.0)
                elif gain > second:
                    second = gain
        if not tie and best - second <= epsilon:
            return n, False
    for i in range(n):
        search.gains[i] = max(search.gains[i], INVALID)
    return n, best > INVALID


@exact
def _gain_of(forest, trees, row, i, total, least, tie, search):
    """Return the best gain of the i-th listed feature, or INVALID, and its threshold.

    The gain is _UNKNOWN if it is certainly less than `least`. A leaf with notes computes it
    nevertheless, unless it is about to split: its next attempts know then that it is small.
    """
    pool, first, size, weight = _cells_of(forest, trees, i, search)
    bounded = trees.screened and trees.observer == BINARY
    remembers = bounded and search.slot[i] == NONE and not tie
    sides = _sides(weight, total) if bounded else 0.0
    most_loss = np.inf
    if bounded and not remembers:
        most_loss = sides - (least - 2.0 * SAME) * total
    gain, threshold = _best_of(
        pool,
        first,
        size,
        trees.observer,
        weight,
        forest.rows.observed[row],
        total,
        most_loss,
        search.logs,
    )
    if remembers and gain > INVALID:
        remember_loss(row, i, sides - gain * total, total, search.found)
    return gain, threshold


@exact
def _cells_of(forest, trees, i, search):
    """Return where the cells of the i-th listed feature are, and the weight of all of them."""
    slots, slot, found = forest.slots, search.slot[i], search.found
    if slot != NONE:
        return (
            forest.cells,
            np.int64(slots.block[slot]),
            np.int64(1) << slots.bits[slot],
            slots.weight[slot],
        )
    n = make_cells(forest, trees, i, found)
    return found.cells, np.int64(0), np.int64(n), found.weight[i]


@exact
def _best_of(cells, first, size, observer, weight, observed, total, most_loss, logs):
    """Return the best gain of a feature, or INVALID, and its threshold."""
    low, high, edge = 0.0, 0.0, np.float32(0.0)
    if observer != BINARY:
        low, high, edge = _range(cells, first, size, weight, total)
    best, best_threshold = INVALID, edge
    step = (high - low) / (THRESHOLDS + 1)
    candidates = 1 if observer == BINARY else (THRESHOLDS + 1 if step > 0.0 else 0)
    for t in range(candidates):
        threshold = edge if t == 0 else np.float32(low + step * t)
        gain = _gain_at(cells, first, size, observer, threshold, observed, total, most_loss, logs)
        if gain > best + SAME or gain == _UNKNOWN:
            best, best_threshold = gain, threshold
    return best, best_threshold


@exact
def _range(cells, first, size, weight, total):
    """Return the smallest and largest value of a feature, and the threshold that isolates zeros."""
    low, high = np.inf, -np.inf
    for cell in range(first, first + size):
        if cells.key[cell] != EMPTY:
            low = min(low, cells.value[cell, CELL_SMALLEST])
            high = max(high, cells.value[cell, CELL_LARGEST])
    edge = np.float32(0.0) if high > 0.0 else np.float32(high)
    if weight < (1.0 - SAME) * total:  # sums in another order: equal but for rounding
        low, high = min(low, 0.0), max(high, 0.0)
    return low, high, edge


@exact
def _gain_at(cells, first, size, observer, threshold, observed, total, most_loss, logs):
    """Return the gain of a threshold, or INVALID; classes without a cell are on the side of 0.

    Each class takes something from the gain. If it is more than `most_loss`, the gain is _UNKNOWN.
    """
    apart, change = 0.0, 0.0
    for cell in range(first, first + size):
        label = cells.key[cell]
        if label != EMPTY:
            weight = observed[known(label)]
            part = _apart(cells.value[cell], observer, threshold)
            apart += part
            if 0.0 < part < weight:
                change += xlog2x(part) + xlog2x(weight - part) - logs[known(label)]
                if -change > most_loss:
                    return _UNKNOWN
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
def divide_nonzero(forest, trees, feature, threshold, n_classes, search):
    """Put the weight of each observed class at or below a threshold in `search.left`."""
    i = 0
    while search.touched[i] != feature:
        i += 1
    cells, first, size, _ = _cells_of(forest, trees, i, search)
    for c in range(n_classes):
        search.apart[search.classes[c]] = 0.0
    for cell in range(first, first + size):
        if cells.key[cell] != EMPTY:
            search.apart[cells.key[cell]] = _apart(cells.value[cell], trees.observer, threshold)
    for c in range(n_classes):
        apart = search.apart[search.classes[c]]
        search.left[c] = apart if threshold < 0.0 else search.weight[c] - apart

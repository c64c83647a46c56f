"""Cost vectors, in the form that the trees are fed: max c - c[l] for each relevant label l.

Both kinds take the scores of the seen relevant and irrelevant labels and the weights of their
pairs. A label in no pair does not change its cost from the constant, so it never appears.
"""

from __future__ import annotations

import math

import numpy as np

from booster.kernels.compiling import exact

FEW = 32
"""With fewer irrelevant labels than this, potentials are looked up one after another."""

NEAR = 1.0
"""Scores this close to the lowest have their potentials in the same few rows of the table."""


@exact
def table_row(walk, x):
    """Return the row of the potential of x: j = ceil(-x), the row of 0 being the middle one."""
    middle = (walk.shape[0] - 1) // 2
    return min(max(math.ceil(-x), -middle), middle) + middle


@exact
def potential(walk, x):
    """Return E max(0, x + W) for the walk W with the tail masses and first moments in `walk`.

    Only the values of W at or above j = ceil(-x) count, so the expectation is
    x P(W >= j) + E[W; W >= j]: exact for any real x.
    """
    j = table_row(walk, x)
    return x * walk[j, 0] + walk[j, 1]


@exact
def opt_weights(walk, s_relevant, s_irrelevant, pairs):
    """Compute cost vectors of the Opt algorithms: c[l] = potential of s + e_l (Eq. 2)."""
    fall, rise = pairs.fall[: s_relevant.size], pairs.rise[: s_irrelevant.size]
    fall[:] = 0.0
    rise[:] = 0.0
    if s_irrelevant.size < FEW:
        add_one_by_one(walk, s_relevant, s_irrelevant, fall, rise, pairs)
    else:
        add_together(walk, s_relevant, s_irrelevant, fall, rise, pairs)
    _weights(fall, rise, pairs.fed)


@exact
def add_one_by_one(walk, s_relevant, s_irrelevant, fall, rise, pairs):
    """Add what the potentials of all pairs fall and rise by, if a label gets one more vote."""
    for i in range(s_relevant.size):
        for j in range(s_irrelevant.size):
            x = 1.0 + s_irrelevant[j] - s_relevant[i]
            here = potential(walk, x)
            fall[i] += pairs.weight[i, j] * (here - potential(walk, x - 1.0))
            rise[j] += pairs.weight[i, j] * (potential(walk, x + 1.0) - here)


@exact
def add_together(walk, s_relevant, s_irrelevant, fall, rise, pairs):
    """Do the same, bit for bit, for many irrelevant labels at once.

    Most of them have low scores, and so their potentials with a relevant label are in the same few
    rows of the table. Computing these needs no look-ups, which vector instructions cannot do well.
    """
    gap, here, beside = pairs.gap, pairs.here, pairs.beside
    n = s_irrelevant.size
    low = _lowest(s_irrelevant)
    n_far = 0
    for j in range(n):
        pairs.far[n_far] = j
        n_far += s_irrelevant[j] > low + NEAR
    far = pairs.far[:n_far]
    for i in range(s_relevant.size):
        weight = pairs.weight[i]
        for j in range(n):
            gap[j] = 1.0 + s_irrelevant[j] - s_relevant[i]
        lowest, highest = 1.0 + low - s_relevant[i], 1.0 + (low + NEAR) - s_relevant[i]
        _potentials(walk, gap, 0.0, lowest, highest, far, here, n)
        _potentials(walk, gap, -1.0, lowest, highest, far, beside, n)
        total = 0.0
        for j in range(n):
            total += weight[j] * (here[j] - beside[j])
        fall[i] = total
        _potentials(walk, gap, 1.0, lowest, highest, far, beside, n)
        for j in range(n):
            rise[j] += weight[j] * (beside[j] - here[j])


@exact
def _lowest(values):
    """Return the smallest value. Four at a time, because each comparison waits for the last."""
    a = b = c = d = values[0]
    for j in range(3, values.size, 4):
        a, b = min(a, values[j - 3]), min(b, values[j - 2])
        c, d = min(c, values[j - 1]), min(d, values[j])
    for j in range(values.size - values.size % 4, values.size):
        a = min(a, values[j])
    return min(min(a, b), min(c, d))


@exact
def _potentials(walk, gap, shift, lowest, highest, far, out, n):
    """Put the potentials of the first n of `gap`, each plus `shift`, in `out`.

    All but those in `far` are between the lowest and the highest.
    """
    middle = (walk.shape[0] - 1) // 2
    last = table_row(walk, lowest + shift)
    for row in range(last, table_row(walk, highest + shift) - 1, -1):
        mass, moment = walk[row, 0], walk[row, 1]
        edge = -np.inf if row == last else np.float64(middle - row)  # of the x in this row
        for j in range(n):
            x = gap[j] + shift
            found = x * mass + moment
            out[j] = found if x >= edge else out[j]
    for k in range(far.size):
        out[far[k]] = potential(walk, gap[far[k]] + shift)


@exact
def logistic_slopes(s_relevant, s_irrelevant, pairs):
    """Put the slope of the logistic loss of each seen pair, times its weight, in `pairs.slope`."""
    for i in range(s_relevant.size):
        for j in range(s_irrelevant.size):
            odds = math.exp(s_relevant[i] - s_irrelevant[j])
            pairs.slope[i, j] = pairs.weight[i, j] / (1.0 + odds)


@exact
def ada_weights(n_relevant, n_irrelevant, pairs):
    """Compute cost vectors of the Ada algorithms: the gradient of the logistic loss (Eq. 3)."""
    fall, rise = pairs.fall[:n_relevant], pairs.rise[:n_irrelevant]
    fall[:] = 0.0
    rise[:] = 0.0
    for i in range(n_relevant):
        for j in range(n_irrelevant):
            fall[i] += pairs.slope[i, j]
            rise[j] += pairs.slope[i, j]
    _weights(fall, rise, pairs.fed)


@exact
def _weights(fall, rise, fed):
    highest = 0.0
    for j in range(rise.size):
        highest = max(highest, rise[j])
    for i in range(fall.size):
        fed[i] = highest + fall[i]


@exact
def slope_along(h, relevant, irrelevant, slope):
    """Return the derivative of the estimated logistic loss along `h`."""
    total = 0.0
    for i in range(relevant.size):
        for j in range(irrelevant.size):
            total += slope[i, j] * (h[irrelevant[j]] - h[relevant[i]])
    return total


@exact
def estimated_rank_loss(s_relevant, s_irrelevant, pair_weight):
    """Return the rank loss of the seen pairs, weighted; a tie counts as wrong."""
    loss = 0.0
    for i in range(s_relevant.size):
        for j in range(s_irrelevant.size):
            if s_relevant[i] <= s_irrelevant[j]:
                loss += pair_weight[i, j]
    return loss

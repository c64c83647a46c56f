"""Cost vectors, in the form that the trees are fed: max c - c[l] for each relevant label l.

Both kinds take the scores of the seen relevant and irrelevant labels and the weights of their
pairs. A label in no pair does not change its cost from the constant, so it never appears.
"""

from __future__ import annotations

import math

import numpy as np

from booster.kernels.compiling import exact
from booster.kernels.indices import known
from booster.kernels.state import LANES

FEW = 32
"""With fewer irrelevant labels than this, potentials are looked up one after another."""

TOGETHER = 4
"""The weights of this many learners are computed at once if there are many irrelevant labels."""

BLOCK = 16
"""Irrelevant labels are searched for high scores so many at a time: most of these have none."""

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
    """Compute cost vectors of the Opt algorithms: c[l] = potential of s + e_l (Eq. 3)."""
    fall, rise = pairs.fall[: s_relevant.size], pairs.rise[: s_irrelevant.size]
    fall[:] = 0.0
    rise[:] = 0.0
    if s_irrelevant.size < FEW:
        add_one_by_one(walk, s_relevant, s_irrelevant, fall, rise, pairs)
    else:
        add_together(walk, s_relevant, s_irrelevant, rise, pairs.slope, pairs)
        sum_rows(pairs.slope, s_irrelevant.size, fall)
    _weights(fall, _most(rise), pairs.fed)


@exact
def opt_weights_ahead(walks, last, h, alpha, n_relevant, n_irrelevant, pairs):
    """Compute those of several learners with votes h: what they learn does not change the votes.

    The walk of the first is `last`, and those of the others come before it. Their votes are added
    to the scores.

    The last irrelevant label is repeated until they fill whole vectors: those that do not would
    take longer, one after another, than many that do. What comes of the others is not used.
    """
    n_filled = (n_irrelevant + LANES - 1) // LANES * LANES
    relevant, irrelevant = pairs.relevant[:n_relevant], pairs.irrelevant[:n_filled]
    s_relevant, s_irrelevant = pairs.s_relevant[:n_relevant], pairs.s_irrelevant[:n_filled]
    irrelevant[n_irrelevant:] = irrelevant[n_irrelevant - 1]
    s_irrelevant[n_irrelevant:] = s_irrelevant[n_irrelevant - 1]
    rise = pairs.rise[:n_filled]
    n = alpha.size
    for b in range(n):
        rise[:] = 0.0
        falls = pairs.slope[b * n_relevant : (b + 1) * n_relevant]
        add_together(walks[last - b], s_relevant, s_irrelevant, rise, falls, pairs)
        pairs.highest[b] = _most(rise[:n_irrelevant])
        add_votes(alpha[b], h[b], relevant, s_relevant)
        add_votes(alpha[b], h[b], irrelevant, s_irrelevant)
    sum_rows(pairs.slope, n_irrelevant, pairs.falls[: n * n_relevant])
    for b in range(n):
        fall = pairs.falls[b * n_relevant : (b + 1) * n_relevant]
        _weights(fall, pairs.highest[b], pairs.ahead[b])


@exact
def add_votes(alpha, h, labels, scores):
    """Add the vote of a learner to the scores of some labels."""
    for j in range(labels.size):
        scores[j] += alpha * h[known(labels[j])]


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
def add_together(walk, s_relevant, s_irrelevant, rise, falls, pairs):
    """Do the same, bit for bit, for many irrelevant labels at once; `falls` is not summed up.

    Most of them have low scores, and so their potentials with a relevant label are in the same few
    rows of the table. Computing these needs no look-ups, which vector instructions cannot do well.
    """
    low = _least(s_irrelevant)
    high = low + NEAR
    n_far = _list_far(s_irrelevant, low, high, pairs.far)
    for i in range(s_relevant.size):
        own, weight, fall = s_relevant[i], pairs.weight[i], falls[i]
        near = _add_near(walk, own, s_irrelevant, low, high, weight, fall, rise)
        for k in range(n_far if near else s_irrelevant.size):
            j = pairs.far[k] if near else k
            _add_one(walk, own, s_irrelevant, j, weight, fall, rise)


@exact
def _list_far(scores, low, high, far):
    """List the places of scores that are not from low to high; return how many there are."""
    n_far = 0
    for start in range(0, scores.size, BLOCK):
        end, some = min(start + BLOCK, scores.size), 0
        for j in range(start, end):
            some += (scores[known(j)] < low) | (scores[known(j)] > high)
        if some > 0:
            for j in range(start, end):
                far[known(n_far)] = j
                n_far += (scores[known(j)] < low) | (scores[known(j)] > high)
    return n_far


@exact
def _least(scores):
    """Return the smallest of some scores, if none is negative; otherwise any of them will do.

    Numbers that are not negative are in the order of their bits, which are compared several at a
    time; comparisons of floats each wait for the one before.
    """
    least = np.float64(scores[0]).view(np.int64)
    for j in range(1, scores.size):
        least = min(least, np.float64(scores[j]).view(np.int64))
    return np.int64(least).view(np.float64)


@exact
def _two_rows(walk, lowest, highest):
    """Return the rows of the lowest potential, of those from an edge on, and the edge.

    The last value is False if potentials up to the highest are in more rows than these.
    """
    row, end = table_row(walk, lowest), table_row(walk, highest)
    upper = max(row - 1, end)
    return row, upper, np.float64((walk.shape[0] - 1) // 2 - upper), row - end < 2


@exact
def _add_near(walk, own, scores, low, high, weight, falls, rise):
    """Add what potentials rise by, for scores from low to high, and list what they fall by.

    Returns False, having done nothing, if their potentials are in more than two rows of the table.
    """
    lowest, highest = 1.0 + low - own, 1.0 + high - own
    a, b, edge, fits = _two_rows(walk, lowest, highest)
    c, d, edge_below, fits_below = _two_rows(walk, lowest - 1.0, highest - 1.0)
    e, f, edge_above, fits_above = _two_rows(walk, lowest + 1.0, highest + 1.0)
    if not (fits and fits_below and fits_above):
        return False
    a0, a1, b0, b1 = walk[a, 0], walk[a, 1], walk[b, 0], walk[b, 1]
    c0, c1, d0, d1 = walk[c, 0], walk[c, 1], walk[d, 0], walk[d, 1]
    e0, e1, f0, f1 = walk[e, 0], walk[e, 1], walk[f, 0], walk[f, 1]
    for j in range(scores.size):
        score = scores[j]
        x = 1.0 + score - own
        less, more = x - 1.0, x + 1.0
        # Choosing the row first takes fewer instructions than choosing one of two potentials.
        mass, moment = (b0, b1) if x >= edge else (a0, a1)
        mass_below, moment_below = (d0, d1) if less >= edge_below else (c0, c1)
        mass_above, moment_above = (f0, f1) if more >= edge_above else (e0, e1)
        here = x * mass + moment
        below = less * mass_below + moment_below
        above = more * mass_above + moment_above
        falls[j] = weight[j] * (here - below)
        rises = weight[j] * (above - here)
        rise[j] += rises if (score >= low) & (score <= high) else 0.0
    return True


@exact
def _add_one(walk, own, scores, j, weight, falls, rise):
    """Do the same for one score, wherever its potentials are."""
    x = 1.0 + scores[j] - own
    here = potential(walk, x)
    falls[j] = weight[j] * (here - potential(walk, x - 1.0))
    rise[j] += weight[j] * (potential(walk, x + 1.0) - here)


@exact
def sum_rows(values, n, out):
    """Put the sums of the first n values of each row in `out`.

    Eight rows at a time, because each addition waits for the last.
    """
    last = out.size - 1
    for r in range(0, out.size, 8):
        r1, r2, r3, r4 = min(r + 1, last), min(r + 2, last), min(r + 3, last), min(r + 4, last)
        r5, r6, r7 = min(r + 5, last), min(r + 6, last), min(r + 7, last)
        s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(n):
            s0 += values[r, j]
            s1 += values[r1, j]
            s2 += values[r2, j]
            s3 += values[r3, j]
            s4 += values[r4, j]
            s5 += values[r5, j]
            s6 += values[r6, j]
            s7 += values[r7, j]
        out[r], out[r1], out[r2], out[r3] = s0, s1, s2, s3
        out[r4], out[r5], out[r6], out[r7] = s4, s5, s6, s7


@exact
def logistic_slopes(s_relevant, s_irrelevant, pairs):
    """Put the slope of the logistic loss of each seen pair, times its weight, in `pairs.slope`."""
    for i in range(s_relevant.size):
        for j in range(s_irrelevant.size):
            odds = math.exp(s_relevant[i] - s_irrelevant[j])
            pairs.slope[i, j] = pairs.weight[i, j] / (1.0 + odds)


@exact
def ada_weights(n_relevant, n_irrelevant, pairs):
    """Compute cost vectors of the Ada algorithms: the gradient of the logistic loss (Eq. 4)."""
    fall, rise = pairs.fall[:n_relevant], pairs.rise[:n_irrelevant]
    fall[:] = 0.0
    rise[:] = 0.0
    for i in range(n_relevant):
        for j in range(n_irrelevant):
            fall[i] += pairs.slope[i, j]
            rise[j] += pairs.slope[i, j]
    _weights(fall, _most(rise), pairs.fed)


@exact
def _weights(fall, highest, fed):
    for i in range(fall.size):
        fed[i] = highest + fall[i]


@exact
def _most(values):
    """Return the largest value, or 0 if all are negative; see `_least`."""
    most = np.int64(0)
    for j in range(values.size):
        most = max(most, np.float64(values[j]).view(np.int64))
    return np.int64(most).view(np.float64)


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

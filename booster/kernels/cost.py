"""Cost vectors, in the form that the trees are fed: max c - c[l] for each relevant label l.

Both kinds take the scores of the seen relevant and irrelevant labels and the weights of their
pairs. A label in no pair does not change its cost from the constant, so it never appears.
"""

from __future__ import annotations

import math

from booster.kernels.compiling import exact


@exact
def potential(walk, x):
    """Return E max(0, x + W) for the walk W with the tail masses and first moments in `walk`.

    Only the values of W at or above j = ceil(-x) count, so the expectation is
    x P(W >= j) + E[W; W >= j]: exact for any real x.
    """
    middle = (walk.shape[0] - 1) // 2
    j = min(max(math.ceil(-x), -middle), middle) + middle
    return x * walk[j, 0] + walk[j, 1]


@exact
def opt_weights(walk, s_relevant, s_irrelevant, pairs):
    """Compute cost vectors of the Opt algorithms: c[l] = potential of s + e_l (Eq. 2)."""
    fall, rise = pairs.fall[: s_relevant.size], pairs.rise[: s_irrelevant.size]
    fall[:] = 0.0
    rise[:] = 0.0
    for i in range(s_relevant.size):
        for j in range(s_irrelevant.size):
            x = 1.0 + s_irrelevant[j] - s_relevant[i]
            here = potential(walk, x)
            fall[i] += pairs.weight[i, j] * (here - potential(walk, x - 1.0))
            rise[j] += pairs.weight[i, j] * (potential(walk, x + 1.0) - here)
    _weights(fall, rise, pairs.fed)


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

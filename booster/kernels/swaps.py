"""Single-swap exploration and its expected loss, computed exactly, without sampling.

Two swaps leave most of the ranking unchanged. For a relevant label at place i and an irrelevant
one at place j, the probability that they end up in the wrong order is affine in i and j, plus a
part for pairs that are in the wrong order now, if both are in the top-k or both are below it. So
sums of places and two counts of inversions are enough.
"""

from __future__ import annotations

from booster.kernels.compiling import exact
from booster.kernels.random import below


@exact
def swap_twice(order, k, rng):
    """Swap a random label of the top-k with a random one outside it, twice."""
    for _ in range(2):
        place = below(rng, k)
        other = k + below(rng, order.size - k)
        order[place], order[other] = order[other], order[place]


@exact
def swapped_wrong(order, y, k):
    """Return the expected number of pairs in the wrong order after two swaps of a whole ranking."""
    n = order.size - k
    relevant_in, irrelevant_in, place_in, other_in, inverted_in = _places(order, y, 0, k)
    relevant_out, irrelevant_out, place_out, other_out, inverted_out = _places(
        order, y, k, order.size
    )
    b = 1.0 / (k * n)
    inside = _within(k, b, relevant_in, irrelevant_in, place_in, other_in, inverted_in)
    outside = _within(n, b, relevant_out, irrelevant_out, place_out, other_out, inverted_out)
    falls = _across(k, n, relevant_in, place_in, irrelevant_out, other_out)
    rises = _across(k, n, irrelevant_in, other_in, relevant_out, place_out)
    return inside + outside + falls + (irrelevant_in * relevant_out - rises)


@exact
def _places(order, y, first, last):
    """Count relevant and irrelevant labels at some places.

    Returns how many there are, the sums of their places, and how many pairs are in the wrong order.
    """
    relevant, irrelevant, place_sum, other_sum, inverted = 0.0, 0.0, 0.0, 0.0, 0.0
    for place in range(first, last):
        if y[order[place]]:
            relevant += 1.0
            place_sum += place
            inverted += irrelevant
        else:
            irrelevant += 1.0
            other_sum += place
    return relevant, irrelevant, place_sum, other_sum, inverted


@exact
def _within(size, b, relevant, irrelevant, place_sum, other_sum, inverted):
    """Handle pairs with both labels on the same side of the top-k, which has `size` places."""
    stay = (size - 2.0) / size
    level = (size - 2.0) / size**2 + 1.0 / size
    slant = relevant * irrelevant * level
    return stay**2 * inverted + slant + b / size * (place_sum * irrelevant - other_sum * relevant)


@exact
def _across(k, n, count_in, sum_in, count_out, sum_out):
    """Return how many pairs of a label inside the top-k and one outside are expected to swap."""
    m, b, pairs = k + n, 1.0 / (k * n), count_in * count_out
    apart = m * pairs - count_in * sum_out + count_out * sum_in
    below = (m - 1.0) * pairs - count_in * sum_out
    part = (1.0 - 1.0 / k) * (1.0 - 1.0 / n) - b
    level = 1.0 + (n - 1.0) / n + (k - 1.0) / k
    slants = (n - 2.0) / n * below + (k - 2.0) / k * count_out * sum_in
    return b * (part * apart + level * pairs + slants)

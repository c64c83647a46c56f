"""How each exploration scheme changes a ranking, and the expected loss of the result.

Here a scheme is a number; `booster.exploration` has its probabilities of showing a pair.
"""

from __future__ import annotations

from booster.kernels.compiling import exact
from booster.kernels.random import below
from booster.kernels.swaps import swap_twice, swapped_wrong

UNIFORM, SINGLE_SWAP = range(2)
"""The schemes, in `Rules.scheme`."""


@exact
def keeps_places(rules):
    """Whether the shown ranking depends on the whole ranking before randomisation."""
    return rules.scheme != UNIFORM


@exact
def randomise(rules, order, rng):
    """Randomise `order`, the whole ranking."""
    if rules.scheme == SINGLE_SWAP:
        swap_twice(order, rules.k, rng)
    else:
        shuffle(order, rng)


@exact
def shuffle(order, rng):
    """Uniform exploration: shuffle `order` into a uniformly random permutation."""
    for label in range(order.size):
        order[label] = label
    for place in range(order.size - 1, 0, -1):
        other = below(rng, place + 1)
        order[place], order[other] = order[other], order[place]


@exact
def expected_wrong(rules, rate, order, y, wrong, pairs):
    """Return how many of `pairs` are expected in the wrong order; `wrong` are before randomisation.

    Only a scheme that keeps places reads `order`, the whole ranking.
    """
    if rate == 0.0:
        return float(wrong)
    return (1.0 - rate) * wrong + rate * _explored_wrong(rules, order, y, pairs)


@exact
def _explored_wrong(rules, order, y, pairs):
    if rules.scheme == SINGLE_SWAP:
        return swapped_wrong(order, y, rules.k)
    return 0.5 * pairs  # any two labels come in either order with the same probability

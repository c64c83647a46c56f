"""Exploration schemes: how likely each is to show a pair of labels, and how the rate falls.

Whether two labels both end up in the top-k depends only on how many of them (0, 1 or 2) are in
the top-k before randomisation, so each scheme is described by three numbers. The names of the
schemes and schedules are in `booster.tables`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from booster.kernels import schedule as schedules
from booster.kernels import schemes
from booster.kernels.state import FloatArray
from booster.parameters import CLIP as CLIP
from booster.tables import SCHEDULES, SCHEMES


class Scheme(NamedTuple):
    """An exploration scheme."""

    code: int
    """The scheme's code in the kernels."""
    explored: Callable[[int, int], FloatArray]
    """P of a pair with 0, 1 or 2 labels in the top-k, from m and k, given that it explores."""
    suits: Callable[[int, int], bool] = lambda m, k: True
    """Whether it can be used with m and k, where 2 <= k <= m is already checked."""
    rule: str = ""
    """The same condition as text for error messages; it ends with "n_labels"."""


def pair_probabilities(scheme: str, m: int, k: int, rho: float) -> FloatArray:
    """Return P[a and b in the top-k] with 0, 1 or 2 of them in the top-k before randomisation.

    If only one label is outside the top-k, no pair has 0 labels inside: ignore the first number.

    >>> pair_probabilities("uniform", m=6, k=3, rho=0.5).round(3).tolist()
    [0.1, 0.1, 0.6]
    >>> pair_probabilities("single-swap", m=6, k=3, rho=0.5).round(3).tolist()
    [0.074, 0.099, 0.63]
    """
    unchanged = np.array([0.0, 0.0, 1.0])
    return (1.0 - rho) * unchanged + rho * explored_probabilities(scheme, m, k)


def explored_probabilities(scheme: str, m: int, k: int) -> FloatArray:
    """Return the same, given that the ranking is randomised; all 1 if k = m."""
    if k == m:
        return np.ones(3)
    chosen: Scheme = SCHEMES.load(scheme)
    return chosen.explored(m, k)


def fall(schedule: str, rho: float, rho_end: float, horizon: int) -> float:
    """Return the slope that takes the log of the rate from `rho` to `rho_end` in `horizon` rounds.

    The slope is per round, or per logarithm of the round.
    """
    code = SCHEDULES.load(schedule)
    if code == schedules.GEOMETRIC:
        return math.log(rho_end / rho) / max(horizon, 1)
    if code == schedules.POWER:
        return math.log(rho_end / rho) / math.log(max(horizon, 1) + 1)
    return 0.0


def _uniform(m: int, k: int) -> FloatArray:
    """A uniform permutation puts the pair in its top-k in k(k-1) of m(m-1) ordered places."""
    return np.full(3, k * (k - 1) / (m * (m - 1)))


def _single_swap(m: int, k: int) -> FloatArray:
    """Two swaps, each of a uniform label inside with a uniform label outside.

    The number of labels of the pair inside is a Markov chain; this is the probability of two
    inside after two steps. The paper bounds the first two cases and gives the third.
    """
    stays = 1.0 - 1.0 / k
    comes = 1.0 / (m - k)
    two_to_two = (k - 2) / k
    two_to_one = 2.0 / k
    one_to_two = stays * comes
    one_to_one = stays * (1.0 - comes) + comes / k
    none_to_one = 2.0 * comes
    return np.array(
        [
            none_to_one * one_to_two,
            one_to_one * one_to_two + one_to_two * two_to_two,
            two_to_two**2 + two_to_one * one_to_two,
        ]
    )


uniform = Scheme(schemes.UNIFORM, _uniform)
single_swap = Scheme(
    schemes.SINGLE_SWAP, _single_swap, lambda m, k: 3 <= k < m, "3 <= k < n_labels"
)

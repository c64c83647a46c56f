"""Intervals that are likely to have a mean: by the bootstrap, and by a bound that always holds."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from booster.kernels.state import FloatArray


class Interval(NamedTuple):
    """A range of values."""

    low: float
    high: float

    @classmethod
    def within(cls, values: FloatArray, confidence: float) -> Interval:
        """Return the range that has the middle of some values."""
        outside = (1.0 - confidence) / 2.0
        low, high = np.quantile(values, [outside, 1.0 - outside])
        return cls(float(low), float(high))


def bootstrap(columns: FloatArray, times: int, seed: int) -> FloatArray:
    """Return (times, columns): means over rows that are drawn with replacement, some times."""
    rng = np.random.default_rng(seed)
    n_rows = len(columns)
    draws = (rng.integers(n_rows, size=n_rows) for _ in range(times))
    return np.array([columns[rows].mean(axis=0) for rows in draws])


def bernstein(values: FloatArray, span: float, confidence: float) -> Interval:
    """Return the range of the mean by the empirical Bernstein bound (Maurer and Pontil, 2009).

    It holds for independent values of any distribution; `span` is the largest difference of two
    values that there can be, not the largest that was seen.

    >>> values = np.tile([0.0, 1.0], 500)
    >>> [round(end, 3) for end in bernstein(values, 1.0, 0.95)]
    [0.443, 0.557]
    """
    n = values.size
    if n < 2:
        return Interval(-math.inf, math.inf)
    chance = math.log(4.0 / (1.0 - confidence))
    half = math.sqrt(2.0 * float(values.var(ddof=1)) * chance / n)
    half += 7.0 * span * chance / (3.0 * (n - 1))
    mean = float(values.mean())
    return Interval(mean - half, mean + half)

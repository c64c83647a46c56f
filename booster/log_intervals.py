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
    def studentised(
        cls,
        value: float,
        error: float,
        drawn: FloatArray,
        errors: FloatArray,
        confidence: float,
    ) -> Interval:
        """Return the range of an estimate from estimates of drawn rows, each with its error.

        How far these are from the estimate, in their own errors, tells how far the estimate may be
        from the truth. If few rows have large weights, that is more than the spread of the drawn
        estimates, because rows without a large one have a small error too.
        """
        some = errors > 1e-9 * max(abs(value), error)
        if not some.any():
            return cls(value, value)
        away = (drawn[some] - value) / errors[some]
        outside = (1.0 - confidence) / 2.0
        low, high = np.quantile(away, [outside, 1.0 - outside])
        return cls(value - float(high) * error, value - float(low) * error)


def bootstrap(columns: FloatArray, times: int, seed: int) -> FloatArray:
    """Return (times, columns): means over rows that are drawn with replacement, some times."""
    rng = np.random.default_rng(seed)
    n_rows = len(columns)
    drawn = (rng.integers(n_rows, size=n_rows) for _ in range(times))
    counts = (np.bincount(rows, minlength=n_rows).astype(np.float64) for rows in drawn)
    return np.array([each @ columns for each in counts]) / n_rows


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

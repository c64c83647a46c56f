"""Random numbers: SplitMix64, restarted every round from (key, round, row).

The draws of a round depend only on the booster's key, the number of the round and the row of
features. So predicting has no side effect, a stream and a compiled run agree bit for bit, and a
saved booster needs no generator state. The row is included because a booster that only predicts
stays in one round, which would otherwise explore for every row or for none.
"""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import exact

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


@exact
def _mix(z):
    z = (z ^ (z >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


@exact
def _digest(row):
    """Return 64 bits that distinguish rows of features; a zero adds nothing at any place."""
    bits = row.x.view(np.uint32)
    total = np.uint64(0)
    if 2 * row.n[0] > bits.size:  # faster in one piece
        for f in range(bits.size):
            total += np.uint64(bits[f]) * (np.uint64(2 * f + 1) * _GOLDEN)
    else:
        for i in range(row.n[0]):
            f = row.where[i]
            total += np.uint64(bits[f]) * (np.uint64(2 * f + 1) * _GOLDEN)
    return _mix(total)


@exact
def start_round(rng, key, t, row):
    """Set `rng` (one uint64) to the start of the draws of round `t` for a row."""
    rng[0] = _mix(key ^ _mix(np.uint64(t) * _GOLDEN) ^ _digest(row))


@exact
def uniform(rng):
    """Return the next number in [0, 1)."""
    rng[0] = rng[0] + _GOLDEN
    return np.float64(_mix(rng[0]) >> np.uint64(11)) * 2.0**-53


@exact
def below(rng, n):
    """Return the next whole number in 0 .. n-1."""
    return min(np.int64(uniform(rng) * n), n - 1)

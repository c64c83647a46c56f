"""Losses of rankings without ties, and of scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.kernels.state import FloatArray


def wrong_pairs(rankings: NDArray[Any], Y: NDArray[np.uint8]) -> tuple[FloatArray, FloatArray]:
    """Return the number of wrongly ordered pairs, and of all pairs, for every row.

    A pair is a relevant and an irrelevant label.

    >>> wrong, pairs = wrong_pairs(np.array([[1, 0, 2]]), np.array([[1, 0, 0]], dtype=np.uint8))
    >>> wrong.tolist(), pairs.tolist()
    ([1.0], [2.0])
    """
    relevant = np.take_along_axis(Y, rankings, axis=1).astype(np.int64)
    wrong = (relevant * np.cumsum(1 - relevant, axis=1)).sum(axis=1)
    count = relevant.sum(axis=1)
    return wrong.astype(np.float64), (count * (Y.shape[1] - count)).astype(np.float64)


def weighted_losses(rankings: NDArray[Any], Y: NDArray[np.uint8]) -> FloatArray:
    """Return the share of wrong pairs for every row; 0 for a row without pairs."""
    wrong, pairs = wrong_pairs(rankings, Y)
    return wrong / np.maximum(pairs, 1.0)


def hinge_losses(scores: FloatArray, Y: NDArray[np.uint8]) -> FloatArray:
    """Return the hinge loss summed over the pairs, for every row."""
    rows = zip(scores, Y == 1, strict=True)
    margins = (s[np.newaxis, ~relevant] - s[relevant, np.newaxis] for s, relevant in rows)
    return np.array([np.maximum(0.0, 1.0 + each).sum() for each in margins])

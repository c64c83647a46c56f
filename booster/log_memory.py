"""What other rounds with the same features have told: a memory for the model of an estimate.

A log often has the same row many times: a query, a song, an article. What earlier and later rounds
have told about its labels says more than any score. A label that was relevant in r of n other
rounds of its row is predicted to be relevant with probability (s p + r) / (s + n), where p is what
scores predict, and the strength s is how many rounds p is worth. No round counts for itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from booster.kernels.state import FloatArray
from booster.logs import LogRows

_STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, np.inf)
"""From rows whose labels never change to rounds of which each is as good as new."""

_LEAST = 1e-6
"""Predictions are compared as if they were never surer than this."""


def remembering(
    rows: LogRows, groups: NDArray[np.intp], predicted: FloatArray, fitted: NDArray[np.bool_]
) -> FloatArray:
    """Return predictions that know the other rounds of each group.

    The strength is the one that makes the rounds of `fitted` likeliest, by what they know of each
    other alone. So the prediction for any other round does not depend on its own bits.
    """
    among = _shown(rows, fitted)
    known = [_recalled(rows, groups, predicted, among, strength) for strength in _STRENGTHS]
    best = int(np.argmax([_likelihood(rows, each, among) for each in known]))
    return _recalled(rows, groups, predicted, _shown(rows, None), _STRENGTHS[best])


def _shown(rows: LogRows, chosen: NDArray[np.bool_] | None) -> NDArray[np.bool_]:
    """Return which places of which rounds have a label."""
    some = rows.shown >= 0
    return some if chosen is None else some & chosen[:, np.newaxis]


def _recalled(
    rows: LogRows,
    groups: NDArray[np.intp],
    predicted: FloatArray,
    among: NDArray[np.bool_],
    strength: float,
) -> FloatArray:
    """Return predictions that know the other rounds among some places."""
    if np.isinf(strength):
        return predicted
    row, place = np.nonzero(among)
    label, bit = rows.shown[row, place], rows.bits[row, place]
    told, relevant = np.zeros((2, int(groups.max()) + 1, predicted.shape[1]))
    np.add.at(told, (groups[row], label), 1.0)
    np.add.at(relevant, (groups[row], label), bit)
    others, agreed = told[groups], relevant[groups]
    others[row, label] -= 1.0
    agreed[row, label] -= bit
    return np.asarray((strength * predicted + agreed) / (strength + others))


def _likelihood(rows: LogRows, predicted: FloatArray, among: NDArray[np.bool_]) -> float:
    """Return the log-likelihood of the bits in some places."""
    row, place = np.nonzero(among)
    likely = predicted[row, rows.shown[row, place]].clip(_LEAST, 1.0 - _LEAST)
    relevant = rows.bits[row, place] == 1
    return float(np.log(np.where(relevant, likely, 1.0 - likely)).sum())

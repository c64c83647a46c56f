"""What a booster predicts of the relevance of labels, learned from a log: the model of an estimate.

Scores rank, but are no probabilities. A logistic curve over the score of a label in its row and
over the rate at which the label was relevant when seen makes them so. It is fitted to the labels
that one half of the rows has shown and predicts the other half, so that no row knows its own bits.
Where rows have the same features, what the other ones have told counts too: see `log_memory`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from booster.kernels.state import FloatArray
from booster.log_memory import remembering
from booster.logs import LogRows
from booster.row_groups import row_groups

_STEPS = 12
_RIDGE = 1e-3
"""Keeps the curve finite if it could separate all bits."""


def predicted_relevance(rows: LogRows, scores: FloatArray, rates: FloatArray) -> FloatArray:
    """Return the probability that each label of each row is relevant.

    `rates` has how often each label was relevant when seen, between 0 and 1.
    """
    inputs = _inputs(scores, rates)
    groups = row_groups(rows.features)
    repeated = int(groups.max()) + 1 < rows.n_rows
    half = np.arange(rows.n_rows) % 2 == 0
    found = np.empty(scores.shape)
    for fitted, asked in ((half, ~half), (~half, half)):
        predicted = _curve(inputs @ _fit(rows, inputs, fitted))
        known = remembering(rows, groups, predicted, fitted) if repeated else predicted
        found[asked] = known[asked]
    return found


def _inputs(scores: FloatArray, rates: FloatArray) -> FloatArray:
    """Return the inputs of the curve: a constant, the score relative to the row, the rate."""
    spread = scores.std(axis=1, keepdims=True)
    relative = (scores - scores.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1.0)
    odds = np.log(rates / (1.0 - rates))
    return np.stack([np.ones_like(scores), relative, np.broadcast_to(odds, scores.shape)], axis=2)


def _fit(rows: LogRows, inputs: FloatArray, chosen: NDArray[np.bool_]) -> FloatArray:
    """Return the weights of the inputs, by Newton's method on the bits that were shown."""
    row, place = np.nonzero((rows.shown >= 0) & chosen[:, np.newaxis])
    x = inputs[row, rows.shown[row, place]]
    bit = rows.bits[row, place].astype(np.float64)
    weights = np.array([0.0, 0.0, 1.0])
    for _ in range(_STEPS if bit.size else 0):
        likely = _curve(x @ weights)
        slope = x.T @ (bit - likely) - _RIDGE * bit.size * weights
        bend = (x * (likely * (1.0 - likely))[:, np.newaxis]).T @ x
        weights = weights + np.linalg.solve(bend + _RIDGE * bit.size * np.eye(3), slope)
    return weights


def _curve(values: FloatArray) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -30.0, 30.0))))

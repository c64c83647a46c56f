"""The rank loss of any ranking, estimated from a log of what another policy has shown.

The loss of a row is the number of its pairs of a relevant and an irrelevant label that are in the
wrong order: the unweighted rank loss of the paper. The weighted one divides by the number of all
such pairs of the row, which feedback on a few labels does not tell, so it cannot be estimated.

Three estimates of the same loss:

- inverse propensity: each wrong pair that was seen, divided by the probability of seeing it.
  Unbiased, but of a large variance if some pairs were unlikely.
- self-normalised: the same, divided by the weight of all pairs that were seen relative to what is
  expected of it. Slightly biased, with less variance.
- doubly robust: what a model of relevance predicts for all pairs, corrected by the pairs that were
  seen. Unbiased whatever the model says, if it does not know the row, and better the better it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.kernels.state import FloatArray
from booster.log_intervals import Interval, bernstein, bootstrap
from booster.logs import LogRows

RESAMPLES = 400
"""How often the bootstrap draws all rows again."""


@dataclass(frozen=True)
class LossEstimate:
    """An estimate of the mean rank loss of a row.

    Parameters
    ----------
    value
        The estimate.
    error
        Its standard error.
    interval
        The range of the loss by the bootstrap, studentised: approximate, and narrow.
    bernstein
        The range by the empirical Bernstein bound: it holds for any number of rows, and is wide.
        None for the self-normalised estimate, which is no mean over rows.
    """

    value: float
    error: float
    interval: Interval
    bernstein: Interval | None


@dataclass(frozen=True)
class LogLosses:
    """The estimates of the loss of some rankings from a log.

    Parameters
    ----------
    inverse_propensity, self_normalised, doubly_robust
        The estimates; the last is None without a model of relevance.
    rows
        The number of rows.
    effective_rows
        The number of rows of equal weight that would tell as much.
    """

    inverse_propensity: LossEstimate
    self_normalised: LossEstimate
    doubly_robust: LossEstimate | None
    rows: int
    effective_rows: float

    @property
    def best(self) -> LossEstimate:
        """The estimate of the least standard error, of the self-normalised and the doubly robust.

        Which of them it is depends on the rows, so that of two models may differ.
        """
        if self.doubly_robust is None or self.self_normalised.error < self.doubly_robust.error:
            return self.self_normalised
        return self.doubly_robust


def log_losses(
    rows: LogRows,
    scores: ArrayLike,
    relevance: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
    seed: int = 0,
) -> LogLosses:
    """Estimate the rank loss of scores from a log.

    Parameters
    ----------
    rows
        The rows of the log; see `booster.logs.log_rows`.
    scores
        (rows, labels): larger for labels that are ranked higher; a tie counts as wrong. See
        `scores_of` for rankings.
    relevance
        (rows, labels): the predicted probability that a label is relevant, by a model that has not
        seen the bits of the row.
    confidence
        How likely the intervals are to have the loss.
    seed
        The seed of the bootstrap.

    Examples
    --------
    >>> from booster import Log
    >>> from booster.logs import log_rows
    >>> log = Log([[0.0], [0.0]], [[0, 1], [2, 1]], [[1, 0], [1, 0]], [[0.5], [0.25]])
    >>> rows = log_rows(log, n_features=1, n_labels=3)
    >>> log_losses(rows, [[3.0, 2.0, 1.0]] * 2).inverse_propensity.value
    2.0
    """
    scored = np.asarray(scores, np.float64)
    if len(scored) != rows.n_rows or np.isnan(scored).any():
        raise ValueError(f"scores must be numbers for {rows.n_rows} rows, but got {scored.shape}")
    model = None if relevance is None else np.asarray(relevance, np.float64)
    sums = row_sums(rows, scored, model)
    all_pairs = math.comb(scored.shape[1], 2)
    largest = sums.most_pairs / sums.least_probability
    ones = np.ones(rows.n_rows)
    ratios = [(sums.wrong, ones), (all_pairs * sums.wrong, sums.weight)]
    bounds = [bernstein(sums.wrong, largest, confidence), None]
    if model is not None:
        robust = predicted_wrong(scored, model) + sums.corrections
        ratios.append((robust, ones))
        bounds.append(bernstein(robust, all_pairs + 2 * largest, confidence))
    found = _estimates(ratios, bounds, confidence, seed)
    return LogLosses(
        found[0],
        found[1],
        found[2] if model is not None else None,
        rows=rows.n_rows,
        effective_rows=effective(sums.weight),
    )


def scores_of(rankings: ArrayLike) -> FloatArray:
    """Return scores by which labels are ranked as in `rankings`, without ties."""
    return -np.argsort(np.asarray(rankings), axis=1).astype(np.float64)


def effective(weights: FloatArray) -> float:
    """Return the number of equal weights that would have the same variance.

    >>> effective(np.array([1.0, 1.0, 0.0, 0.0]))
    2.0
    """
    squares = float((weights**2).sum())
    return float(weights.sum()) ** 2 / squares if squares else 0.0


def predicted_wrong(scores: FloatArray, relevance: FloatArray) -> FloatArray:
    """Return the expected number of wrong pairs of each row if labels were relevant at random.

    Each label is relevant with its own probability, independently of the others.
    """
    order = np.argsort(-scores, axis=1, kind="stable")
    score = np.take_along_axis(scores, order, axis=1)
    likely = np.take_along_axis(relevance, order, axis=1)
    irrelevant_above = np.cumsum(1.0 - likely, axis=1) - (1.0 - likely)
    wrong = (likely * irrelevant_above).sum(axis=1)
    for apart in range(1, scores.shape[1]):  # a tie is wrong in either order
        tied = score[:, :-apart] == score[:, apart:]
        if not tied.any():
            break
        wrong += (tied * likely[:, :-apart] * (1.0 - likely[:, apart:])).sum(axis=1)
    return np.asarray(wrong)


@dataclass(frozen=True)
class RowSums:
    """Sums over the pairs that each row has shown, each divided by its probability."""

    wrong: FloatArray
    weight: FloatArray
    corrections: FloatArray
    """What was seen, less what the model predicted."""
    most_pairs: int
    least_probability: float


def row_sums(rows: LogRows, scores: FloatArray, model: FloatArray | None = None) -> RowSums:
    """Return the sums over what each row has shown, from which all estimates follow."""
    wrong, weight, corrections = np.zeros((3, rows.n_rows))
    least, most = 1.0, 0
    for chosen, n_shown in by_width(rows):
        first, second = np.triu_indices(n_shown, 1)
        shown, bits = rows.shown[chosen, :n_shown], rows.bits[chosen, :n_shown].astype(bool)
        likely = rows.pairs[chosen, : first.size]
        s = np.take_along_axis(scores[chosen], shown.astype(np.intp), axis=1)
        first_wrong, second_wrong = s[:, first] <= s[:, second], s[:, second] <= s[:, first]
        seen = (bits[:, first] & ~bits[:, second] & first_wrong) | (
            bits[:, second] & ~bits[:, first] & second_wrong
        )
        wrong[chosen] = (seen / likely).sum(axis=1)
        weight[chosen] = (1.0 / likely).sum(axis=1)
        if model is not None:
            q = np.take_along_axis(model[chosen], shown.astype(np.intp), axis=1)
            a, b = q[:, first], q[:, second]
            expected = a * (1.0 - b) * first_wrong + b * (1.0 - a) * second_wrong
            corrections[chosen] = ((seen - expected) / likely).sum(axis=1)
        least, most = min(least, float(likely.min())), max(most, first.size)
    return RowSums(wrong, weight, corrections, most, least)


def by_width(rows: LogRows) -> Iterator[tuple[NDArray[np.intp], int]]:
    """Yield the rows that show the same number of labels, and that number."""
    counts = (rows.shown >= 0).sum(axis=1)
    for n_shown in np.unique(counts):
        yield np.flatnonzero(counts == n_shown), int(n_shown)


def _estimates(
    ratios: Sequence[tuple[FloatArray, FloatArray]],
    bounds: Sequence[Interval | None],
    confidence: float,
    seed: int,
) -> list[LossEstimate]:
    """Return ratios of means of values and weights, with intervals from the same drawn rows.

    With weights of 1, a ratio is a mean.
    """
    n_rows = len(ratios[0][0])
    moments = np.stack([part for x, w in ratios for part in (x, w, x * x, x * w, w * w)], axis=1)
    drawn = bootstrap(moments, RESAMPLES, seed)
    found = []
    for first, bound in zip(range(0, moments.shape[1], 5), bounds, strict=True):
        own = slice(first, first + 5)
        values, errors = _ratio(moments[:, own].mean(axis=0)[np.newaxis], n_rows)
        value, error = float(values[0]), float(errors[0]) if n_rows > 1 else math.inf
        again = _ratio(drawn[:, own], n_rows)
        interval = Interval.studentised(value, error, *again, confidence)
        found.append(LossEstimate(value, error, interval, bound))
    return found


def _ratio(moments: FloatArray, n_rows: int) -> tuple[FloatArray, FloatArray]:
    """Return ratios of means and their errors, to first order, from means of x, w, xx, xw, ww."""
    x, w, xx, xw, ww = moments.T
    ratio = x / w
    variance = np.maximum(xx - 2.0 * ratio * xw + ratio**2 * ww, 0.0) / w**2
    return ratio, np.sqrt(variance / max(n_rows - 1, 1))

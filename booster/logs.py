"""Feedback that any policy collected: what it showed, what was told, and how likely that was.

A pair of labels that was seen, divided by the probability that the policy showed both, is unbiased
for any scores. So a booster can learn from what another policy has shown, if it is known how likely
each pair was. Hidden labels do not exist here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.features import count_rows, row_of, rows_of
from booster.kernels.state import INDEX, Features, FloatArray
from booster.parameters import read_only

NOTHING = -1
"""Fills a row of shown labels that is shorter than others."""


@dataclass(frozen=True, eq=False)
class Offer:
    """A ranking to show, and how likely it was to show what it shows.

    Parameters
    ----------
    ranking
        All labels, best first, exploration included.
    shown
        The first k of them, whose relevance will be told.
    pairs
        For each pair of the labels shown, the probability that both are among the first k, in the
        order (0, 1), (0, 2), .., (0, k-1), (1, 2), .. of their places. Not clipped.
    """

    ranking: NDArray[np.int64]
    shown: NDArray[np.int64]
    pairs: FloatArray


@dataclass(frozen=True, eq=False)
class Log:
    """Rounds of any policy, one in each row.

    Parameters
    ----------
    features
        The features, dense or CSR.
    shown
        (rows, width): the labels shown, in the order of their places. Rows with fewer labels than
        others end with -1.
    bits
        (rows, width): 1 for a shown label that was relevant, else 0; ignored after the last label.
    pairs
        (rows, width (width - 1) / 2): the probability of each pair of the labels shown, as in
        `Offer`; ignored after the last pair of the labels that the row has.
    """

    features: Any
    shown: ArrayLike
    bits: ArrayLike
    pairs: ArrayLike


@dataclass(frozen=True)
class LogResult:
    """What learning from a log took.

    Parameters
    ----------
    rounds
        The number of rounds.
    seconds
        Their duration.
    """

    rounds: int
    seconds: float


@dataclass(frozen=True, eq=False)
class LogRows:
    """A log that was checked, as kernels read it."""

    features: Features
    shown: NDArray[np.int32]
    bits: NDArray[np.uint8]
    pairs: FloatArray

    @property
    def n_rows(self) -> int:
        """The number of rounds."""
        return len(self.shown)


def count_pairs(n_shown: int) -> int:
    """Return the number of pairs of so many labels."""
    return n_shown * (n_shown - 1) // 2


class LogError(ValueError):
    """A round breaks a rule.

    Parameters
    ----------
    broken
        The rule and the value.
    row
        The row, counted from 0; None for a single round.
    """

    def __init__(self, broken: str, row: int | None) -> None:
        super().__init__(broken if row is None else f"row {row}: {broken}")
        self.broken, self.row = broken, row

    def __reduce__(self) -> Any:
        """Keep both parts when it is sent to another process."""
        return LogError, (self.broken, self.row)


def one_round(
    x: ArrayLike,
    shown: ArrayLike,
    bits: ArrayLike,
    pairs: ArrayLike,
    n_features: int,
    n_labels: int,
) -> LogRows:
    """Return a log of one round, if it keeps all rules."""
    features = row_of(x, n_features)
    try:
        return _checked(
            features, _row("shown", shown), _row("bits", bits), _row("pairs", pairs), n_labels
        )
    except LogError as error:
        raise LogError(error.broken, None) from None


def log_rows(log: Log, n_features: int, n_labels: int) -> LogRows:
    """Return the rows of a log; raise a `LogError` with the row and the rule if one is broken."""
    features = rows_of(log.features, n_features)
    if count_rows(features) == 0:
        raise ValueError("a log must have at least one row, but got none")
    shown, bits, pairs = np.asarray(log.shown), np.asarray(log.bits), np.asarray(log.pairs)
    return _checked(features, shown, bits, pairs, n_labels)


def _row(name: str, values: ArrayLike) -> NDArray[Any]:
    row = np.asarray(values)
    if row.ndim != 1:
        raise ValueError(f"{name} must have 1 dimension, but got {row.ndim}")
    return row[np.newaxis]


def _checked(
    features: Features,
    shown: NDArray[Any],
    bits: NDArray[Any],
    pairs: NDArray[Any],
    n_labels: int,
) -> LogRows:
    _check_shapes(count_rows(features), shown, bits, pairs)
    counts = check_labels("shown", shown, n_labels, 2)
    within = np.arange(shown.shape[1]) < counts[:, np.newaxis]
    check_values("bits", bits, within & (bits != 0) & (bits != 1), "0 or 1")
    likely = np.arange(pairs.shape[1]) < (counts * (counts - 1) // 2)[:, np.newaxis]
    in_range = (pairs > 0.0) & (pairs <= 1.0)
    check_values("pairs", pairs, likely & ~in_range, "probabilities above 0 and at most 1")
    return LogRows(
        features,
        read_only(np.ascontiguousarray(shown, INDEX)),
        read_only(np.ascontiguousarray(np.where(within, bits, 0), np.uint8)),
        read_only(np.ascontiguousarray(pairs, np.float64)),
    )


def _check_shapes(
    n_rows: int, shown: NDArray[Any], bits: NDArray[Any], pairs: NDArray[Any]
) -> None:
    if shown.dtype.kind not in "iu":
        raise ValueError(f"shown must be whole numbers, but got {shown.dtype}")
    for name, values in (("bits", bits), ("pairs", pairs)):
        if values.dtype.kind not in "fiub":
            raise ValueError(f"{name} must be numeric, but got {values.dtype}")
    if shown.ndim != 2 or len(shown) != n_rows:
        raise ValueError(f"shown must have {n_rows} rows of labels, but got {shown.shape}")
    width = shown.shape[1]
    expected = {"bits": (bits, width), "pairs": (pairs, count_pairs(width))}
    for name, (values, size) in expected.items():
        if values.shape != (n_rows, size):
            raise ValueError(
                f"{name} must have {size} values for {width} labels shown, "
                f"{n_rows} row{'s' * (n_rows > 1)}, but got {values.shape}"
            )


def check_labels(name: str, rows: NDArray[Any], n_labels: int, least: int) -> NDArray[np.int64]:
    """Return how many labels each row has; raise a `LogError` unless each has them once."""
    outside = (rows < NOTHING) | (rows >= n_labels)
    check_values(name, rows, outside, f"labels 0 .. {n_labels - 1}")
    some = rows >= 0
    late = some[:, 1:] & ~some[:, :-1]  # it would be lost
    check_values(name, rows[:, 1:], late, "in one piece, with -1 only at the end")
    counts = np.asarray(some.sum(axis=1, dtype=np.int64))
    if (counts < least).any():
        row = int(np.argmax(counts < least))
        raise LogError(f"{name} must have at least {least} labels, but got {counts[row]}", row)
    ordered = np.sort(rows, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    check_values(name, ordered[:, 1:], twice, "distinct labels")
    return counts


def check_values(name: str, values: NDArray[Any], wrong: NDArray[np.bool_], rule: str) -> None:
    """Raise a `LogError` with the first value that breaks a rule."""
    if wrong.any():
        row, column = (int(i[0]) for i in np.nonzero(wrong))
        raise LogError(f"{name} must be {rule}, but got {values[row, column]}", row)

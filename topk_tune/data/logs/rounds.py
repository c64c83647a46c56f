"""From columns of lists to rounds that keep all rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.logs import (
    NOTHING,
    Log,
    LogError,
    LogRows,
    check_labels,
    check_values,
    count_pairs,
    log_rows,
)
from booster.tables import SCHEMES
from topk_tune.data.logs.format import Header
from topk_tune.data.rows import FeatureRows, csr_rows


class Lists:
    """A column of lists, in flat arrays."""

    def __init__(self, name: str, column: Any) -> None:
        if column.null_count:
            raise LogError(f"{name} must be a list, but got nothing", _first_null(column))
        self.name = name
        self.sizes = column.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
        flat = column.flatten()
        if flat.null_count:
            row = int(np.searchsorted(np.cumsum(self.sizes), _first_null(flat), side="right"))
            raise LogError(f"{name} must have no empty values, but got one", row)
        self.flat = flat.to_numpy(zero_copy_only=False)

    def padded(self, fill: Any) -> NDArray[Any]:
        """Return a row for each list; shorter ones end with `fill`."""
        width = int(self.sizes.max(initial=0))
        rows = np.full((self.sizes.size, width), fill, self.flat.dtype)
        rows[np.arange(width) < self.sizes[:, np.newaxis]] = self.flat
        return rows

    def check_sizes(self, expected: NDArray[np.int64], what: str) -> None:
        """Raise a `LogError` unless each list has as many values as expected."""
        wrong = self.sizes != expected
        if wrong.any():
            row = int(np.argmax(wrong))
            raise LogError(
                f"{self.name} must have {expected[row]} values, {what}, but got {self.sizes[row]}",
                row,
            )


def rounds_of(columns: Mapping[str, Any], header: Header) -> tuple[FeatureRows, LogRows]:
    """Return the features and the rounds of some rows; raise a `LogError` if a rule is broken.

    The columns are arrays of Arrow, of the types of the format.
    """
    features = _features(columns, header)
    lists = Lists("shown", columns["shown"])
    if (lists.flat < 0).any():
        row = int(np.argmax((lists.padded(0) < 0).any(axis=1)))
        raise LogError("shown must be labels, but got a negative number", row)
    shown = lists.padded(NOTHING)
    counts = check_labels("shown", shown, header.n_labels, 2)
    bits = Lists("bits", columns["bits"])
    bits.check_sizes(counts, "one for each label shown")
    pairs = _pairs(columns, shown, counts, header.n_labels)
    log = Log(features, shown, bits.padded(0), pairs)
    return features, log_rows(log, header.n_features, header.n_labels)


def _features(columns: Mapping[str, Any], header: Header) -> FeatureRows:
    if "features" in columns:
        lists = Lists("features", columns["features"])
        lists.check_sizes(np.full_like(lists.sizes, header.n_features), "one for each feature")
        dense: NDArray[np.float32] = lists.flat.reshape(-1, header.n_features)
        check_values("features", dense, ~np.isfinite(dense), "finite in float32")
        return dense
    where, values = Lists("indices", columns["indices"]), Lists("values", columns["values"])
    values.check_sizes(where.sizes, "one for each index")
    row = np.repeat(np.arange(where.sizes.size), where.sizes)
    outside = (where.flat < 0) | (where.flat >= header.n_features)
    _check_flat("indices", where.flat, outside, row, f"features 0 .. {header.n_features - 1}")
    falls = np.zeros(where.flat.size, np.bool_)
    falls[1:] = (np.diff(where.flat) <= 0) & (np.diff(row) == 0)
    _check_flat("indices", where.flat, falls, row, "rising in each row")
    _check_flat("values", values.flat, ~np.isfinite(values.flat), row, "finite in float32")
    some = values.flat != 0.0  # equal rows have equal arrays
    starts = np.concatenate([[0], np.cumsum(np.bincount(row[some], minlength=where.sizes.size))])
    return csr_rows(values.flat[some], where.flat[some], starts, header.n_features)


def _pairs(
    columns: Mapping[str, Any], shown: NDArray[Any], counts: NDArray[np.int64], n_labels: int
) -> NDArray[np.float64]:
    width = shown.shape[1]
    if "pairs" in columns:
        lists = Lists("pairs", columns["pairs"])
        lists.check_sizes(counts * (counts - 1) // 2, "one for each pair of labels shown")
        pairs = np.zeros((len(shown), count_pairs(width)))
        found = lists.padded(0.0)
        pairs[:, : found.shape[1]] = found
        return pairs
    if "propensities" in columns:
        return _products(Lists("propensities", columns["propensities"]), counts, width)
    return _by_scheme(columns, shown, counts, n_labels)


def _products(lists: Lists, counts: NDArray[np.int64], width: int) -> NDArray[np.float64]:
    lists.check_sizes(counts, "one for each label shown")
    each = lists.padded(0.0)
    some = np.arange(width) < counts[:, np.newaxis]
    wrong = some & ~((each > 0.0) & (each <= 1.0))
    check_values("propensities", each, wrong, "probabilities above 0 and at most 1")
    pairs = np.zeros((len(each), count_pairs(width)))
    for n in np.unique(counts):
        rows, (first, second) = counts == n, np.triu_indices(n, 1)
        pairs[rows, : first.size] = each[rows][:, first] * each[rows][:, second]
    return pairs


def _by_scheme(
    columns: Mapping[str, Any], shown: NDArray[Any], counts: NDArray[np.int64], n_labels: int
) -> NDArray[np.float64]:
    """Return P of each pair from the scheme, as a booster that explores computes it."""
    schemes, rates = _schemes(columns["scheme"]), _rates(columns["rate"])
    lists = Lists("ranking", columns["ranking"])
    if (short := lists.sizes < counts).any():
        row = int(np.argmax(short))
        rule = f"ranking must have at least the {counts[row]} labels that would have been shown"
        raise LogError(f"{rule}, but got {lists.sizes[row]}", row)
    ranking = lists.padded(NOTHING)
    check_labels("ranking", ranking, n_labels, 2)
    pairs = np.zeros((len(shown), count_pairs(shown.shape[1])))
    for n in np.unique(counts):
        first, second = np.triu_indices(n, 1)
        for scheme in np.unique(schemes[counts == n]):
            rows = np.flatnonzero((counts == n) & (schemes == scheme))
            known = SCHEMES.load(str(scheme))  # loads Numba, which nothing else here needs
            if not known.suits(n_labels, int(n)):
                rule = f"k must satisfy {known.rule} = {n_labels} for {scheme} exploration"
                raise LogError(f"{rule}, but got {n} labels shown", int(rows[0]))
            in_top = (shown[rows, :n, np.newaxis] == ranking[rows, np.newaxis, :n]).any(axis=2)
            inside = in_top[:, first].astype(np.int64) + in_top[:, second]
            if n == n_labels:
                pairs[rows, : first.size] = 1.0
                continue
            rate, explored = rates[rows, np.newaxis], known.explored(n_labels, int(n))
            pairs[rows, : first.size] = (1.0 - rate) * (inside == 2) + rate * explored[inside]
    return pairs


def _schemes(column: Any) -> NDArray[np.str_]:
    names = np.array(column.to_pylist(), dtype=object)
    for row, name in enumerate(names):
        if name not in SCHEMES.own:
            known = ", ".join(SCHEMES.own)
            raise LogError(f"scheme must be one of {known}, but got {name!r}", row)
    return names.astype(np.str_)


def _rates(column: Any) -> NDArray[np.float64]:
    rates: NDArray[np.float64] = column.to_numpy(zero_copy_only=False).astype(np.float64)
    wrong = ~((rates >= 0.0) & (rates <= 1.0))
    check_values("rate", rates[:, np.newaxis], wrong[:, np.newaxis], "from 0 to 1")
    return rates


def _check_flat(
    name: str, values: NDArray[Any], wrong: NDArray[np.bool_], row: NDArray[np.int64], rule: str
) -> None:
    if wrong.any():
        at = int(np.argmax(wrong))
        raise LogError(f"{name} must be {rule}, but got {values[at]}", int(row[at]))


def _first_null(column: Any) -> int:
    return int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))

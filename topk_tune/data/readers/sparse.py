"""Sparse rows of files, filled row by row without copies."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topk_tune.data.readers.errors import refused
from topk_tune.data.readers.table import Table, check_memory
from topk_tune.data.rows import (
    MOST_VALUES,
    count_nonzero,
    csr_rows,
    dense_rows,
    is_sparse,
    pays,
    sparse_rows,
)

RISING_RULE = "the indices of a row must increase"


class SparseFiller:
    """Puts what is not zero into arrays that have room for all of it, and labels beside.

    Parameters
    ----------
    path
        The file.
    rows, values
        At most so many rows and values are put in.
    n_features, n_labels
        The columns.
    """

    def __init__(self, path: Path, rows: int, values: int, n_features: int, n_labels: int) -> None:
        check_size(path, rows, values, n_labels)
        self._path, self._n_features = path, n_features
        self._values, self._columns = np.empty(values, np.float32), np.empty(values, np.int32)
        self._starts = np.zeros(rows + 1, np.int32)
        self._rows = 0
        # Pages of zeros are allocated when they are written, so unused rows take no memory.
        self.Y = np.zeros((rows, n_labels), np.uint8)
        """The labels, to be set by the reader."""

    @property
    def rows(self) -> int:
        """The number of rows put in so far."""
        return self._rows

    def put(self, columns: ArrayLike, values: ArrayLike, lengths: ArrayLike) -> None:
        """Add rows of so many values each, whose columns rise; zeros are left out."""
        where, value = np.asarray(columns, np.int32), np.asarray(values, np.float32)
        counts = np.asarray(lengths, np.int64)
        if not value.all():
            row = np.repeat(np.arange(counts.size), counts)
            where, row, value = where[value != 0], row[value != 0], value[value != 0]
            counts = np.bincount(row, minlength=counts.size)
        first, rows = int(self._starts[self._rows]), self._rows + counts.size
        last = first + value.size
        if rows >= self._starts.size or last > self._values.size:
            rule = "a file must not change while it is read"
            raise refused(self._path, None, rule, "more rows or values than were counted")
        self._values[first:last], self._columns[first:last] = value, where
        self._starts[self._rows + 1 : rows + 1] = first + np.cumsum(counts)
        self._rows = rows

    def table(self, feature_names: Sequence[str], label_names: Sequence[str]) -> Table:
        """The rows put in so far."""
        starts = self._starts[: self._rows + 1]
        used = slice(0, int(starts[-1]))
        X = csr_rows(self._values[used], self._columns[used], starts, self._n_features)
        return Table(X, self.Y[: self._rows], feature_names, label_names)


def in_one_form(tables: list[Table]) -> list[Table]:
    """The parts of a data set in one form: sparse if the file had sparse rows and that pays."""
    if not any(is_sparse(table.X) for table in tables):
        return tables
    nonzeros = sum(count_nonzero(table.X) for table in tables)
    cells = sum(table.X.shape[0] * table.X.shape[1] for table in tables)
    shape = sparse_rows if pays(nonzeros, cells) else dense_rows
    return [Table(shape(t.X), t.Y, t.feature_names, t.label_names) for t in tables]


def check_size(path: Path, rows: int, values: int, n_labels: int) -> None:
    """Refuse a file whose sparse rows do not fit into the memory, or into a CSR matrix."""
    if values > MOST_VALUES:
        rule = f"a file must have at most {MOST_VALUES:,} values that are not zero"
        raise refused(path, None, rule, f"{values:,}")
    size = f"{rows:,} rows of {n_labels:,} labels, and {values:,} values"
    check_memory(path, rows, rows * (4 + n_labels) + 8 * values, size)


def canonical(
    path: Path,
    name: str,
    values: NDArray[np.float32],
    columns: NDArray[np.int32],
    starts: NDArray[np.int32],
    n_features: int,
) -> Any:
    """The CSR matrix of these arrays, without its zeros; its columns must rise in each row."""
    entry = first_fall(starts, columns)
    if entry is not None:
        row = int(np.searchsorted(starts, entry, side="right"))
        raise refused(path, f"{name} row {row}", RISING_RULE, fall(columns, entry))
    kept = values != 0
    if not kept.all():
        counts = np.concatenate([[0], np.cumsum(kept)])
        values, columns, starts = values[kept], columns[kept], counts[starts]
    return csr_rows(values, columns, starts, n_features)


def first_fall(starts: NDArray[Any], columns: NDArray[Any]) -> int | None:
    """The first value whose column does not exceed the one before it in its row; None if all do."""
    falls = np.flatnonzero(columns[1:] <= columns[:-1]) + 1
    within = falls[~np.isin(falls, starts)]
    return int(within[0]) if within.size else None


def fall(columns: NDArray[Any], entry: int) -> str:
    """What a refusal says of a column that does not exceed the one before it."""
    return f"{columns[entry]} after {columns[entry - 1]}"

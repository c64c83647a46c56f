"""The result of every reader, filled row by row without copies."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from topk_tune.data.readers.columns import Columns, check_names
from topk_tune.data.readers.errors import BadCellError, refused
from topk_tune.data.rows import FeatureRows, is_sparse, sparse_rows

FEATURE_RULE = "a feature must be finite in float32"
LABEL_RULE = "a label must be 0 or 1"


# Compared by identity: arrays have no single truth value for == to return.
@dataclass(frozen=True, eq=False)
class Table:
    """Features in float32 and 0/1 labels in uint8, both in C order, with the column names.

    Features may also be a CSR matrix; see `topk_tune.data.rows`.
    """

    X: FeatureRows
    Y: NDArray[np.uint8]
    feature_names: Sequence[str]
    label_names: Sequence[str]


def table_of(
    path: Path,
    X: Any,
    Y: ArrayLike,
    feature_names: Sequence[str],
    label_names: Sequence[str],
) -> Table:
    """Make a table, or refuse a file whose numbers break a rule of all formats.

    Features are an array, or a matrix of `scipy.sparse`.

    >>> table_of(Path("a.jsonl"), [[0.5], [1.5]], [[1], [0]], ["tempo"], ["sad"]).Y.dtype.name
    'uint8'
    """
    check_names(path, None, [*feature_names, *label_names])
    features, labels = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X), np.asarray(Y)
    _check_shape(path, features, "feature", len(feature_names))
    _check_shape(path, labels, "label", len(label_names))
    if features.shape[0] != len(labels):
        rule = "there must be as many rows of labels as of features"
        raise refused(path, None, rule, f"{len(labels)} and {features.shape[0]}")
    with np.errstate(over="ignore"):  # what overflows becomes infinite, and is refused
        made = _sparse(path, features) if is_sparse(features) else _dense(path, features)
    _check_all(path, (labels == 0) | (labels == 1), labels, LABEL_RULE)
    flags = np.require(labels, np.uint8, ("C", "W"))
    return Table(made, flags, feature_names, label_names)


def _dense(path: Path, features: NDArray[Any]) -> NDArray[np.float32]:
    # In this order, and writable: a random split moves rows within the arrays.
    made = np.require(features, np.float32, ("C", "W"))
    _check_all(path, np.isfinite(made), features, FEATURE_RULE)
    return made


def _sparse(path: Path, features: Any) -> FeatureRows:
    made = sparse_rows(features)
    bad = np.flatnonzero(~np.isfinite(made.data))
    if bad.size:
        row = int(np.searchsorted(made.indptr, bad[0], side="right"))
        got = f"{made.data[bad[0]]} in column {made.indices[bad[0]] + 1}"
        raise refused(path, f"row {row}", FEATURE_RULE, got)
    return made


def sound(path: Path, found: object) -> Table:
    """What a reader that is not ours has returned, if it keeps to the rules of all formats."""
    if not isinstance(found, Table):
        raise refused(path, None, "a reader must return a Table", type(found).__name__)
    return table_of(path, found.X, found.Y, found.feature_names, found.label_names)


def _check_shape(path: Path, array: Any, kind: str, columns: int) -> None:
    if array.dtype.kind not in "fiub":
        rule = f"every {kind} must be a number"
        raise refused(path, None, rule, f"the type {array.dtype}")
    if array.ndim != 2 or array.shape[1] != columns or not array.shape[0]:
        rule = f"there must be rows, and one {kind} in each for every name"
        raise refused(path, None, rule, f"the shape {array.shape} for {columns} names")


def _check_all(path: Path, good: NDArray[np.bool_], values: NDArray[Any], rule: str) -> None:
    if not good.all():
        row, column = (int(i) for i in np.argwhere(~good)[0])
        raise refused(path, f"row {row + 1}", rule, f"{values[row, column]} in column {column + 1}")


def allocate(
    path: Path, rows: int, n_features: int, n_labels: int
) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Make arrays of zeros for a file; refuse a file without rows or larger than the memory."""
    size = f"{rows:,} rows of {n_features:,} features and {n_labels:,} labels"
    check_memory(path, rows, rows * (4 * n_features + n_labels), size)
    # Pages of zeros are allocated when they are written, so unused rows take no memory.
    return np.zeros((rows, n_features), np.float32), np.zeros((rows, n_labels), np.uint8)


def check_memory(path: Path, rows: int, needed: int, size: str) -> None:
    """Refuse a file without rows, or whose arrays need more bytes than the memory has left."""
    import psutil

    if rows < 1:
        raise refused(path, None, "a file must have at least one row", "none")
    free = psutil.virtual_memory().available
    if needed > free:
        rule = f"the arrays must fit into {free / 2**30:.1f} GiB of free memory"
        raise refused(path, None, rule, f"{size}: {needed / 2**30:.1f} GiB")


class Filler:
    """Puts rows into arrays that have room for all of them, so that nothing is copied."""

    def __init__(self, path: Path, columns: Columns, max_rows: int) -> None:
        """Make the arrays for at most `max_rows` rows."""
        self._path, self._columns = path, columns
        self._X, self._Y = allocate(path, max_rows, len(columns.features), len(columns.labels))
        self._rows = 0

    @property
    def rows(self) -> int:
        """The number of rows put in so far."""
        return self._rows

    def put(self, block: NDArray[np.float64]) -> None:
        """Add rows with a value for each column; a `BadCellError` if a value is invalid."""
        rows = slice(self._rows, self._rows + len(block))
        if rows.stop > len(self._X):
            rule = "a file must not change while it is read"
            raise refused(self._path, None, rule, "more rows than were counted")
        labels = block[:, self._columns.labels]
        _check((labels == 0) | (labels == 1), self._columns.labels, LABEL_RULE)
        with np.errstate(over="ignore"):  # overflows become infinite and are refused
            self._X[rows] = block[:, self._columns.features]
        _check(np.isfinite(self._X[rows]), self._columns.features, FEATURE_RULE)
        self._Y[rows] = labels
        self._rows = rows.stop

    def table(self) -> Table:
        """The rows put in so far; there must be at least one."""
        if self._rows == 0:
            raise refused(self._path, None, "a file must have at least one row", "none")
        names = self._columns
        X, Y = self._X[: self._rows], self._Y[: self._rows]
        return Table(X, Y, names.feature_names, names.label_names)


def _check(good: NDArray[np.bool_], columns: NDArray[np.intp], rule: str) -> None:
    if not good.all():
        row, column = np.argwhere(~good)[0]
        raise BadCellError(int(row), int(columns[column]), rule)

"""Rows of features as users have them, dense or sparse, in the form that kernels read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.kernels.state import FEATURE, INDEX, Features, Row
from booster.parameters import feature_row, feature_rows, read_only

CSR = ("indptr", "indices", "data", "shape")
"""What a sparse matrix has; SciPy's `csr_array` and `csr_matrix` do. SciPy is not imported."""


def rows_of(X: ArrayLike, n_features: int) -> Features:
    """Return rows of finite features, dense or CSR, as kernels read them."""
    if is_sparse(X):
        return _sparse("X", X, n_features, 2)
    return _dense(feature_rows(X, n_features))


def row_of(x: ArrayLike, n_features: int) -> Features:
    """Return one row of finite features; a sparse one is a matrix of one row."""
    if not is_sparse(x):
        return _dense(feature_row(x, n_features)[np.newaxis])
    features = _sparse("x", x, n_features, 1)
    if count_rows(features) != 1:
        raise ValueError(f"x must have one row, but got {count_rows(features)}")
    return features


def is_sparse(X: Any) -> bool:
    """Whether rows are given as a sparse matrix."""
    return hasattr(X, "tocsr") or all(hasattr(X, name) for name in CSR)


def count_rows(features: Features) -> int:
    """Return the number of rows."""
    return len(features.dense) if features.start.size == 0 else features.start.size - 1


def some_rows(features: Features, rows: slice) -> Features:
    """Return the rows of a slice, without copying them."""
    if features.start.size == 0:
        return features._replace(dense=features.dense[rows])
    last = min(rows.stop, features.start.size - 1)
    return features._replace(start=features.start[rows.start : last + 1])


def copied(features: Features) -> Features:
    """Return the same rows in arrays of their own."""
    dense, start, where, value = features
    return Features(dense.copy(), start.copy(), where.copy(), value.copy())


def dense_rows(features: Features, n_features: int) -> NDArray[np.float32]:
    """Return the rows as a dense array."""
    if features.start.size == 0:
        return features.dense
    rows = np.zeros((count_rows(features), n_features), FEATURE)
    at = np.repeat(np.arange(len(rows)), np.diff(features.start))
    rows[at, features.where] = features.value
    return read_only(rows)


def blank_row(n_features: int) -> Row:
    """Return scratch space for one row."""
    return Row(np.zeros(n_features, FEATURE), np.zeros(n_features, INDEX), np.zeros(1, np.int64))


def _dense(rows: NDArray[np.float32]) -> Features:
    return Features(
        read_only(rows),
        read_only(np.zeros(0, np.int64)),
        read_only(np.zeros(0, INDEX)),
        read_only(np.zeros(0, FEATURE)),
    )


def _sparse(name: str, X: Any, n_features: int, least_dimensions: int) -> Features:
    if len(X.shape) < least_dimensions:
        raise ValueError(f"{name} must have {least_dimensions} dimensions, but got {len(X.shape)}")
    # CSC has the same arrays, so a square one would be read as if it were transposed.
    if getattr(X, "format", "csr") != "csr":
        X = X.tocsr()
    if X.shape[-1] != n_features:
        raise ValueError(
            f"{name} must have n_features = {n_features} columns, but got {X.shape[-1]}"
        )
    start = np.ascontiguousarray(X.indptr, np.int64)
    where, given = np.asarray(X.indices), np.asarray(X.data)
    n_rows = X.shape[0] if len(X.shape) > 1 else 1
    if where.dtype.kind not in "iu":
        raise ValueError(f"{name}.indices must be whole numbers, but got {where.dtype}")
    _check_starts(name, start, n_rows, where.size, given.size)
    where, given = where[: start[-1]], given[: start[-1]]  # SciPy allows more
    _check_columns(name, start, where, n_features)
    if given.dtype.kind not in "fiub":
        raise ValueError(f"{name} must be numeric, but got {given.dtype!r}")
    with np.errstate(over="ignore"):
        value = np.ascontiguousarray(given, FEATURE)
    if not np.isfinite(value).all():
        entry = int(np.flatnonzero(~np.isfinite(value))[0])
        place = int(np.searchsorted(start, entry, side="right")) - 1, int(where[entry])
        raise ValueError(f"{name} must be finite in float32, but got {given[entry]} at {place}")
    return Features(
        read_only(np.zeros((0, n_features), FEATURE)),
        read_only(start),
        read_only(np.ascontiguousarray(where, INDEX)),
        read_only(value),
    )


def _check_starts(name: str, start: NDArray[Any], n_rows: int, *sizes: int) -> None:
    """Raise a ValueError unless `start` divides the entries of a CSR matrix into its rows."""
    fits = start.size == n_rows + 1 and start[0] == 0 and (np.diff(start) >= 0).all()
    if not fits or any(size < start[-1] for size in sizes):
        raise ValueError(f"{name}.indptr must rise from 0 to the number of entries, row by row")


def _check_columns(name: str, start: NDArray[Any], where: NDArray[Any], n_features: int) -> None:
    """Raise a ValueError unless the columns of each row rise and exist: kernels rely on it."""
    if where.size == 0:
        return
    if where.min() < 0 or where.max() >= n_features:
        wrong = where.min() if where.min() < 0 else where.max()
        raise ValueError(f"{name} must have columns 0 .. {n_features - 1}, but got {wrong}")
    falls = np.flatnonzero(np.diff(where) <= 0) + 1
    within = falls[~np.isin(falls, start)]
    if within.size:
        row = int(np.searchsorted(start, within[0], side="right")) - 1
        raise ValueError(
            f"{name} must have rising columns in each row, but row {row} has {where[within[0]]} "
            f"after {where[within[0] - 1]}"
        )

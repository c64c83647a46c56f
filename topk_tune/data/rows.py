"""Rows of features in their two forms: a dense array, or a CSR matrix of what is not zero.

SciPy is imported only if rows are sparse.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from booster.features import is_sparse

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = [
    "MOST_VALUES",
    "SPARSE_BELOW",
    "FeatureRows",
    "RowIndex",
    "bytes_of",
    "count_nonzero",
    "csr_rows",
    "dense_blocks",
    "dense_rows",
    "is_sparse",
    "pays",
    "sparse_rows",
    "take",
    "why_not_canonical",
]

FeatureRows: TypeAlias = "NDArray[np.float32] | csr_array"
"""Features in float32: an array in C order, or a canonical `csr_array` (see `csr_rows`)."""

RowIndex = slice | NDArray[np.intp]
"""Rows to take; a slice where possible, because it makes a view of large arrays, not a copy."""

SPARSE_BELOW = 0.25
"""Files with sparse rows are held sparse if a smaller share of their values is not zero. A value
takes 8 bytes in a sparse row and 4 in a dense one. docs/data.md has measurements."""

MOST_VALUES = 2**31 - 1
"""The largest number of values in a CSR matrix: their places are 32-bit numbers."""

_BLOCK_BYTES = 2**24


def pays(nonzeros: int, cells: int) -> bool:
    """Whether so few of the values are not zero that sparse rows cost less.

    >>> pays(10, 100), pays(25, 100)
    (True, False)
    """
    return nonzeros < SPARSE_BELOW * cells


def csr_rows(
    values: NDArray[np.float32],
    columns: NDArray[np.int32],
    starts: NDArray[Any],
    n_features: int,
) -> csr_array:
    """Make a canonical CSR matrix, whose equal rows have equal arrays, without a copy.

    Columns rise within each row and none occurs twice, no value is zero, and all types are 32-bit.

    >>> one, two = np.array([0.5, 2], "f"), np.array([1, 3], "i")
    >>> csr_rows(one, two, np.array([0, 0, 2]), 4).toarray().tolist()
    [[0.0, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 2.0]]
    """
    from scipy.sparse import csr_array

    if not len(values) == len(columns) == starts[-1]:
        raise ValueError(
            f"there must be {starts[-1]} values and columns, but got {len(values)}, {len(columns)}"
        )
    made = csr_array((len(starts) - 1, n_features), dtype=np.float32)
    # Its constructor would copy what is a small part of a larger array.
    made.data, made.indices = values, columns
    made.indptr = starts.astype(np.int32, copy=False)
    made.has_sorted_indices = made.has_canonical_format = True  # spares SciPy a look at all values
    return made


def sparse_rows(X: Any) -> csr_array:
    """The canonical CSR matrix of an array or of any matrix of SciPy; the same one if it is that.

    >>> sparse_rows(np.array([[0, 2], [0, 0]])).indices.tolist()
    [1]
    """
    from scipy.sparse import csr_array

    if why_not_canonical(X) is None:
        return X
    made = csr_array(X, dtype=np.float32, copy=True)
    made.sum_duplicates()
    made.eliminate_zeros()
    return csr_rows(made.data, made.indices.astype(np.int32, copy=False), made.indptr, X.shape[1])


def why_not_canonical(X: Any) -> str | None:
    """The rule that sparse rows break, and how; None if `csr_rows` could have made them."""
    from scipy.sparse import csr_array

    if not isinstance(X, csr_array):
        return f"sparse rows must be a csr_array, but got {type(X).__name__}"
    for part, kind in (("data", np.float32), ("indices", np.int32), ("indptr", np.int32)):
        found = getattr(X, part).dtype
        if found != kind:
            return f"{part} of sparse rows must be {np.dtype(kind).name}, but got {found}"
    if not X.has_canonical_format:
        return "columns of sparse rows must rise, but got unsorted or equal ones in a row"
    if np.count_nonzero(X.data) < X.data.size:
        return "sparse rows must hold no zeros, but got some"
    return None


def dense_rows(X: Any) -> NDArray[np.float32]:
    """The rows as a dense array; the same one if it is that."""
    dense: NDArray[np.float32] = X.toarray() if is_sparse(X) else X
    return dense


def dense_blocks(X: FeatureRows) -> Iterator[NDArray[np.float32]]:
    """The rows as dense arrays of some rows each, so that few are dense at a time."""
    step = max(1, _BLOCK_BYTES // (4 * max(1, X.shape[1])))
    for start in range(0, X.shape[0], step):
        yield dense_rows(take(X, slice(start, min(start + step, X.shape[0]))))


def take(X: Any, rows: RowIndex) -> FeatureRows:
    """Some of the rows; of a slice, the same memory where that is possible."""
    if not is_sparse(X) or not isinstance(rows, slice):
        return X[rows]
    first, last, _ = rows.indices(X.shape[0])
    starts = X.indptr[first : last + 1]
    part = slice(starts[0], starts[-1])
    return csr_rows(X.data[part], X.indices[part], starts - starts[0], X.shape[1])


def count_nonzero(X: Any) -> int:
    """How many values are not zero."""
    return int(X.nnz) if is_sparse(X) else int(np.count_nonzero(X))


def bytes_of(X: Any) -> int:
    """The memory of the rows."""
    if is_sparse(X):
        return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    return int(X.nbytes)

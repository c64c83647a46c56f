"""Sparse features in a NumPy archive: the arrays of a CSR matrix, each under a name of its own.

`X_train_data`, `X_train_indices`, `X_train_indptr` and `X_train_shape` are the matrix X_train. The
names that `scipy.sparse.save_npz` uses, without a prefix, are X.
"""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.csr_arrays import CSR_ARRAYS
from topk_tune.data.readers.errors import quoted, refused
from topk_tune.data.readers.npz_member import (
    ARCHIVE_RULE,
    Member,
    read_header,
    to_features,
    to_labels,
    to_places,
)
from topk_tune.data.readers.sparse import canonical, check_size
from topk_tune.data.readers.table import FEATURE_RULE, LABEL_RULE
from topk_tune.data.rows import MOST_VALUES

_FORMAT_BYTES = 16


def find_csr(names: set[str], matrix: str) -> str | None:
    """What stands before the names of a matrix's arrays; None if they are not there."""
    for prefix in (f"{matrix}_", "") if matrix == "X" else (f"{matrix}_",):
        if names.issuperset(prefix + array for array in CSR_ARRAYS):
            return prefix
    return None


def read_csr(
    path: Path, archive: zipfile.ZipFile, prefix: str, x_name: str, y_name: str
) -> tuple[Any, NDArray[np.uint8]]:
    """Read a CSR matrix and the labels of its rows."""
    _check_format(path, archive, prefix)
    rows, n_features = _read_shape(path, archive, f"{prefix}shape")
    names = [f"{prefix}{array}" for array in ("data", "indices", "indptr")]
    with (
        archive.open(f"{names[0]}.npy") as data,
        archive.open(f"{names[1]}.npy") as indices,
        archive.open(f"{names[2]}.npy") as indptr,
        archive.open(f"{y_name}.npy") as labels,
    ):
        files = (data, indices, indptr)
        members = [Member(path, n, f, 1) for n, f in zip(names, files, strict=True)]
        y_member = Member(path, y_name, labels)
        check_rows(path, x_name, rows, y_name, y_member.shape[0])
        n_values = _check_lengths(path, names, members, rows)
        check_size(path, rows, n_values, y_member.shape[1])
        values, columns = np.empty(n_values, np.float32), np.empty(n_values, np.int32)
        starts, Y = np.empty(rows + 1, np.int32), np.empty((rows, y_member.shape[1]), np.uint8)
        members[0].read_into(values, FEATURE_RULE, to_features)
        rule = f"an index must be between 0 and {n_features - 1}"
        members[1].read_into(columns, rule, to_places(n_features - 1))
        rule = f"a start of a row must be between 0 and {n_values}, the number of values"
        members[2].read_into(starts, rule, to_places(n_values))
        y_member.read_into(Y, LABEL_RULE, to_labels)
    _check_starts(path, names[2], starts, n_values)
    return canonical(path, x_name, values, columns, starts, n_features), Y


def check_rows(path: Path, x_name: str, rows: int, y_name: str, y_rows: int) -> None:
    """Refuse labels of more or fewer rows than there are features."""
    if rows != y_rows:
        rule = f"{y_name} must have {rows} rows, as many as {x_name}"
        raise refused(path, y_name, rule, str(y_rows))


def _check_format(path: Path, archive: zipfile.ZipFile, prefix: str) -> None:
    """Refuse the arrays of another kind of matrix, which SciPy names in the archive."""
    name = f"{prefix}format"
    if f"{name}.npy" not in archive.namelist():
        return
    with archive.open(f"{name}.npy") as file:
        shape, _, dtype = read_header(path, name, file)
        if shape != () or dtype.kind not in "SU" or dtype.itemsize > _FORMAT_BYTES:
            raise refused(path, name, "the format must be a word", f"{dtype} of shape {shape}")
        content = file.read(dtype.itemsize)
    if len(content) < dtype.itemsize:
        raise refused(path, name, ARCHIVE_RULE, "an array that ends early")
    found = np.frombuffer(content, dtype)[0]
    word = found.decode("latin1") if isinstance(found, bytes) else str(found)
    if word != "csr":
        raise refused(path, name, "a sparse matrix must be in the format 'csr'", quoted(word))


def _read_shape(path: Path, archive: zipfile.ZipFile, name: str) -> tuple[int, int]:
    with archive.open(f"{name}.npy") as file:
        member = Member(path, name, file, 1)
        rule = "the shape must be two whole numbers, of rows and columns"
        if member.shape != (2,) or member.kind not in "iu":
            raise refused(path, name, rule, f"{member.shape[0]} numbers of kind {member.kind!r}")
        shape = np.zeros(2, np.int64)
        rule = f"rows and columns must be at most {MOST_VALUES:,}"
        member.read_into(shape, rule, to_places(MOST_VALUES))
    if not shape.all():
        rule = "there must be at least one row and one column"
        raise refused(path, name, rule, f"{tuple(shape.tolist())}")
    return int(shape[0]), int(shape[1])


def _check_lengths(path: Path, names: list[str], members: list[Member], rows: int) -> int:
    (n_values,), (n_columns,), (n_starts,) = (member.shape for member in members)
    for name, member in zip(names[1:], members[1:], strict=True):
        if member.kind not in "iu":
            raise refused(path, name, "an index must be an integer", f"the kind {member.kind!r}")
    if n_columns != n_values:
        rule = f"{names[1]} must have {n_values} entries, as many as {names[0]}"
        raise refused(path, names[1], rule, str(n_columns))
    if n_starts != rows + 1:
        rule = f"{names[2]} must have {rows + 1} entries, one more than there are rows"
        raise refused(path, names[2], rule, str(n_starts))
    return int(n_values)


def _check_starts(path: Path, name: str, starts: NDArray[Any], n_values: int) -> None:
    falls = np.flatnonzero(np.diff(starts) < 0)
    if falls.size:
        at = int(falls[0]) + 1
        got = f"{starts[at]} after {starts[at - 1]}"
        raise refused(path, f"{name}[{at}]", "starts of rows must not fall", got)
    if starts[0] != 0 or starts[-1] != n_values:
        rule = f"starts of rows must go from 0 to {n_values}, the number of values"
        raise refused(path, name, rule, f"{starts[0]} to {starts[-1]}")

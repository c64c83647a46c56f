"""Rows with the same features."""

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.rows import is_sparse


def row_groups(X: Any) -> NDArray[np.intp]:
    """Number the groups of equal rows by their first row; return the group of each row.

    >>> row_groups(np.array([[1.0], [2.0], [1.0], [3.0]])).tolist()
    [0, 1, 0, 2]
    """
    known: dict[bytes, int] = {}
    found = (known.setdefault(key, len(known)) for key in row_keys(X))
    return np.fromiter(found, np.intp, X.shape[0])


def row_keys(X: Any) -> Iterator[bytes]:
    """A key for each row, the same for equal rows."""
    if is_sparse(X):
        for start, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            part = slice(start, end)
            yield _digest(X.indices[part].tobytes() + X.data[part].tobytes())
    else:
        for row in X:
            yield _digest((row + 0.0).tobytes())  # -0.0 is a zero like any other


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()

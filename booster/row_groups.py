"""Rows with the same features."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from booster.features import count_rows
from booster.kernels.state import Features


def row_groups(features: Features) -> NDArray[np.intp]:
    """Number the groups of equal rows by their first row; return the group of each row.

    >>> from booster.features import rows_of
    >>> row_groups(rows_of([[1.0], [2.0], [1.0], [3.0]], n_features=1)).tolist()
    [0, 1, 0, 2]
    """
    known: dict[bytes, int] = {}
    found = (known.setdefault(key, len(known)) for key in row_keys(features))
    return np.fromiter(found, np.intp, count_rows(features))


def row_keys(features: Features) -> Iterator[bytes]:
    """A key for each row, the same for equal rows."""
    dense, start, where, value = features
    if start.size:
        for first, last in pairwise(start):
            yield _digest(where[first:last].tobytes() + value[first:last].tobytes())
    else:
        for row in dense:
            yield _digest((row + 0.0).tobytes())  # -0.0 is a zero like any other


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()

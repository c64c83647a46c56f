"""The fingerprint of a data set: a hash of its arrays, the same on every machine.

The values of dense rows are hashed, and of sparse rows the arrays of their CSR matrix. To write
out the zeros of sparse rows would take time in proportion to them, so the two forms of the same
rows have different fingerprints.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.logs.feedback import PARTS, Feedback
from topk_tune.data.rows import FeatureRows, dense_blocks, is_sparse

_MOST_DENSE_BYTES = 2**35
"""Larger rows are not written out to be hashed, which takes a second or two per gigabyte."""


def fingerprint(arrays: Mapping[str, Any]) -> str:
    """The sha256 of features and labels, by their names."""
    digest = hashlib.sha256()
    for name, array in arrays.items():
        if isinstance(array, Feedback):
            for part in PARTS:
                _add(digest, f"{name} {part}", getattr(array, part))
        elif is_sparse(array):
            digest.update(f"{name} csr {array.shape}\n".encode())
            # One type for all sizes of a matrix.
            starts = array.indptr.astype(np.int64)
            for part in (starts, array.indices, array.data):
                _add(digest, name, part)
        else:
            _add(digest, name, array)
    return digest.hexdigest()


def dense_fingerprint(arrays: Mapping[str, FeatureRows]) -> str | None:
    """The fingerprint that sparse rows have when they are dense; None if that is too large."""
    if sum(4 * int(np.prod(each.shape, dtype=np.int64)) for each in arrays.values()) > (
        _MOST_DENSE_BYTES
    ):
        return None
    digest = hashlib.sha256()
    for name, array in arrays.items():
        digest.update(_title(name, array.dtype, array.shape))
        for block in dense_blocks(array):
            digest.update(_portable(block).data)
    return digest.hexdigest()


def _add(digest: Any, name: str, array: NDArray[Any]) -> None:
    digest.update(_title(name, array.dtype, array.shape))
    digest.update(_portable(array).data)


def _title(name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    return f"{name} {dtype.newbyteorder('<').str} {shape}\n".encode()


def _portable(array: NDArray[Any]) -> NDArray[Any]:
    """The array in the byte order that is hashed on all machines."""
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))

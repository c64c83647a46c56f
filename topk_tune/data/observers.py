"""Which observer of a booster's trees fits the features of a data set."""

from typing import Any

import numpy as np

from topk_tune.data.rows import FeatureRows, count_nonzero, dense_blocks, is_sparse

BINARY, SPARSE, GAUSSIAN = "binary", "sparse", "gaussian"
"""The names of observers in `booster.tables.OBSERVERS`."""

_MOSTLY = 0.5


def suggested_observer(X: FeatureRows) -> str:
    """The observer that fits features: "binary", "sparse" or "gaussian".

    "binary" if every feature is 0 or one positive value, "sparse" if most values are zero, and
    "gaussian" otherwise.

    >>> suggested_observer(np.array([[0, 2.5], [1, 0]], np.float32))
    'binary'
    """
    if _two_valued(X):
        return BINARY
    return SPARSE if mostly_zero(X) else GAUSSIAN


def mostly_zero(X: FeatureRows) -> bool:
    """Whether more than half of the values are zero."""
    rows, columns = X.shape
    return bool(count_nonzero(X) < _MOSTLY * rows * columns)


def _two_valued(X: Any) -> bool:
    """Whether every column has at most one value that is not zero, and none is negative."""
    value = np.zeros(X.shape[1], np.float32)
    if is_sparse(X):
        value[X.indices] = X.data
        return bool((X.data > 0).all() and (X.data == value[X.indices]).all())
    for block in dense_blocks(X):
        value = np.maximum(value, block.max(axis=0))
    return all(bool(((block == 0) | (block == value)).all()) for block in dense_blocks(X))

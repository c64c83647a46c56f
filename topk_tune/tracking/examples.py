"""Rows that a model has as its example, in the form in which a spool keeps them as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from topk_tune.data.rows import FeatureRows, is_sparse, take

Example = list[list[float]] | Mapping[str, Any]
"""Dense rows as lists, or the arrays of a CSR matrix by name, and its shape."""

_PARTS = ("data", "indices", "indptr", "shape")


def example_of(X: FeatureRows, rows: int) -> Example:
    """The first rows, as JSON can hold them."""
    first = take(X, slice(0, rows))
    if is_sparse(first):
        return {part: np.asarray(getattr(first, part)).tolist() for part in _PARTS}
    found: list[list[float]] = first.tolist()
    return found


def example_rows(example: Example) -> Any:
    """The rows of an example, as MLflow accepts them: an array, or a `csr_matrix`."""
    if not isinstance(example, Mapping):
        return np.array(example, dtype=np.float32)
    from scipy.sparse import csr_matrix

    data, indices, indptr, shape = (example[part] for part in _PARTS)
    return csr_matrix((np.array(data, np.float32), indices, indptr), shape=tuple(shape))

"""The arrays of features under which archives store them, dense and sparse."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.rows import FeatureRows, csr_rows, is_sparse

CSR_ARRAYS = ("data", "indices", "indptr", "shape")
"""What a CSR matrix consists of, as `scipy.sparse.save_npz` calls it."""


def to_arrays(name: str, X: FeatureRows) -> dict[str, NDArray[Any]]:
    """The arrays that store features: themselves, or those of the CSR matrix, as NAME_data etc."""
    if not is_sparse(X):
        return {name: np.asarray(X)}
    return {f"{name}_{array}": np.asarray(getattr(X, array)) for array in CSR_ARRAYS}


def from_arrays(name: str, stored: Mapping[str, NDArray[Any]]) -> FeatureRows:
    """The features that `to_arrays` has stored; a KeyError if they are not there."""
    if name in stored:
        return stored[name]
    data, indices, indptr, shape = (stored[f"{name}_{array}"] for array in CSR_ARRAYS)
    return csr_rows(data, indices, indptr, int(shape[1]))

"""One row of features as text of a journal, and back to the same bits."""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.rows import FeatureRows, csr_rows

DENSE, WHERE, VALUE = "features", "indices", "values"

_FLOAT, _INDEX = np.dtype("<f4"), np.dtype("<i4")


def packed(row: FeatureRows) -> dict[str, str]:
    """The row as texts; a sparse one is a matrix of one row."""
    if isinstance(row, np.ndarray):
        return {DENSE: _text(row, _FLOAT)}
    return {WHERE: _text(row.indices, _INDEX), VALUE: _text(row.data, _FLOAT)}


def unpacked(content: Mapping[str, Any], n_features: int) -> FeatureRows:
    """The row of such texts."""
    if DENSE in content:
        return _array(content[DENSE], _FLOAT)
    where, value = _array(content[WHERE], _INDEX), _array(content[VALUE], _FLOAT)
    return csr_rows(value, where, np.array([0, len(where)]), n_features)


def _text(values: NDArray[Any], kind: np.dtype[Any]) -> str:
    return b64encode(np.ascontiguousarray(values, kind).tobytes()).decode("ascii")


def _array(text: str, kind: np.dtype[Any]) -> NDArray[Any]:
    return np.frombuffer(b64decode(text, validate=True), kind)

"""Sparse rows for tests, in the forms in which files may have them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st
from scipy.sparse import csr_array
from test_data_readers_tools import FLOATS

from topk_tune.data.rows import is_sparse, why_not_canonical

N_FEATURES, N_LABELS = 40, 3


@st.composite
def sparse_tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Few values among many zeros, also in rows that are empty, and the labels of the rows."""
    n_rows = draw(st.integers(1, 6))
    X = np.zeros((n_rows, N_FEATURES), np.float32)
    for row in X:
        for column in draw(st.sets(st.integers(0, N_FEATURES - 1), max_size=6)):
            row[column] = draw(FLOATS)
    bits = st.lists(st.integers(0, 1), min_size=N_LABELS, max_size=N_LABELS)
    Y = np.array([draw(bits) for _ in range(n_rows)], np.uint8)
    return X, Y


def assert_sparse(found: Any, wanted: np.ndarray) -> None:
    """The rows are held sparse, in their canonical form, and have these values."""
    assert is_sparse(found)
    assert why_not_canonical(found) is None
    np.testing.assert_array_equal(found.toarray(), wanted)


def arrays(X: np.ndarray, prefix: str = "", **changes: Any) -> dict[str, Any]:
    """The arrays of a CSR matrix as an archive has them, some of them changed."""
    made = csr_array(X)
    parts = {name: getattr(made, name) for name in ("data", "indices", "indptr", "shape")}
    return {prefix + name: np.asarray(part) for name, part in {**parts, **changes}.items()}


def write_lists(
    path: Path,
    indices: list[Any],
    values: list[Any],
    n_features: int | None = None,
    **labels: Any,
) -> Path:
    """Write sparse rows as lists to Parquet."""
    columns = {
        "indices": pa.array(indices, pa.list_(pa.int64())),
        "values": pa.array(values, pa.list_(pa.float64())),
        **labels,
    }
    table = pa.table(columns)
    if n_features is not None:
        table = table.replace_schema_metadata({"n_features": str(n_features)})
    pq.write_table(table, path, row_group_size=2)
    return path


def lists_of(X: np.ndarray) -> tuple[list[list[int]], list[list[float]]]:
    """The indices and the values of each row."""
    indices = [np.flatnonzero(row).tolist() for row in X]
    return indices, [row[where].tolist() for row, where in zip(X, indices, strict=True)]

"""Writes logs, some rows at a time."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from booster.logs import LogRows, count_pairs
from topk_tune.data.logs.file import JSON_LINES, PARQUET
from topk_tune.data.logs.format import DENSE, KEY, PAIRS, SPARSE, TOLD, Header, types
from topk_tune.data.rows import FeatureRows, is_sparse


class LogWriter:
    """Writes rounds with the probabilities of their pairs; the ending tells the format.

    The file has its name once it is complete: before, or if writing fails, it ends in `.part`.

    Parameters
    ----------
    path
        The file, which ends in .parquet or .jsonl.
    header
        What all rows have in common.
    sparse
        Whether the features are written as indices and values.
    """

    def __init__(self, path: str | Path, header: Header, sparse: bool = False) -> None:
        import pyarrow as pa

        self.path = Path(path)
        kind = self.path.suffix.lower().removeprefix(".")
        if kind not in (PARQUET, JSON_LINES):
            raise ValueError(f"a log must end in .{PARQUET} or .{JSON_LINES}, but got {path}")
        names = [*(SPARSE if sparse else DENSE), *TOLD, *PAIRS]
        kinds = types()
        metadata = {KEY: header.text()}
        self._schema = pa.schema([(name, kinds[name]) for name in names], metadata)
        self._part = self.path.with_name(self.path.name + ".part")
        self._sink = (_ParquetSink if kind == PARQUET else _JsonSink)(self._part, self._schema)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._sink.close()
        if error is None:
            self._part.replace(self.path)
        else:
            self._part.unlink(missing_ok=True)

    def write(self, features: FeatureRows, rows: LogRows) -> None:
        """Add some rows."""
        import pyarrow as pa

        sizes = (rows.shown >= 0).sum(axis=1)
        told = {
            "shown": _lists(rows.shown, sizes),
            "bits": _lists(rows.bits.astype(np.int8), sizes),
            "pairs": _lists(rows.pairs, np.array([count_pairs(int(n)) for n in sizes])),
        }
        columns = _feature_columns(features) | told
        arrays = [columns[field.name].cast(field.type) for field in self._schema]
        self._sink.write(pa.RecordBatch.from_arrays(arrays, schema=self._schema))


class _ParquetSink:
    def __init__(self, path: Path, schema: Any) -> None:
        from pyarrow import parquet

        self._file = parquet.ParquetWriter(path, schema, compression="zstd")

    def write(self, batch: Any) -> None:
        self._file.write_batch(batch)

    def close(self) -> None:
        self._file.close()


class _JsonSink:
    def __init__(self, path: Path, schema: Any) -> None:
        self._file = path.open("w", encoding="utf-8")
        header = json.loads(schema.metadata[KEY.encode()])
        self._file.write(json.dumps({KEY: header}) + "\n")

    def write(self, batch: Any) -> None:
        for row in batch.to_pylist():
            self._file.write(json.dumps(row) + "\n")

    def close(self) -> None:
        self._file.close()


def _feature_columns(features: Any) -> dict[str, Any]:
    import pyarrow as pa

    if is_sparse(features):
        starts = pa.array(features.indptr.astype(np.int32))
        return {
            "indices": pa.ListArray.from_arrays(starts, pa.array(features.indices)),
            "values": pa.ListArray.from_arrays(starts, pa.array(features.data)),
        }
    dense = np.asarray(features)
    return {"features": _lists(dense, np.full(len(dense), dense.shape[1]))}


def _lists(rows: Any, sizes: Any) -> Any:
    """Return the first values of each row, as many as `sizes` says."""
    import pyarrow as pa

    flat = rows[np.arange(rows.shape[1]) < sizes[:, np.newaxis]]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(starts), pa.array(flat))

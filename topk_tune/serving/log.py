"""The log of a served model: Parquet files with a row for each round that was learned."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topk_tune.data.logs.format import DENSE, KEY, PAIRS, SPARSE, TOLD, Header, types
from topk_tune.data.rows import dense_rows, is_sparse, sparse_rows
from topk_tune.serving.durable import durable
from topk_tune.serving.features import unpacked
from topk_tune.serving.lines import read_lines
from topk_tune.serving.rounds import FEEDBACK, OFFER

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 1_000
"""Rows that are converted at a time."""


def write_part(
    folder: Path, journal: Path, n_features: int, labels: Sequence[str], sparse: bool
) -> Path | None:
    """Write the rounds of a journal as a part of the log; None if it has none.

    The part of a journal always has the same name, so a conversion that was interrupted is
    repeated.
    """
    from pyarrow import parquet

    rounds = _rounds(journal, n_features)
    first = next(rounds, None)
    if first is None:
        return None
    schema = log_schema(n_features, labels, sparse)
    folder.mkdir(exist_ok=True)
    path = folder / f"{journal.stem.replace('journal', 'rounds')}.parquet"
    with durable(path) as file, parquet.ParquetWriter(file, schema) as writer:
        rows = [_row(first, sparse)]
        for each in rounds:
            if len(rows) == _ROWS:
                _write(writer, rows, schema)
                rows = []
            rows.append(_row(each, sparse))
        _write(writer, rows, schema)
    return path


def log_schema(n_features: int, labels: Sequence[str], sparse: bool) -> "pa.Schema":
    """The columns of a log, with its header as metadata."""
    import pyarrow as pa

    kinds = types()
    names = (*(SPARSE if sparse else DENSE), *TOLD, *PAIRS)
    about = [("id", pa.string()), ("time", pa.timestamp("us", tz="UTC"))]
    columns = [*about, *((name, kinds[name]) for name in names)]
    return pa.schema(columns, metadata={KEY: Header(n_features, labels).text()})


def _rounds(journal: Path, n_features: int) -> Iterator[dict[str, Any]]:
    """The rounds of a journal: each ranking with its feedback."""
    shown: dict[str, dict[str, Any]] = {}
    for _, _, entry in read_lines(journal):
        if OFFER in entry:
            shown[entry[OFFER]] = entry
        elif FEEDBACK in entry:
            offer = shown.pop(entry[FEEDBACK])
            yield {**offer, **entry, "row": unpacked(offer, n_features)}


def _row(each: dict[str, Any], sparse: bool) -> dict[str, Any]:
    row = each["row"]
    if sparse:
        row = row if is_sparse(row) else sparse_rows(row[None])
        features = dict(zip(SPARSE, (row.indices, row.data), strict=True))
    else:
        features = dict(zip(DENSE, [dense_rows(row).ravel()], strict=True))
    told = {name: each[name] for name in (*TOLD, *PAIRS)}
    return {"id": each[FEEDBACK], "time": round(each["time"] * 1e6), **features, **told}


def _write(writer: Any, rows: list[dict[str, Any]], schema: "pa.Schema") -> None:
    import pyarrow as pa

    columns = [pa.array([row[field.name] for row in rows], field.type) for field in schema]
    writer.write_table(pa.Table.from_arrays(columns, schema=schema))

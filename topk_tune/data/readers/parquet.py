"""Parquet: numeric columns with names, or lists of sparse rows, read a block of rows at a time."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from topk_tune.data.errors import DataError
from topk_tune.data.readers.columns import Labels, check_names, choose
from topk_tune.data.readers.errors import BadCellError, quoted, refused
from topk_tune.data.readers.parquet_sparse import (
    INDICES,
    VALUES,
    count_features,
    is_sparse_file,
    measure,
    plain_values,
    read_part,
)
from topk_tune.data.readers.table import Filler, Table

_BLOCK_VALUES = 2**19
_BUFFER_BYTES = 2**16
# pandas stores an index under such names; as a feature it would reveal the row order.
_INDEX = "__index_level_"


def read_parquets(paths: Sequence[Path], labels: Labels = None) -> list[Table]:
    """Read the parts of a data set, whose sparse rows have as many features in all of them."""
    sizes = []
    for path in paths:
        with opened(path) as file:
            lists = is_sparse_file(file.schema_arrow)
            sizes.append(measure(path, file) if lists else None)
    sparse = [size for size in sizes if size is not None]
    n_features = count_features(paths[0], sparse) if sparse else 0
    tables = []
    for path, size in zip(paths, sizes, strict=True):
        with opened(path) as file:
            names = [name for name in file.schema_arrow.names if not name.startswith(_INDEX)]
            check_names(path, None, names)
            if size is None:
                tables.append(_read_dense(path, file, names, labels))
            else:
                _check_types(path, file.schema_arrow, set(names) - {INDICES, VALUES})
                tables.append(read_part(path, file, names, labels, size, n_features))
    return tables


def read_parquet(path: Path, labels: Labels = None) -> Table:
    """Read a Parquet file whose label columns are named, counted from the end or have a prefix."""
    return read_parquets([path], labels)[0]


def _read_dense(path: Path, file: Any, names: list[str], labels: Labels) -> Table:
    columns = choose(path, None, names, labels)
    _check_types(path, file.schema_arrow, names)
    filler = Filler(path, columns, max_rows=file.metadata.num_rows)
    size = max(1, _BLOCK_VALUES // len(names))
    for batch in file.iter_batches(batch_size=size, columns=names, use_threads=False):
        _put(filler, path, names, batch)
    if filler.rows != file.metadata.num_rows:
        rule = f"the file must have {file.metadata.num_rows} rows, as its metadata says"
        raise refused(path, None, rule, str(filler.rows))
    return filler.table()


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    from pyarrow import parquet

    # The buffer is per column; without it, whole row groups are read into memory. What is read in
    # advance would stay in memory until the file is closed.
    small = {"buffer_size": _BUFFER_BYTES, "pre_buffer": False}
    with _refusing_faults(path), parquet.ParquetFile(path, **small) as file:
        yield file


@contextmanager
def _refusing_faults(path: Path) -> Iterator[None]:
    from pyarrow import ArrowException

    try:
        yield
    except DataError:
        raise
    except (ArrowException, OSError) as error:
        first_line = str(error).partition("\n")[0]
        raise refused(path, None, "the file must be Parquet", first_line) from None


def _check_types(path: Path, schema: Any, names: Iterable[str]) -> None:
    from pyarrow import types

    for name in names:
        kind = schema.field(name).type
        if not (types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind)):
            rule = f"the column {quoted(name)} must have floats, integers or booleans"
            raise refused(path, None, rule, str(kind))


def _put(filler: Filler, path: Path, names: list[str], batch: Any) -> None:
    block = np.empty((len(batch), len(names)))
    for index, name in enumerate(names):
        block[:, index] = plain_values(path, filler.rows, name, batch.column(name))
    try:
        filler.put(block)
    except BadCellError as bad:
        place = f"row {filler.rows + bad.row + 1}"
        got = f"{block[bad.row, bad.column]} in column {quoted(names[bad.column])}"
        raise refused(path, place, bad.rule, got) from None

"""Sparse rows in Parquet: a list of indices and a list of values per row, and columns of labels.

The columns are called `indices` and `values`. Indices count from 0 and rise within a row. All other
columns are labels. There are as many features as the metadata `n_features` of the file says, or
else as the largest index of all parts needs.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.numbered import Numbered
from topk_tune.data.readers.columns import Columns, Labels, choose
from topk_tune.data.readers.errors import quoted, refused
from topk_tune.data.readers.sparse import RISING_RULE, SparseFiller, fall, first_fall
from topk_tune.data.readers.table import FEATURE_RULE, LABEL_RULE, Table
from topk_tune.data.rows import MOST_VALUES

INDICES, VALUES = "indices", "values"
_N_FEATURES = b"n_features"
_BATCH_ROWS = 1024


class Size(NamedTuple):
    """What the first look at a part finds: how many values it has, and how many features.

    `declared` is the number in the metadata, 0 if there is none, and `needed` is what the largest
    index needs.
    """

    values: int
    needed: int
    declared: int


def count_features(path: Path, sizes: Sequence[Size]) -> int:
    """The features of a data set with parts of these sizes."""
    declared = {size.declared for size in sizes} - {0}
    if len(declared) > 1:
        rule = "all parts must have the same n_features in their metadata"
        raise refused(path, None, rule, " and ".join(map(str, sorted(declared))))
    found = max(declared or {size.needed for size in sizes})
    if found < 1:
        raise refused(path, None, "a data set must have at least one feature", "none in any part")
    return found


def is_sparse_file(schema: Any) -> bool:
    """Whether a file has the two columns of lists."""
    from pyarrow import types

    places = [schema.get_field_index(name) for name in (INDICES, VALUES)]
    kinds = [schema.field(place).type for place in places if place >= 0]
    lists = [kind for kind in kinds if types.is_list(kind) or types.is_large_list(kind)]
    return len(lists) == 2


def measure(path: Path, file: Any) -> Size:
    """Count the values of a part, and find its largest index."""
    _check_types(path, file.schema_arrow)
    rows, count, most = 0, 0, -1
    for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=[INDICES], use_threads=False):
        starts, found = _lists(path, rows, INDICES, batch.column(INDICES))
        _check_range(path, rows, starts, found, MOST_VALUES)
        count, rows = count + found.size, rows + len(batch)
        most = max(most, int(found.max())) if found.size else most
    return Size(count, most + 1, _declared(path, file.schema_arrow))


def read_part(
    path: Path, file: Any, names: Sequence[str], labels: Labels, size: Size, n_features: int
) -> Table:
    """Read the rows of a part that was measured."""
    columns = _choose(path, names, labels)
    rows = file.metadata.num_rows
    filler = SparseFiller(path, rows, size.values, n_features, len(columns.labels))
    for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=list(names), use_threads=False):
        _put(filler, path, columns, batch, n_features)
    if filler.rows != rows:
        rule = f"the file must have {rows} rows, as its metadata says"
        raise refused(path, None, rule, str(filler.rows))
    return filler.table(Numbered("feature_", range(1, n_features + 1)), columns.label_names)


def _check_types(path: Path, schema: Any) -> None:
    from pyarrow import types

    index, value = (schema.field(name).type.value_type for name in (INDICES, VALUES))
    if not types.is_integer(index):
        raise refused(path, None, f"the column {INDICES!r} must have lists of integers", str(index))
    if not (types.is_floating(value) or types.is_integer(value) or types.is_boolean(value)):
        rule = f"the column {VALUES!r} must have lists of floats, integers or booleans"
        raise refused(path, None, rule, str(value))


def _declared(path: Path, schema: Any) -> int:
    """The number of features in the metadata; 0 if it is not there."""
    text = (schema.metadata or {}).get(_N_FEATURES, b"0").decode("latin1")
    if not (text.isascii() and text.isdigit() and len(text) < 11 and int(text) <= MOST_VALUES):
        rule = f"n_features in the metadata must be a whole number up to {MOST_VALUES:,}"
        raise refused(path, None, rule, quoted(text))
    return int(text)


def _choose(path: Path, names: Sequence[str], labels: Labels) -> Columns:
    """Separate the labels, which must be all columns but the two with lists."""
    others = [name for name in names if name not in (INDICES, VALUES)]
    columns = choose(path, None, [INDICES, VALUES, *others], labels)
    if columns.feature_names != (INDICES, VALUES):
        odd = [name for name in columns.feature_names if name not in (INDICES, VALUES)]
        rule = f"every column but {INDICES!r} and {VALUES!r} must be a label"
        raise refused(path, None, rule, quoted(odd[0]) if odd else "a label called so")
    return columns


def _put(filler: SparseFiller, path: Path, columns: Columns, batch: Any, n_features: int) -> None:
    done = filler.rows
    starts, indices = _lists(path, done, INDICES, batch.column(INDICES))
    value_starts, values = _lists(path, done, VALUES, batch.column(VALUES))
    if not np.array_equal(starts, value_starts):
        row = int(np.flatnonzero(np.diff(starts) != np.diff(value_starts))[0])
        rule = f"{INDICES!r} and {VALUES!r} of a row must be equally long"
        got = f"{np.diff(starts)[row]} and {np.diff(value_starts)[row]}"
        raise refused(path, f"row {done + row + 1}", rule, got)
    _check_range(path, done, starts, indices, n_features)
    entry = first_fall(starts, indices)
    if entry is not None:
        raise refused(path, _row(done, starts, entry), RISING_RULE, fall(indices, entry))
    with np.errstate(over="ignore"):  # overflows become infinite and are refused
        found = values.astype(np.float32)
    bad = np.flatnonzero(~np.isfinite(found))
    if bad.size:
        raise refused(path, _row(done, starts, bad[0]), FEATURE_RULE, str(values[bad[0]]))
    _put_labels(filler, path, columns, batch)
    filler.put(indices, found, np.diff(starts))


def _check_range(
    path: Path, rows: int, starts: NDArray[Any], indices: NDArray[Any], n_features: int
) -> None:
    outside = np.flatnonzero((indices < 0) | (indices >= n_features))
    if outside.size:
        rule = f"an index must be between 0 and {n_features - 1:,}"
        raise refused(path, _row(rows, starts, outside[0]), rule, str(indices[outside[0]]))


def _row(rows: int, starts: NDArray[Any], entry: int) -> str:
    """The row of an entry of a batch that begins after so many rows."""
    return f"row {rows + int(np.searchsorted(starts, entry, side='right'))}"


def _put_labels(filler: SparseFiller, path: Path, columns: Columns, batch: Any) -> None:
    done = filler.rows
    for at, name in enumerate(columns.label_names):
        flags = plain_values(path, done, name, batch.column(name))
        bad = np.flatnonzero((flags != 0) & (flags != 1))
        if bad.size:
            got = f"{flags[bad[0]]} in column {quoted(name)}"
            raise refused(path, f"row {done + int(bad[0]) + 1}", LABEL_RULE, got)
        filler.Y[done : done + len(flags), at] = flags


def _lists(path: Path, rows: int, name: str, column: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """The starts of the lists, from 0, and their values."""
    check_present(path, rows, name, column)
    starts = column.offsets.to_numpy().astype(np.int64)
    starts -= starts[0]
    values = column.flatten()
    if values.null_count:
        place = _row(rows, starts, values.is_null().index(True).as_py())
        got = f"null in column {quoted(name)}"
        raise refused(path, place, "a value must not be missing", got)
    return starts, values.to_numpy(zero_copy_only=False)


def check_present(path: Path, rows: int, name: str, column: Any) -> None:
    """Refuse a column that has nulls."""
    if column.null_count:
        row = rows + column.is_null().index(True).as_py() + 1
        got = f"null in column {quoted(name)}"
        raise refused(path, f"row {row}", "a value must not be missing", got)


def plain_values(path: Path, rows: int, name: str, column: Any) -> NDArray[np.float64]:
    """The numbers of a column without lists."""
    check_present(path, rows, name, column)
    values: NDArray[np.float64] = column.to_numpy(zero_copy_only=False).astype(np.float64)
    return values

"""Log files: Parquet or JSON Lines, or a folder of Parquet files, read some rows at a time."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from booster.logs import LogError, LogRows
from topk_tune.data.errors import DataError
from topk_tune.data.logs.format import KEY, Header, needed_columns, read_header, types
from topk_tune.data.logs.rounds import rounds_of
from topk_tune.data.readers.errors import quoted, refused
from topk_tune.data.readers.parquet import opened
from topk_tune.data.rows import FeatureRows

PARQUET, JSON_LINES = "parquet", "jsonl"

_VALUES = 2**20
"""About how many values of features are read at a time."""

Columns = Mapping[str, Any]
Place = Callable[[int], str | int]


@dataclass(frozen=True)
class Batch:
    """Some rows of a log, which keep all rules."""

    features: FeatureRows
    rows: LogRows


@dataclass(frozen=True)
class LogFile:
    """A file with a log, or a folder with its parts in the order of their names.

    Parameters
    ----------
    path
        The file or folder.
    header
        What its rows have in common.
    """

    path: Path
    header: Header

    @classmethod
    def open(cls, path: str | Path) -> LogFile:
        """Read the header of a file or of all parts; raise a `DataError` if it is no log."""
        first, *others = _parts(Path(path)) or [Path(path)]
        header = _header(first)
        for part in others:
            if _header(part) != header:
                rule = f"all parts of a log must have the header of {first.name}"
                raise refused(part, None, rule, "another")
        return cls(Path(path), header)

    def batches(self) -> Iterator[Batch]:
        """Yield all rows, some at a time; raise a `DataError` at the first that breaks a rule."""
        for part in _parts(self.path):
            yield from self._batches_of(part)

    def _batches_of(self, path: Path) -> Iterator[Batch]:
        size = max(256, min(2**14, _VALUES // self.header.n_features))
        read = _parquet_columns if _is_parquet(path) else _json_columns
        first = 0
        for columns, place in read(path, size):
            try:
                features, rows = rounds_of(columns, self.header)
            except LogError as error:
                row = first + (error.row or 0)
                raise DataError(f"{path}:{place(row)}: {error.broken}") from None
            yield Batch(features, rows)
            first += rows.n_rows
        if first == 0:
            raise refused(path, None, "a log must have at least one row", "none")


def is_log(path: str | Path) -> bool:
    """Whether a path is a file with a log, by its header, or a folder whose first part is one."""
    path = Path(path)
    if path.is_dir():
        return any(is_log(part) for part in _parts(path)[:1])
    kind = path.suffix.lower() in (f".{PARQUET}", f".{JSON_LINES}")
    return kind and path.is_file() and _found_header(path) is not None


def _parts(path: Path) -> list[Path]:
    """The files of a log: itself, or those of a folder."""
    return sorted(path.glob(f"*.{PARQUET}")) if path.is_dir() else [path]


def _header(path: Path) -> Header:
    found = _found_header(path)
    if found is None:
        where = "metadata" if _is_parquet(path) else "first line"
        raise refused(path, None, f"a log must have {KEY!r} in its {where}", "none")
    return read_header(path, found)


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == f".{PARQUET}"


def _found_header(path: Path) -> Any:
    """Return what a file has as its header; None if it has none."""
    if _is_parquet(path):
        with opened(path) as file:
            text = (file.schema_arrow.metadata or {}).get(KEY.encode())
    else:
        with path.open(encoding="utf-8", errors="replace") as lines:
            text = lines.readline(2**26)
    if text is None:
        return None
    try:
        found = json.loads(text)
    except ValueError:
        if _is_parquet(path):
            raise refused(path, None, f"{KEY!r} must be JSON", quoted(repr(text))) from None
        return None
    if _is_parquet(path):
        return found
    return found.get(KEY) if isinstance(found, dict) else None


def _parquet_columns(path: Path, size: int) -> Iterator[tuple[Columns, Place]]:
    with opened(path) as file:
        names = needed_columns(path, file.schema_arrow.names)
        kinds = types()
        for batch in file.iter_batches(batch_size=size, columns=names, use_threads=False):
            yield (
                {name: _typed(path, name, batch.column(name), kinds[name]) for name in names},
                lambda row: f"row {row + 1}",
            )


def _typed(path: Path, name: str, column: Any, kind: Any) -> Any:
    import pyarrow as pa

    try:
        return _cast(column, kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        rule = f"the column {name!r} must be {kind}"
        raise refused(path, None, rule, f"{column.type} ({error})") from None


def _json_columns(path: Path, size: int) -> Iterator[tuple[Columns, Place]]:
    names: list[str] = []
    with path.open(encoding="utf-8") as file:
        lines = _objects(path, file)
        next(lines)  # the header
        while block := list(itertools.islice(lines, size)):
            names = names or needed_columns(path, list(block[0][1]))
            yield _columns(path, names, block), lambda row: row + 2


def _objects(path: Path, file: Any) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(file, start=1):
        try:
            found = json.loads(line, parse_constant=_refuse_constant)
        except ValueError as error:
            raise refused(path, number, "a line must be JSON", f"{error}") from None
        if not isinstance(found, dict):
            raise refused(path, number, "a line must be an object", quoted(line.strip()))
        yield number, found


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name}, which is no number")


def _columns(path: Path, names: list[str], block: list[tuple[int, dict[str, Any]]]) -> Columns:
    kinds = types()
    columns = {}
    for name in names:
        try:
            columns[name] = _array([row.get(name) for _, row in block], kinds[name])
        except (ValueError, TypeError, OverflowError):
            number = next(n for n, row in block if not _fits(row.get(name), kinds[name]))
            got = quoted(json.dumps(dict(block)[number].get(name)))
            raise refused(path, number, f"{name!r} must be {kinds[name]}", got) from None
    return columns


def _fits(value: Any, kind: Any) -> bool:
    try:
        _array([value], kind)
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def _array(values: list[Any], kind: Any) -> Any:
    """Return values as an array of Arrow, whose errors are ValueErrors and TypeErrors."""
    import pyarrow as pa

    if not pa.types.is_list(kind):
        return pa.array(values, kind)
    if pa.types.is_floating(kind.value_type):
        return _cast(pa.array(values, pa.list_(pa.float64())), kind)
    found = pa.array(values)  # with the type at once, 0.5 would become 0
    if pa.types.is_list(found.type) and pa.types.is_string(found.type.value_type):
        raise TypeError
    return found.cast(kind)


def _cast(column: Any, kind: Any) -> Any:
    """Return a column in another type; raise an error unless whole numbers stay the same."""
    import pyarrow as pa

    if kind == pa.list_(pa.float32()):  # not all whole numbers have a place there
        return column.cast(pa.list_(pa.float64())).cast(kind)
    return column.cast(kind)

"""CSV: a header of names, then rows of decimal numbers."""

import csv
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from topk_tune.data.readers.columns import Columns, Labels, choose
from topk_tune.data.readers.csv_fast import fill_fast, survey
from topk_tune.data.readers.errors import BadCellError, quoted, refused
from topk_tune.data.readers.lines import Line, read_lines
from topk_tune.data.readers.numbers import is_number, numbers
from topk_tune.data.readers.table import Filler, Table


def read_csv(path: Path, labels: Labels = None) -> Table:
    """Read a CSV file whose label columns are named, counted from the end or have a prefix.

    pyarrow reads files of plain numbers. Other files, and the rest of a file after a problem, are
    read line by line; only this slow reader refuses input.
    """
    header, columns = _read_header(path, labels)
    plain, newlines = survey(path, header.end)
    max_rows = _max_rows(path, header.end, newlines, len(columns.names))
    filler = Filler(path, columns, max_rows)
    if not (plain and fill_fast(filler, path, header.end, len(columns.names))):
        for line in islice(_rows_after(path, header.number), filler.rows, None):
            _put(filler, path, columns, line)
    return filler.table()


def _read_header(path: Path, labels: Labels) -> tuple[Line, Columns]:
    header = next((line for line in read_lines(path) if line.text), None)
    if header is None:
        raise refused(path, None, "a CSV file must start with a header", "an empty file")
    names = [name.strip(" \t") for name in _split(path, header)]
    for name in names:
        # Without this rule, a file without a header would lose its first row.
        if is_number(name) and not name.isdigit():
            rule = "the first line must be a header of column names"
            raise refused(path, header.number, rule, f"the number {quoted(name)}")
    return header, choose(path, header.number, names, labels)


def _max_rows(path: Path, start: int, newlines: int, n_columns: int) -> int:
    """An upper bound of the rows: by line ends, and by two bytes per value."""
    size = path.stat().st_size - start
    return max(1, min(newlines + 1, (size + 1) // (2 * n_columns)))


def _rows_after(path: Path, header: int) -> Iterator[Line]:
    return (line for line in read_lines(path) if line.number > header and line.text)


def _put(filler: Filler, path: Path, columns: Columns, line: Line) -> None:
    texts = _split(path, line)
    if len(texts) != len(columns.names):
        rule = f"a row must have {len(columns.names)} values, as many as the header has names"
        raise refused(path, line.number, rule, str(len(texts)))
    try:
        filler.put(np.array([numbers(texts)]))
    except BadCellError as bad:
        got = f"{quoted(texts[bad.column])} in column {quoted(columns.names[bad.column])}"
        raise refused(path, line.number, bad.rule, got) from None


def _split(path: Path, line: Line) -> list[str]:
    if '"' not in line.text:
        return line.text.split(",")
    try:
        (fields,) = csv.reader([line.text], strict=True)
    except csv.Error as error:
        rule = "a quoted value must end on its line, before a comma, and be short"
        raise refused(path, line.number, rule, f"{quoted(line.text)} ({error})") from None
    return fields

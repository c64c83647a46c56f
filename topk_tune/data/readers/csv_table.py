"""CSV: a header of names, then rows of decimal numbers, or True and False."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from topk_tune.data.formats import ending
from topk_tune.data.readers.columns import Columns, Labels, choose
from topk_tune.data.readers.csv_fast import fill_fast, survey
from topk_tune.data.readers.errors import BadCellError, quoted, refused
from topk_tune.data.readers.lines import Line, read_lines
from topk_tune.data.readers.numbers import is_number, numbers
from topk_tune.data.readers.table import Filler, Table

_SEPARATORS = {"csv": ",;\t", "tsv": "\t,;"}
"""The separators by the ending of a file, in the order in which they are looked for."""

_BOOLEANS = {"True": "1", "true": "1", "TRUE": "1", "False": "0", "false": "0", "FALSE": "0"}

_QUOTED = re.compile('"[^"]*"')


@dataclass(frozen=True)
class _Form:
    """How the rows of a file are written: their separator, and whether they start with an index."""

    separator: str
    has_index: bool

    def fields(self, path: Path, line: Line) -> list[str]:
        """Return the values of a line, without the index."""
        return _split(path, line, self.separator)[self.has_index :]


def read_csv(path: Path, labels: Labels = None) -> Table:
    """Read a CSV file whose label columns are named, counted from the end or have a prefix.

    pyarrow reads files of plain numbers. Other files, and the rest of a file after a problem, are
    read line by line; only this slow reader refuses input.
    """
    header, form, columns = _read_header(path, labels)
    plain, newlines = survey(path, header.end, form.separator)
    max_rows = _max_rows(path, header.end, newlines, len(columns.names))
    filler = Filler(path, columns, max_rows)
    used = range(form.has_index, form.has_index + len(columns.names))
    if not (plain and fill_fast(filler, path, header.end, used, form.separator)):
        for line in islice(_rows_after(path, header.number), filler.rows, None):
            _put(filler, path, columns, form, line)
    return filler.table()


def _read_header(path: Path, labels: Labels) -> tuple[Line, _Form, Columns]:
    header = next((line for line in read_lines(path) if line.text), None)
    if header is None:
        raise refused(path, None, "a CSV file must start with a header", "an empty file")
    separator = _separator(header.text, ending(path))
    names = [name.strip(" \t") for name in _split(path, header, separator)]
    form = _Form(separator, len(names) > 1 and not names[0])
    names = names[form.has_index :]
    for name in names:
        # Without this rule, a file without a header would lose its first row.
        if is_number(name) and not name.isdigit():
            rule = "the first line must be a header of column names"
            raise refused(path, header.number, rule, f"the number {quoted(name)}")
    return header, form, choose(path, header.number, names, labels)


def _separator(header: str, kind: str) -> str:
    """Return the first separator that a header has outside of quotes.

    >>> _separator('tempo;"loudness, in dB";sad', "csv"), _separator("tempo,sad;angry", "csv")
    (';', ',')
    """
    bare, options = _QUOTED.sub("", header), _SEPARATORS.get(kind, _SEPARATORS["csv"])
    return next((each for each in options if each in bare), options[0])


def _max_rows(path: Path, start: int, newlines: int, n_columns: int) -> int:
    """An upper bound of the rows: by line ends, and by two bytes per value."""
    size = path.stat().st_size - start
    return max(1, min(newlines + 1, (size + 1) // (2 * n_columns)))


def _rows_after(path: Path, header: int) -> Iterator[Line]:
    return (line for line in read_lines(path) if line.number > header and line.text)


def _put(filler: Filler, path: Path, columns: Columns, form: _Form, line: Line) -> None:
    texts = form.fields(path, line)
    if len(texts) != len(columns.names):
        names, values = (n + form.has_index for n in (len(columns.names), len(texts)))
        rule = f"a row must have {names} values, as many as the header has names"
        raise refused(path, line.number, rule, str(values))
    try:
        filler.put(np.array([numbers([_BOOLEANS.get(text, text) for text in texts])]))
    except BadCellError as bad:
        got = f"{quoted(texts[bad.column])} in column {quoted(columns.names[bad.column])}"
        raise refused(path, line.number, bad.rule, got) from None


def _split(path: Path, line: Line, separator: str) -> list[str]:
    if '"' not in line.text:
        return line.text.split(separator)
    try:
        (fields,) = csv.reader([line.text], delimiter=separator, strict=True)
    except csv.Error as error:
        rule = "a quoted value must end on its line, before a separator, and be short"
        raise refused(path, line.number, rule, f"{quoted(line.text)} ({error})") from None
    return fields

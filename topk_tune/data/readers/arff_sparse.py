"""ARFF files whose rows are all sparse: time and memory follow what the rows do not omit."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from topk_tune.data.readers.arff_header import Attribute
from topk_tune.data.readers.arff_rows import RowParser
from topk_tune.data.readers.columns import Columns
from topk_tune.data.readers.errors import quoted, refused
from topk_tune.data.readers.lines import Line
from topk_tune.data.readers.sparse import SparseFiller
from topk_tune.data.readers.table import FEATURE_RULE, LABEL_RULE, Table

_WORTH_BELOW = 0.5
"""At this share of values, sparse rows take as much memory as dense ones."""


@dataclass
class Size:
    """The rows of a file, the most values that they can have, and whether all rows are sparse."""

    rows: int = 0
    values: int = 0
    sparse: bool = True


def measure(lines: Iterator[Line]) -> Size:
    """Count rows and values without reading them."""
    size = Size()
    for line in lines:
        size.rows += 1
        size.values += line.text.count(",") + 1
        size.sparse = size.sparse and line.text.lstrip(" \t").startswith("{")
    return size


def is_worth(size: Size, attributes: Sequence[Attribute], columns: Columns) -> bool:
    """Whether rows are to be read as sparse ones: all are, and what they omit is zero."""
    few = size.values < _WORTH_BELOW * size.rows * len(columns.features)
    return few and size.sparse and all(attributes[i].omitted == 0 for i in columns.features)


def read_sparse(
    path: Path,
    columns: Columns,
    attributes: Sequence[Attribute],
    size: Size,
    parser: RowParser,
    lines: Iterator[Line],
) -> Table:
    """Read the rows of a file that was measured."""
    filler = SparseFiller(path, size.rows, size.values, len(columns.features), len(columns.labels))
    feature = dict(zip(columns.features.tolist(), range(len(columns.features)), strict=True))
    label = dict(zip(columns.labels.tolist(), range(len(columns.labels)), strict=True))
    omitted = np.array([attributes[i].omitted for i in columns.labels])
    for row, line in enumerate(lines):
        where, values = [], []
        filler.Y[row] = omitted
        for column, value in parser.entries(line):
            if column in feature:
                where.append(feature[column])
                values.append(value)
            elif value not in (0, 1):
                raise _refused(path, line, columns, column, value, LABEL_RULE)
            else:
                filler.Y[row, label[column]] = value
        with np.errstate(over="ignore"):  # overflows become infinite and are refused
            found = np.array(values, np.float32)
        if not np.isfinite(found).all():
            bad = int(np.flatnonzero(~np.isfinite(found))[0])
            column = int(columns.features[where[bad]])
            raise _refused(path, line, columns, column, values[bad], FEATURE_RULE)
        filler.put(where, found, [len(where)])
    return filler.table(columns.feature_names, columns.label_names)


def _refused(
    path: Path, line: Line, columns: Columns, column: int, value: float, rule: str
) -> Exception:
    return refused(path, line.number, rule, f"{value:g} for {quoted(columns.names[column])}")

"""A reader: a JSON object a line, a name and a number for each column."""

import json
from pathlib import Path

import numpy as np

from topk_tune.data.readers import (
    Labels,
    Line,
    Table,
    choose,
    quoted,
    read_lines,
    refused,
    table_of,
)


def read_jsonl(path: Path, labels: Labels = None) -> Table:
    """Read lines that all have the names of the first."""
    lines = [line for line in read_lines(path) if line.text.strip()]
    if not lines:
        raise refused(path, None, "a file must have at least one row", "none")
    names = list(_row(path, lines[0]))
    columns = choose(path, lines[0].number, names, labels)
    values = np.array([_values(path, line, names) for line in lines])
    return table_of(
        path,
        values[:, columns.features],
        values[:, columns.labels],
        columns.feature_names,
        columns.label_names,
    )


def _values(path: Path, line: Line, names: list[str]) -> list[float]:
    row = _row(path, line)
    if list(row) != names:
        rule = f"a row must have the {len(names)} names of the first, in order"
        raise refused(path, line.number, rule, quoted(", ".join(row)))
    return list(row.values())


def _row(path: Path, line: Line) -> dict[str, float]:
    try:
        found = json.loads(line.text, parse_int=float)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(v, float) for v in found.values()):
        rule = "a row must be a JSON object of numbers"
        raise refused(path, line.number, rule, quoted(line.text))
    return found

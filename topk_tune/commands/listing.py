"""Lists in the form that was asked for: a table for people, or JSON, YAML or CSV for programs."""

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from topk_tune.commands.terminal import console

Row = Mapping[str, Any]


def _json(rows: Sequence[Row]) -> str:
    # JSON has no word for what is not a number.
    finite = [{name: _finite(value) for name, value in row.items()} for row in rows]
    return json.dumps(finite, indent=2) + "\n"


def _yaml(rows: Sequence[Row]) -> str:
    import yaml

    plain = [dict(row) for row in rows]
    return str(yaml.safe_dump(plain, sort_keys=False, allow_unicode=True))


def _csv(rows: Sequence[Row]) -> str:
    """A line a row under all names that occur; rows need not have the same."""
    text = io.StringIO()
    names = dict.fromkeys(name for row in rows for name in row)
    writer = csv.DictWriter(text, list(names), lineterminator="\n")
    if names:
        writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


TABLE = "table"
_WRITERS = {"json": _json, "yaml": _yaml, "csv": _csv}
FORMATS = (TABLE, *_WRITERS)


def show(kind: str, rows: Sequence[Row], table: Callable[[], None]) -> None:
    """Show a list: `table` draws it for people, the rows are for programs, nothing rounded."""
    if kind == TABLE:
        table()
    else:
        console.put(_WRITERS[kind](rows))


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value

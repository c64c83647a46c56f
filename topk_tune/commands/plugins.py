"""`topk-tune plugins`: the names of plug-ins, and the packages that provide them."""

from collections.abc import Iterator
from typing import Any

from booster.plugins import MissingPackageError, Plugin, Table
from topk_tune.commands import listing
from topk_tune.commands.terminal import console
from topk_tune.plugins.kinds import KINDS

_OURS = "topk-tune"
_COLUMNS = ("kind", "name", "package", "importable", "help")


def list_plugins(kind: str | None, form: str) -> None:
    """List what can be named of a kind, or of all."""
    wanted = [*KINDS] if kind is None else [KINDS.named(kind)]
    rows = [row for each in wanted for row in _rows(each, KINDS.load(each))]
    listing.show(form, rows, lambda: _table(rows))


def _rows(kind: str, table: Table) -> Iterator[dict[str, Any]]:
    for plugin in table.own.values():
        yield _row(kind, plugin.name, _OURS, None, plugin.help)
    for plugin in table.others.values():
        yield _row(kind, plugin.name, plugin.package, *_looked_at(table, plugin))


def _row(kind: str, *values: Any) -> dict[str, Any]:
    return dict(zip(_COLUMNS, (kind, *values), strict=True))


def _looked_at(table: Table, plugin: Plugin) -> tuple[bool, str]:
    """Whether it can be imported, and what it says of itself, or why not."""
    try:
        return True, _first_line(table.load(plugin.name)) or plugin.help
    except MissingPackageError as error:
        return False, str(error)


def _first_line(found: Any) -> str:
    """What something says of itself: metrics have a help, classes and functions a docstring."""
    text = getattr(found, "help", None) or found.__doc__ or ""
    return str(text).strip().partition("\n")[0]


def _table(rows: list[dict[str, Any]]) -> None:
    cells = [[_shown(value) for value in row.values()] for row in rows]
    console.table(_COLUMNS, cells, left=len(_COLUMNS))


def _shown(value: Any) -> str:
    """A value for people: of ours nobody needs to know whether it can be imported."""
    return {None: "", True: "yes", False: "no"}.get(value, str(value))

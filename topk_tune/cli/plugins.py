"""`topk-tune plugins`: what can be named, and which package brings it."""

from typing import Annotated, Any

import typer

from booster.plugins import MissingPackageError, Plugin, Table
from topk_tune.cli import listing
from topk_tune.cli.terminal import console
from topk_tune.plugins.kinds import KINDS

_OURS = "topk-tune"


def plugins(
    kind: Annotated[
        str | None,
        typer.Argument(
            autocompletion=lambda: list(KINDS),
            help=f"One of {', '.join(KINDS)} (default: list all).",
        ),
    ] = None,
    form: listing.Format = "table",
) -> None:
    """List what can be named in options, spaces and files, and which package brings it.

    What other packages bring is imported, to see whether it can be.

    Example: topk-tune plugins samplers
    """
    wanted = [*KINDS] if kind is None else [KINDS.named(kind)]
    rows = [row for each in wanted for row in _rows(each, KINDS.load(each))]
    listing.show(form, rows, lambda: _table(rows))


def _rows(kind: str, table: Table) -> list[dict[str, Any]]:
    ours = [_row(kind, plugin, plugin.help) for plugin in table.own.values()]
    return [*ours, *(_foreign(kind, table, plugin) for plugin in table.others.values())]


def _row(kind: str, plugin: Plugin, text: str, importable: bool | None = None) -> dict[str, Any]:
    package = plugin.package or _OURS
    return {
        "kind": kind,
        "name": plugin.name,
        "package": package,
        "importable": importable,
        "help": text,
    }


def _foreign(kind: str, table: Table, plugin: Plugin) -> dict[str, Any]:
    try:
        found = table.load(plugin.name)
    except MissingPackageError as error:
        return _row(kind, plugin, str(error), importable=False)
    return _row(kind, plugin, _first_line(found) or plugin.help, importable=True)


def _first_line(found: Any) -> str:
    """What something says of itself: metrics have a help, classes and functions a docstring."""
    text = getattr(found, "help", None) or found.__doc__ or ""
    return str(text).strip().partition("\n")[0]


def _table(rows: list[dict[str, Any]]) -> None:
    cells = [[_shown(value) for value in row.values()] for row in rows]
    console.table(list(rows[0]), cells, left=len(rows[0]))


def _shown(value: Any) -> str:
    """A value for people: of ours nobody needs to know whether it can be imported."""
    return {None: "", True: "yes", False: "no"}.get(value, str(value))

"""`topk-tune data`: where data sets come from, and what is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from topk_tune.cli import listing
from topk_tune.cli.terminal import console
from topk_tune.data.formats import READERS

if TYPE_CHECKING:
    from topk_tune.data import Dataset

data_app = typer.Typer(no_args_is_help=True, help="List, fetch, show and check data sets.")

_ENDINGS = ", ".join(f".{name}" for name in READERS.own)
_SIZES = ("train", "test", "dim", "m")


@data_app.command("list")
def list_(kind: listing.Format = "table") -> None:
    """List the data sets, and whether they are on this machine.

    Example: topk-tune data list
    """
    from importlib.util import find_spec

    from topk_tune.data.catalog import PAPER
    from topk_tune.data.generators import GENERATORS

    rows = []
    for name, entry in PAPER.items():
        sizes = (entry.n_train, entry.n_test, entry.n_features, entry.n_labels)
        rows.append(_row(name, entry.origin, entry.at_hand(), *sizes))
    rows.append(_row("synthetic", "made on the spot", True))
    # A stream of another library is called as the library is.
    rows += [_row(name, "made on the spot", find_spec(name) is not None) for name in GENERATORS]
    rows.append(_row("openml:NUMBER", "OpenML"))
    rows.append(_row("PATH", "your own files"))
    listing.show(kind, rows, lambda: _table(rows, left=3))


@data_app.command()
def get(names: Annotated[list[str], typer.Argument(help="Names of data sets.")]) -> None:
    """Fetch data sets into the cache, from which they then load without a network.

    Example: topk-tune data get emotions scene
    """
    from topk_tune.data import cache
    from topk_tune.data.catalog import PAPER

    for name in names:
        data = _load(name)
        entry = PAPER.get(name)
        place = f": {cache.file_of(entry.kept_as)}" if entry and entry.kept_as else ""
        console.say(f"{data.name} is here{place}")


@data_app.command()
def show(
    names: Annotated[
        list[str] | None, typer.Argument(help="Names of data sets; without any, the paper's five.")
    ] = None,
    kind: listing.Format = "table",
) -> None:
    """Show the figures of Table 6 of the paper: sizes, and labels a row.

    What is not on this machine yet is fetched first.

    Example: topk-tune data show yeast
    """
    from topk_tune.data.catalog import PAPER

    _show([_load(name) for name in names or PAPER], kind)


@data_app.command()
def check(
    path: Annotated[str, typer.Argument(help=f"A file or a folder of your own: {_ENDINGS}.")],
    labels: Annotated[str | None, typer.Option(help="Which columns are labels.")] = None,
    split: Annotated[
        str | None, typer.Option(help="tail:SHARE or random:SHARE:SEED, to set test rows aside.")
    ] = None,
    kind: listing.Format = "table",
) -> None:
    """Read a file or folder of your own and show what was found, or what is wrong with it.

    Example: topk-tune data check mine.csv --labels 6 --split tail:0.3
    """
    from topk_tune.data.files import read_files

    data = read_files(path, labels=labels, split=split)
    console.say(f"{path} can be used.")
    console.say(f"labels: {', '.join(data.label_names)}")
    _show([data], kind)


def _load(name: str) -> Dataset:
    from topk_tune.data import load

    with console.following("topk_tune.data"), _download_bar() as progress:
        return load(name, progress=progress)


def _show(loaded: list[Dataset], kind: str) -> None:
    from topk_tune.data.summary import summarise

    rows = []
    for data in loaded:
        s = summarise(data)
        row: dict[str, Any] = {"name": data.name}
        row |= zip(_SIZES, (s.n_train, s.n_test, s.n_features, s.n_labels), strict=True)
        row |= {"min": s.min_labels, "mean": s.mean_labels, "max": s.max_labels}
        row |= {"no label": s.rows_without_label, "every label": s.rows_with_every_label}
        rows.append(row | {"fingerprint": data.fingerprint})
    shortened = [row | {"fingerprint": row["fingerprint"][:12]} for row in rows]
    listing.show(kind, rows, lambda: _table(shortened))


def _row(name: str, origin: str, here: bool | None = None, *sizes: int) -> dict[str, Any]:
    padded = sizes or (None,) * len(_SIZES)
    return {"name": name, "from": origin, "here": here, **dict(zip(_SIZES, padded, strict=True))}


def _table(rows: list[dict[str, Any]], left: int = 1) -> None:
    console.table(list(rows[0]), [[_shown(value) for value in row.values()] for row in rows], left)


def _shown(value: object) -> str:
    """A value for people."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.2f}"
    return str(value)


@contextmanager
def _download_bar() -> Iterator[Callable[[int, int | None], None]]:
    """Show a bar once bytes come; yields what is to be told how many have come."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

    # To standard error, so that the bar stays out of a table that is piped on.
    out = Console(stderr=True)
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
        task = bar.add_task("download", total=None, visible=False)

        def report(completed: int, total: int | None) -> None:
            bar.update(task, completed=completed, total=total, visible=True)

        yield report

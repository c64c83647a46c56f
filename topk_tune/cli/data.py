"""`topk-tune data`: where data sets come from, and what is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from topk_tune.cli.terminal import console

if TYPE_CHECKING:
    from topk_tune.data import Dataset

data_app = typer.Typer(no_args_is_help=True, help="List, fetch, show and check data sets.")

_SIZES = ("train", "test", "dim", "m")
_FIGURES = ("name", *_SIZES, "min", "mean", "max", "no label", "every label", "fingerprint")


@data_app.command("list")
def list_() -> None:
    """List the data sets, and whether they are on this machine."""
    from topk_tune.data.catalog import PAPER

    rows = []
    for name, entry in PAPER.items():
        sizes = (entry.n_train, entry.n_test, entry.n_features, entry.n_labels)
        here = "yes" if entry.at_hand() else "no"
        rows.append((name, entry.origin, here, *(f"{size:,}" for size in sizes)))
    rows.append(("synthetic", "made on the spot", "yes", *[""] * len(_SIZES)))
    rows.append(("openml:NUMBER", "OpenML", "", *[""] * len(_SIZES)))
    rows.append(("PATH", "your own files", "", *[""] * len(_SIZES)))
    console.table(("name", "from", "here", *_SIZES), rows, left=3)


@data_app.command()
def get(names: Annotated[list[str], typer.Argument(help="Names of data sets.")]) -> None:
    """Fetch data sets into the cache, from which they then load without a network."""
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
) -> None:
    """Show the figures of Table 6 of the paper: sizes, and labels a row.

    What is not on this machine yet is fetched first.
    """
    from topk_tune.data.catalog import PAPER

    _show([_load(name) for name in names or PAPER])


@data_app.command()
def check(
    path: Annotated[str, typer.Argument(help="A file or a folder of your own.")],
    labels: Annotated[str | None, typer.Option(help="Which columns are labels.")] = None,
    split: Annotated[
        str | None, typer.Option(help="tail:SHARE or random:SHARE:SEED, to set test rows aside.")
    ] = None,
) -> None:
    """Read a file or folder of your own and show what was found, or what is wrong with it."""
    from topk_tune.data.files import read_files

    data = read_files(path, labels=labels, split=split)
    console.say(f"{path} can be used.")
    console.say(f"labels: {', '.join(data.label_names)}")
    _show([data])


def _load(name: str) -> Dataset:
    from topk_tune.data import load

    with console.following("topk_tune.data"), _download_bar() as progress:
        return load(name, progress=progress)


def _show(loaded: list[Dataset]) -> None:
    from topk_tune.data.summary import summarise

    rows = []
    for data in loaded:
        s = summarise(data)
        sizes = (s.n_train, s.n_test, s.n_features, s.n_labels)
        spread = (f"{s.min_labels}", f"{s.mean_labels:.2f}", f"{s.max_labels}")
        edges = (f"{s.rows_without_label:,}", f"{s.rows_with_every_label:,}")
        row = (data.name, *(f"{size:,}" for size in sizes), *spread, *edges)
        rows.append((*row, data.fingerprint[:12]))
    console.table(_FIGURES, rows)


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

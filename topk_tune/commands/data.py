"""`topk-tune data`: where data sets come from, and what is in them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TransferSpeedColumn

from topk_tune.commands import listing
from topk_tune.commands.terminal import console
from topk_tune.data import Dataset, cache, load
from topk_tune.data.catalog import PAPER, published
from topk_tune.data.generators import GENERATORS
from topk_tune.data.summary import summarise

_SIZES = ("train", "test", "dim", "m")


def list_all(kind: str) -> None:
    """List the data sets, and whether they are on this machine."""
    rows = []
    for name, entry in published().items():
        sizes = (entry.n_train, entry.n_test, entry.n_features, entry.n_labels)
        rows.append(_row(name, entry.origin, entry.at_hand(), *sizes))
    rows += [_row(name, "made on the spot", True) for name in ("synthetic", "documents")]
    # A stream of another library is called as the library is.
    rows += [_row(name, "made on the spot", find_spec(name) is not None) for name in GENERATORS]
    rows.append(_row("openml:NUMBER", "OpenML"))
    rows.append(_row("PATH", "your own files"))
    listing.show(kind, rows, lambda: _table(rows, left=3))


def get(names: Sequence[str]) -> None:
    """Fetch data sets into the cache."""
    for name in names:
        data = _load(name)
        entry = published().get(name)
        place = f": {cache.file_of(entry.kept_as)}" if entry and entry.kept_as else ""
        console.say(f"{data.name} is here{place}")


def show(names: Sequence[str] | None, kind: str) -> None:
    """Show the sizes of data sets; without names, of the paper's."""
    _show([_load(name) for name in names or PAPER], kind)


def _load(name: str) -> Dataset:
    with console.following("topk_tune.data"), _download_bar() as progress:
        return load(name, progress=progress)


def figures(data: Dataset) -> dict[str, Any]:
    """The figures of a data set, for programs."""
    s = summarise(data)
    row: dict[str, Any] = {"name": data.name}
    row |= zip(_SIZES, (s.n_train, s.n_test, s.n_features, s.n_labels), strict=True)
    row |= {"min": s.min_labels, "mean": s.mean_labels, "max": s.max_labels}
    row |= {"no label": s.rows_without_label, "every label": s.rows_with_every_label}
    row |= {"unseen": s.labels_never_seen, "form": s.form, "density": s.density}
    return row | {"observer": s.observer, "fingerprint": data.fingerprint}


def _show(loaded: list[Dataset], kind: str) -> None:
    rows = [figures(data) for data in loaded]
    shortened = [
        row | {"density": f"{row['density']:.2g}", "fingerprint": row["fingerprint"][:12]}
        for row in rows
    ]
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
    # To standard error, so that the bar stays out of a table that is piped on.
    out = Console(stderr=True)
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=out, transient=True, disable=not out.is_terminal) as bar:
        task = bar.add_task("download", total=None, visible=False)

        def report(completed: int, total: int | None) -> None:
            bar.update(task, completed=completed, total=total, visible=True)

        yield report

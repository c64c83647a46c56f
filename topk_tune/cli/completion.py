"""What the shell offers for options and arguments: names, and files where those are accepted."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from topk_tune import data

Completion = Callable[[str], list[str]]


def completion(names: Callable[[], Iterable[str]], *, paths: bool = False) -> Completion:
    """Return a function that completes a beginning by names, and by paths too."""

    # Typer passes the beginning by this name.
    def complete(incomplete: str) -> list[str]:
        return [*names(), *(_paths(incomplete) if paths else ())]

    return complete


def _datasets() -> list[str]:
    return data.names()


datasets = completion(_datasets, paths=True)
"""Completes what `load` takes."""


def _paths(incomplete: str) -> Iterator[str]:
    """Files and folders that begin so; hidden ones only if a dot is asked for."""
    head, _, start = incomplete.rpartition("/")
    folder = Path(f"{head}/" if "/" in incomplete else ".")
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.name.startswith(start) and (start or not path.name.startswith(".")):
            before = incomplete.removesuffix(start) if start else incomplete
            yield f"{before}{path.name}{'/' if path.is_dir() else ''}"

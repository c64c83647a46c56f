"""Packages of others for the tests: entry points without an installation."""

import importlib
import os
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from booster.tables import ALGORITHMS, LEARNERS

SONGRANK = Path(__file__).parent / "songrank"
"""A project beside ours that brings one of everything."""


def installed(folder: Path, name: str, entry_points: dict[str, dict[str, str]]) -> Path:
    """Make a folder of packages in which a distribution announces entry points, by group."""
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = []
    for group, points in entry_points.items():
        lines += [f"[{group}]", *(f"{point} = {target}" for point, target in points.items())]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return folder


def with_packages(*folders: Path) -> dict[str, str]:
    """The environment of a process that finds packages in these folders too."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}


@contextmanager
def found_in(*folders: Path) -> Iterator[None]:
    """Have this process find packages in these folders too, with what they bring by name."""
    paths = [str(folder) for folder in folders]
    sys.path[:0] = paths
    _look_again()
    try:
        yield
    finally:
        for path in paths:
            sys.path.remove(path)
        _look_again()


@contextmanager
def songrank(folder: Path) -> Iterator[None]:
    """Have this process find the algorithm and the learner of `SONGRANK` by their names."""
    project = tomllib.loads((SONGRANK / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with found_in(SONGRANK, installed(folder, project["name"], project["entry-points"])):
        yield


def _look_again() -> None:
    importlib.invalidate_caches()
    for table in (ALGORITHMS, LEARNERS):
        vars(table).pop("others", None)

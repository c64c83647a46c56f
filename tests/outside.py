"""The package `songrank`, as if it were installed in this environment."""

from __future__ import annotations

import importlib
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from booster.plugins import Table
from booster.tables import ALGORITHMS, LEARNERS

SOURCE = Path(__file__).with_name("songrank")


@contextmanager
def songrank(folder: Path) -> Iterator[None]:
    """Have the package, and what tells of its entry points, in a folder on the path."""
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
    about = folder / f"{project['name']}-{project['version']}.dist-info"
    about.mkdir()
    name, version = project["name"], project["version"]
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    groups = [
        "\n".join([f"[{group}]", *(f"{point} = {target}" for point, target in points.items())])
        for group, points in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n".join(groups) + "\n")
    paths = [str(SOURCE), str(folder)]
    sys.path[:0] = paths
    _forget(ALGORITHMS, LEARNERS)
    try:
        yield
    finally:
        for path in paths:
            sys.path.remove(path)
        _forget(ALGORITHMS, LEARNERS)


def _forget(*tables: Table) -> None:
    """Have tables look for other packages again."""
    importlib.invalidate_caches()
    for table in tables:
        vars(table).pop("others", None)

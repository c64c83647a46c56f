"""Packages of others for the tests: entry points without an installation."""

import os
from pathlib import Path

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

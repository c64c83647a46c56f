"""The archives of the project, and environments that have its wheel instead of the checkout."""

import os
import subprocess
import sys
import sysconfig
import venv
from importlib.metadata import distribution
from pathlib import Path

BOOSTER_ALONE = """
import importlib.metadata, json, sys, tempfile
import booster
import numpy as np

X, Y = np.random.default_rng(0).normal(size=(2, 50, 4))
ranker = booster.TopOpt(n_features=4, n_labels=4, n_learners=3, k=2)
ranker.run(X, Y > 0)
with tempfile.TemporaryFile() as file:
    ranker.save(file)
    file.seek(0)
    loaded = booster.load(file)
same = (loaded.rank(X) == ranker.rank(X)).all()
names = sorted(each.metadata["Name"].lower() for each in importlib.metadata.distributions())
print(json.dumps([booster.__file__, bool(same), names]))
"""
"""A program that uses boosters, and prints what it found installed."""


def build_wheel(root: Path, folder: Path) -> Path:
    """Build the wheel of a checkout into a folder; returns its file."""
    command = "pip wheel --quiet --no-deps --no-build-isolation --wheel-dir"
    subprocess.run([sys.executable, "-m", *command.split(), str(folder), str(root)], check=True)
    (path,) = folder.glob("*.whl")
    return path


def clean_environment(wheel: Path, folder: Path, *others: Path) -> Path:
    """An environment with a wheel or several and the dependencies of this one; returns its Python.

    The dependencies come through a path file. Path files in the folder that it names, such as
    the one of an editable install, do not count: the checkout is not there.
    """
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    # Before the path file: pip must not take the project of this environment for installed.
    install = "install --quiet --no-deps --no-index --disable-pip-version-check"
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    subprocess.run([*pip, *install.split(), *map(str, (wheel, *others))], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def build_archives(source: Path, folder: Path) -> dict[str, bytes]:
    """Build the source archive and the wheel of a folder with the source into another folder."""
    command = [sys.executable, "-m", "hatchling", "build", "--directory", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def environment_with(folder: Path, wheel: Path, *packages: str) -> Path:
    """An environment with a wheel and a few packages of this one, and no others.

    Returns its Python. The packages are linked, so no index is needed.
    """
    venv.create(folder, symlinks=True)
    (place,) = folder.glob("lib/python*/site-packages")
    for name in packages:
        found = distribution(name)
        tops = {file.parts[0] for file in found.files or [] if ".." not in file.parts}
        for top in tops - {"__pycache__"}:
            os.symlink(str(found.locate_file(top)), place / top)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", "--no-deps", "--no-index", str(wheel)], check=True)
    return python


def empty_environment(folder: Path) -> Path:
    """An environment with pip and nothing else; returns its Python."""
    venv.create(folder, symlinks=True, with_pip=True)
    return folder / "bin" / "python"


def pip_in(python: Path, root: Path, *wanted: str) -> None:
    """Install into an environment, at our versions, from the package index of pip's settings."""
    quiet = (
        "--quiet",
        "--disable-pip-version-check",
        "--constraint",
        str(root / "constraints.txt"),
    )
    subprocess.run([python, "-m", "pip", "install", *quiet, *wanted], check=True)

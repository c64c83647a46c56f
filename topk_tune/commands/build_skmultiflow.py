"""Builds scikit-multiflow 0.5.3 for a current Python and NumPy, and installs it here.

Run as `python -m topk_tune.commands.build_skmultiflow`. The last release is of 2020: its build
needs `numpy.distutils`, it carries C that an old Cython made, and it uses names that NumPy and
scikit-learn have dropped. Only these are changed, no algorithm, and the version says so.

With `--if-possible`, as `make test` runs it, a machine without a compiler or without the archive is
no error: the tests that need the library say that they are skipped.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from importlib import metadata
from pathlib import Path

from topk_tune.data.errors import DataError
from topk_tune.data.index import download

RELEASE = "scikit-multiflow==0.5.3"
SHA256 = "a720e0d7ad1af3cf1ea7ae2c0d371ec5a924a9db2aa2ba0be8d0ad99daadcfcf"
VERSION = "0.5.3+np2"
BUILD_TOOLS = ("setuptools==84.2.1", "cython==3.3.1")

_RENAMED = {
    r"\bnp\.float\b(?!\()": "np.float64",
    r"\bnp\.int\b": "np.int64",
    r"\bnp\.Inf\b": "np.inf",
    r"\bPyArray_DOUBLE\b": "NPY_DOUBLE",
    r"\bPyArray_INT\b": "NPY_INT",
    r"from sklearn\.utils import tosequence\n": "",
    r"\btosequence\(": "list(",
    r"(?m)^__version__ = .*$": f'__version__ = "{VERSION}"',
}
"""What NumPy, its C interface and scikit-learn call otherwise now, by pattern."""

_PYPROJECT = """\
[build-system]
requires = [{requires}]
build-backend = "setuptools.build_meta"

[project]
name = "scikit-multiflow"
version = "{version}"
dependencies = [{dependencies}]

[tool.setuptools.packages.find]
where = ["src"]
"""

_SETUP = """\
import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup

METRICS = "src/skmultiflow/metrics"
NEIGHBOURS = "src/skmultiflow/lazy/src/libNearestNeighbors/nearestNeighbor.cpp"

extensions = [
    *(
        Extension(f"skmultiflow.metrics.{name}", [f"{METRICS}/{name}.pyx"])
        for name in ("_confusion_matrix", "_classification_performance_evaluator")
    ),
    Extension("skmultiflow.lazy.libNearestNeighbor", [NEIGHBOURS], language="c++"),
]
for extension in extensions:
    extension.include_dirs.append(numpy.get_include())
setup(ext_modules=cythonize(extensions, language_level=3))
"""


class ImpossibleError(Exception):
    """It cannot be built here."""


def main(arguments: list[str]) -> None:
    """Build and install, unless that is done."""
    try:
        if installed() != VERSION:
            build()
        print(f"scikit-multiflow {VERSION} is installed.")
    except ImpossibleError as error:
        reason = f"scikit-multiflow is not built: {error}"
        if arguments != ["--if-possible"]:
            sys.exit(reason)
        print(f"{reason} The tests that need it are skipped.")


def build() -> None:
    """Build a wheel from the changed source, install it, and see that it can be imported."""
    if not has_compiler():
        raise ImpossibleError("it needs a C and C++ compiler (cc, gcc or clang); there is none.")
    print(f"Building scikit-multiflow {VERSION}; this takes a minute or two, once.", flush=True)
    with tempfile.TemporaryDirectory() as place:
        source = unpack(fetch(Path(place)), Path(place))
        modernise(source)
        _pip("wheel", "--no-deps", "--wheel-dir", place, str(source))
        (wheel,) = Path(place).glob("*.whl")
        _pip("install", "--no-deps", "sortedcontainers", str(wheel))
    subprocess.run([sys.executable, "-c", "import skmultiflow.trees"], check=True)


def installed() -> str | None:
    """The version that is installed."""
    try:
        return metadata.version("scikit-multiflow")
    except metadata.PackageNotFoundError:
        return None


def has_compiler() -> bool:
    """Whether there is a C compiler by one of the usual names."""
    return any(shutil.which(name) for name in ("cc", "gcc", "clang"))


def fetch(folder: Path) -> Path:
    """Download the source archive, whose hash is known, from where pip would."""
    try:
        return download(RELEASE, SHA256, folder)
    except DataError as error:
        raise ImpossibleError(str(error)) from None


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack the archive; returns the folder of the source."""
    with tarfile.open(archive) as members:
        members.extractall(folder, filter="data")
    return folder / RELEASE.replace("==", "-")


def modernise(source: Path) -> None:
    """Set the build on setuptools and Cython 3, and use the names of today."""
    for stale in [*source.rglob("setup.py"), *source.rglob("*.c"), source / "setup.cfg"]:
        stale.unlink()
    for file in source.rglob("*"):
        if file.suffix in (".py", ".pyx", ".cpp"):
            file.write_text(renamed(file.read_text(encoding="utf-8")), encoding="utf-8")
    needed = (source / "requirements.txt").read_text(encoding="utf-8").split()
    requires = [*BUILD_TOOLS, f"numpy=={metadata.version('numpy')}"]
    description = _PYPROJECT.format(
        requires=_quoted(requires), version=VERSION, dependencies=_quoted(needed)
    )
    (source / "pyproject.toml").write_text(description, encoding="utf-8")
    (source / "setup.py").write_text(_SETUP, encoding="utf-8")


def renamed(text: str) -> str:
    """A source text with the names of today."""
    for pattern, name in _RENAMED.items():
        text = re.sub(pattern, name, text)
    return text


def _quoted(items: list[str]) -> str:
    return ", ".join(f'"{item}"' for item in items)


def _pip(command: str, *arguments: str) -> None:
    quiet = ("--quiet", "--disable-pip-version-check")
    subprocess.run([sys.executable, "-m", "pip", command, *quiet, *arguments], check=True)


if __name__ == "__main__":
    main(sys.argv[1:])

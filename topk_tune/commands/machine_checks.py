"""What this machine has and lacks: one line a thing, with how to mend it."""

import importlib.metadata as metadata
import platform
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from packaging.requirements import Requirement

from booster.machine_code import cache_folder
from booster.plugins import MissingPackageError, Table
from booster.tables import ALGORITHMS, LEARNERS
from topk_tune.data.catalog import published
from topk_tune.tracking import TrackingError, read_config
from topk_tune.tracking.uris import without_password

_FREE_DISK = 2e9
_FREE_MEMORY = 1e9


@dataclass(frozen=True)
class Finding:
    """What was found of one thing.

    Parameters
    ----------
    what
        The thing.
    ok
        Whether it is as it should be.
    found
        What was found.
    mend
        What to do, if it is not.
    """

    what: str
    ok: bool
    found: str
    mend: str = ""


def examine(storage: Path) -> Iterator[Finding]:
    """Look at everything, one thing after another."""
    checks: list[Callable[[], Finding]] = [
        _python,
        *(lambda name=name: _package(name) for name in _packages()),
        _compiler,
        _kernels,
        *(
            lambda table=table, name=name: _plugin(table, name)
            for table in (ALGORITHMS, LEARNERS)
            for name, plugin in table.items()
            if plugin.package
        ),
        _ray,
        lambda: _disk(storage),
        _memory,
        _data,
        _tracking,
    ]
    for check in checks:
        yield check()


def _python() -> Finding:
    version = platform.python_version()
    ok = (3, 11) <= sys.version_info[:2] <= (3, 13)
    return Finding("Python", ok, version, "use Python 3.11, 3.12 or 3.13")


def _packages() -> list[str]:
    """The packages that the installed project requires, without those of extras."""
    required = metadata.requires("topk-tune") or []
    kept = [line for line in required if "extra ==" not in line]
    return ["".join(c for c in line if c not in "\"'").split(";")[0] for line in kept]


def _package(requirement: str) -> Finding:
    wanted = Requirement(requirement)
    try:
        version = metadata.version(wanted.name)
    except metadata.PackageNotFoundError:
        return Finding(wanted.name, False, "missing", f"pip install '{requirement}'")
    ok = wanted.specifier.contains(version, prereleases=True)
    found = version if ok else f"{version}, but {wanted.specifier} is needed"
    return Finding(wanted.name, ok, found, f"pip install '{requirement}'")


def _compiler() -> Finding:
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    return Finding("C compiler", True, found or "none, and none is needed")


def _kernels() -> Finding:
    folder = cache_folder()
    if any(folder.glob("**/*.nbc")):
        return Finding("compiled kernels", True, str(folder))
    return Finding("compiled kernels", True, "none yet: the first run compiles for a minute, once")


def _plugin(table: Table, name: str) -> Finding:
    """What another package brings; nothing else needs it, so it may be missing."""
    what, package = f"{table.kind} {name}", table[name].package
    try:
        table.load(name)
    except MissingPackageError as error:
        return Finding(what, True, str(error))
    return Finding(what, True, f"{package} {metadata.version(package)}")


def _ray() -> Finding:
    try:
        import ray
    except ImportError as error:
        return Finding("Ray", False, str(error), "pip install ray, or use --backend local")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))  # Ray chooses free ports of loopback likewise
    return Finding("Ray", True, f"{ray.__version__}, ports of loopback can be used")


def _disk(storage: Path) -> Finding:
    folder = next(p for p in (storage.absolute(), *storage.absolute().parents) if p.exists())
    free = shutil.disk_usage(folder).free
    found = f"{free / 1e9:.1f} GB free at {folder}"
    return Finding("disk", free > _FREE_DISK, found, "make room, or choose another --storage")


def _memory() -> Finding:
    free = psutil.virtual_memory().available
    mend = "use fewer --workers, or close other programs"
    return Finding("memory", free > _FREE_MEMORY, f"{free / 1e9:.1f} GB available", mend)


def _data() -> Finding:
    here = [name for name, entry in published().items() if entry.at_hand()]
    return Finding("data sets", True, f"{', '.join(here)}; `topk-tune data get` fetches others")


def _tracking() -> Finding:
    try:
        uri = read_config().tracking_uri
    except TrackingError as error:
        return Finding("MLflow", False, str(error), "mend mlflow.yaml")
    parts = urlsplit(uri)
    if parts.scheme not in ("http", "https"):
        return Finding("MLflow", True, without_password(uri))
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((parts.hostname or "", port), timeout=5).close()
    except OSError as error:
        mend = "start the server; meanwhile records wait in the study's folder"
        return Finding("MLflow", False, f"{without_password(uri)} does not answer ({error})", mend)
    return Finding("MLflow", True, f"{without_password(uri)} answers")

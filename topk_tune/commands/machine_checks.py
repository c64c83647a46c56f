"""What this machine has and lacks: one line a thing, with how to mend it."""

import importlib
import importlib.metadata as metadata
import platform
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import psutil
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from booster.machine_code import cache_folder
from booster.plugins import MissingPackageError, Plugin, Table
from topk_tune.data.catalog import published
from topk_tune.plugins.kinds import KINDS
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
    needed
        Whether anything else depends on it.
    """

    what: str
    ok: bool
    found: str
    mend: str = ""
    needed: bool = True


def examine(storage: Path) -> Iterator[Finding]:
    """Look at everything, one thing after another."""
    checks: list[Callable[[], Finding]] = [
        _python,
        *(lambda name=name: _package(name) for name in _packages()),
        _compiler,
        _kernels,
        *(
            lambda table=table, plugin=plugin: _plugin(table, plugin)
            for table in map(KINDS.load, KINDS)
            for plugin in table.values()
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
    mend = f"pip install '{requirement}'"
    if not wanted.specifier.contains(version, prereleases=True):
        found = f"{version}, but {wanted.specifier} is needed"
        return Finding(wanted.name, False, found, mend)
    try:
        importlib.import_module(_module_of(wanted.name))
    except Exception as error:  # a library may raise anything on import
        reason = f"{version} cannot be imported ({type(error).__name__}: {error})"
        return Finding(wanted.name, False, reason, f"pip install --force-reinstall '{requirement}'")
    return Finding(wanted.name, True, version)


def _module_of(package: str) -> str:
    """The module of a package, which may have several and another name than they."""
    name = canonicalize_name(package)
    modules = [
        module
        for module, packages in _modules().items()
        if name in map(canonicalize_name, packages)
    ]
    return min(modules, key=lambda each: (canonicalize_name(each) != name, each[0] == "_", each))


@cache
def _modules() -> Mapping[str, list[str]]:
    return metadata.packages_distributions()


def _compiler() -> Finding:
    found = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    return Finding("C compiler", True, found or "none, and none is needed")


def _kernels() -> Finding:
    folder = cache_folder()
    if any(folder.glob("**/*.nbc")):
        return Finding("compiled kernels", True, str(folder))
    return Finding("compiled kernels", True, "none yet: the first run compiles for a minute, once")


def _plugin(table: Table, plugin: Plugin) -> Finding:
    """What another package brings: it may be absent, but not broken."""
    what, package = f"{table.kind} {plugin.name}", plugin.package
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        return Finding(what, False, f"{package} is not installed", plugin.install, needed=False)
    try:
        table.load(plugin.name)
    except MissingPackageError as error:
        return Finding(what, False, str(error), f"install {package} again, or uninstall it")
    return Finding(what, True, f"{package} {version}")


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

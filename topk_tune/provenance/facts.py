"""Facts about a run: code, versions, machine."""

import getpass
import platform
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("topk-tune", "numpy", "numba", "optuna", "ray", "mlflow")
_PATIENCE = 5.0
"""Time limit of git in seconds: a large checkout on a slow disk must not delay a study."""


def facts() -> dict[str, str]:
    """Return tags that are the same for every run of this process; unknown ones are omitted."""
    tags = {"host": socket.gethostname(), "version.python": platform.python_version()}
    for package in _PACKAGES:
        try:
            tags[f"version.{package}"] = version(package)
        except PackageNotFoundError:
            continue
    with suppress(KeyError, OSError):  # the user of a container may have no name
        tags["mlflow.user"] = getpass.getuser()
    return tags | _git(Path(__file__).parent)


def versions(known: Mapping[str, str]) -> str:
    """Return the versions among the facts, as text."""
    mark = "version."
    return ", ".join(f"{n.removeprefix(mark)} {v}" for n, v in known.items() if n.startswith(mark))


def commit(known: Mapping[str, str]) -> str:
    """Return the commit among the facts, as text; empty if there is none."""
    dirty = ", with uncommitted changes" if known.get("git_dirty") == "true" else ""
    return f"{known['git_sha']}{dirty}" if "git_sha" in known else ""


def processor() -> str:
    """Return the name and number of the processors, if known."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} cores" if names else "unknown processor"


def _git(folder: Path) -> dict[str, str]:
    """Return the commit of a folder, and whether it has changes; empty if it is not tracked."""
    try:
        if not _output(folder, "ls-files", "__init__.py"):
            return {}  # installed inside the checkout of another project
        sha = _output(folder, "rev-parse", "HEAD")
        dirty = _output(folder, "status", "--porcelain", "--untracked-files=no", ":/")
    except (OSError, subprocess.SubprocessError):
        return {}
    return {
        "git_sha": sha,
        "git_dirty": "true" if dirty else "false",
        "mlflow.source.git.commit": sha,
    }


def _output(folder: Path, *arguments: str) -> str:
    # Without optional locks, `git status` does not write the index, which others may be using.
    command = ["git", "--no-optional-locks", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=_PATIENCE)
    return done.stdout.strip()

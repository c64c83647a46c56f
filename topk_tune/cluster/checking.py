"""What must be true of a launcher file and of what it leans on, before machines are started."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from topk_tune.cluster.launcher import (
    ClusterError,
    Launcher,
    commands,
    mounted,
    prepared,
    read_launcher,
    starts,
)
from topk_tune.cluster.services import check_storage, check_tracking

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PYTHON = re.compile(r"\bpython(\d\.\d+)\b")
_ADDRESS = re.compile(r"\b\w[\w+.-]*://[^\s'\"]+")
_DASHBOARD = re.compile(r"--dashboard-host[= ](\S+)")


@dataclass(frozen=True)
class Finding:
    """One thing that was checked.

    Parameters
    ----------
    what
        What must be true.
    problem
        Why it is not; None if it is.
    """

    what: str
    problem: str | None = None


def check_cluster(path: Path, storage: str | None = None, drivers: int = 1) -> list[Finding]:
    """Check a launcher file, the tracking of mlflow.yaml and the storage of studies."""
    content = read_launcher(path)
    return [
        _found("Ray's validator takes it", lambda: prepared(content)),
        _found("nodes get the Python of this driver", lambda: _check_python(content)),
        _found("nodes get the Ray of this driver", lambda: _check_ray(content)),
        _found("the wheel is there", lambda: _check_wheel(content)),
        _found("the dashboard is closed to others", lambda: _check_dashboard(content)),
        _found("nodes demand a token", lambda: _check_token(content)),
        _found("no password is in the file", lambda: _check_passwords(content)),
        _found("the tracking server answers", check_tracking),
        _found(_drivers(drivers), lambda: check_storage(storage, drivers)),
    ]


def _drivers(count: int) -> str:
    who = "a driver" if count == 1 else f"{count} drivers"
    return f"the storage answers, and is one for {who}"


def _found(what: str, check: Callable[[], object]) -> Finding:
    try:
        check()
    except (ValueError, OSError) as error:
        return Finding(what, str(error))
    return Finding(what)


def _check_python(content: Launcher) -> None:
    mine = f"{sys.version_info.major}.{sys.version_info.minor}"
    named = {version for command in commands(content) for version in _PYTHON.findall(command)}
    if named != {mine}:
        got = ", ".join(sorted(named)) or "none"
        raise ClusterError(f"the set-up commands must name python{mine} alone, but got {got}")


def _check_ray(content: Launcher) -> None:
    import ray

    pins = [path for path in mounted(content) if path.name == "constraints.txt"]
    if not (pins and any("--constraint" in command for command in commands(content))):
        raise ClusterError("constraints.txt must be among the file_mounts, and be installed by")
    pinned = re.search(r"^ray==(\S+)", pins[0].read_text(encoding="utf-8"), re.MULTILINE)
    if pinned is None or pinned[1] != ray.__version__:
        got = pinned[1] if pinned else "no version"
        raise ClusterError(f"{pins[0]} must name Ray {ray.__version__}, but got {got}")


def _check_wheel(content: Launcher) -> None:
    from topk_tune import __version__

    wheels = [wheel for path in mounted(content) for wheel in _wheels(path)]
    expected = f"topk_tune-{__version__}-py3-none-any.whl"
    if [wheel.name for wheel in wheels] != [expected]:
        got = ", ".join(wheel.name for wheel in wheels) or "none"
        raise ClusterError(
            f"the file_mounts must hold {expected} alone, but got {got}: "
            "`hatchling build -t wheel` makes it"
        )


def _wheels(path: Path) -> list[Path]:
    return sorted(path.glob("topk_tune-*.whl")) if path.is_dir() else [path][: path.match("*.whl")]


def _check_dashboard(content: Launcher) -> None:
    for command in starts(content):
        for host in _DASHBOARD.findall(command):
            if host not in _LOOPBACK:
                raise ClusterError(
                    f"--dashboard-host must be 127.0.0.1, but got {host}: whoever reaches it "
                    "can run programs; `ray dashboard FILE` opens a tunnel to it"
                )


def _check_token(content: Launcher) -> None:
    if not starts(content):
        raise ClusterError("head_start_ray_commands and worker_start_ray_commands must be given")
    for command in starts(content):
        if "RAY_AUTH_MODE=token" not in command:
            raise ClusterError(f"RAY_AUTH_MODE=token must be set for {command!r}")


def _check_passwords(content: Launcher) -> None:
    for address in _ADDRESS.findall(str(content)):
        if urlsplit(address).password:
            shown = urlsplit(address).hostname
            raise ClusterError(
                f"the address of {shown} holds a password: keep it in the environment of the head"
            )

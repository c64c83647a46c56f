"""Checks a launcher file and the services it needs before machines are started."""

import re
import stat
import sys
from pathlib import Path
from urllib.parse import urlsplit

from topk_tune.cluster.finding import Finding, found
from topk_tune.cluster.launcher import (
    HERE,
    ClusterError,
    Launcher,
    commands,
    is_local,
    mounted,
    prepared,
    read_launcher,
    starts,
)
from topk_tune.cluster.services import check_storage, check_tracking
from topk_tune.cluster.token import token_file
from topk_tune.version import __version__

_PYTHON = re.compile(r"\bpython(\d\.\d+)\b")
_ADDRESS = re.compile(r"\b\w[\w+.-]*://[^\s'\"]+")
_DASHBOARD = re.compile(r"--dashboard-host[= ](\S+)")
_FIRST_AUTOSCALER = "RAY_enable_autoscaler_v2=0"


def check_cluster(path: Path, storage: str | None = None, drivers: int = 1) -> list[Finding]:
    """Check a launcher file, mlflow.yaml and the storage of studies."""
    content = read_launcher(path)
    return [
        found("Ray's validator takes it", lambda: prepared(content)),
        found("workers will be started", lambda: _check_autoscaler(content)),
        found("nodes get the Python of this driver", lambda: _check_python(content)),
        found("nodes get the Ray of this driver", lambda: _check_ray(content)),
        found("the wheel is there", lambda: _check_wheel(content)),
        found("the dashboard is closed to others", lambda: _check_dashboard(content)),
        found("nodes demand a token", lambda: _check_token(content)),
        found("key and token are there for you alone", lambda: _check_private(content)),
        found("no password is in the file", lambda: _check_passwords(content)),
        found("the tracking of mlflow.yaml answers", check_tracking),
        found(_drivers(drivers), lambda: check_storage(storage, drivers)),
    ]


def _drivers(count: int) -> str:
    who = "a driver" if count == 1 else f"{count} drivers"
    return f"the storage answers, and is one for {who}"


def _check_autoscaler(content: Launcher) -> None:
    """Refuse Ray's second autoscaler, which never sees a `local` head as running."""
    heads = [command for command in starts(content) if "--head" in command]
    if is_local(content) and not any(_FIRST_AUTOSCALER in command for command in heads):
        raise ClusterError(
            f"{_FIRST_AUTOSCALER} must be set where head_start_ray_commands start Ray: with a "
            "`local` provider its second autoscaler starts no worker"
        )


def _check_python(content: Launcher) -> None:
    mine = f"{sys.version_info.major}.{sys.version_info.minor}"
    named = {version for command in commands(content) for version in _PYTHON.findall(command)}
    if named != {mine}:
        got = ", ".join(sorted(named)) or "none"
        raise ClusterError(f"the set-up commands must use python{mine} only, but got {got}")


def _check_ray(content: Launcher) -> None:
    import ray

    pins = [path for path in mounted(content) if path.name == "constraints.txt"]
    if not (pins and any("--constraint" in command for command in commands(content))):
        raise ClusterError("constraints.txt must be among the file_mounts, and pip must use it")
    pinned = re.search(r"^ray==(\S+)", pins[0].read_text(encoding="utf-8"), re.MULTILINE)
    if pinned is None or pinned[1] != ray.__version__:
        got = pinned[1] if pinned else "no version"
        raise ClusterError(f"{pins[0]} must pin Ray {ray.__version__}, but got {got}")


def _check_wheel(content: Launcher) -> None:
    wheels = [wheel for path in mounted(content) for wheel in _wheels(path)]
    expected = f"topk_tune-{__version__}-py3-none-any.whl"
    if [wheel.name for wheel in wheels] != [expected]:
        got = ", ".join(wheel.name for wheel in wheels) or "none"
        raise ClusterError(
            f"the file_mounts must have {expected} only, but got {got}: "
            "build it with `hatchling build -t wheel`"
        )


def _wheels(path: Path) -> list[Path]:
    return sorted(path.glob("topk_tune-*.whl")) if path.is_dir() else [path][: path.match("*.whl")]


def _check_dashboard(content: Launcher) -> None:
    for command in starts(content):
        for host in _DASHBOARD.findall(command):
            if host not in HERE:
                raise ClusterError(
                    f"--dashboard-host must be 127.0.0.1, but got {host}: anyone who can reach "
                    "it can run programs; `topk-tune job --cluster FILE` reaches it by SSH"
                )


def _check_token(content: Launcher) -> None:
    if not starts(content):
        raise ClusterError("head_start_ray_commands and worker_start_ray_commands must be given")
    for command in starts(content):
        if "RAY_AUTH_MODE=token" not in command:
            raise ClusterError(f"RAY_AUTH_MODE=token must be set for {command!r}")


def _check_private(content: Launcher) -> None:
    key = (content.get("auth") or {}).get("ssh_private_key")
    named = [Path(key).expanduser()] if key else []
    for path in named:
        if not path.is_file():  # SSH would silently try other keys
            raise ClusterError(f"ssh_private_key must be a file, but there is no {path}")
    for path in [*named, token_file()]:
        if path.exists() and (mode := stat.S_IMODE(path.stat().st_mode)) & 0o077:
            raise ClusterError(
                f"{path} must be readable by you alone, but its mode is {mode:o}: chmod 600 {path}"
            )


def _check_passwords(content: Launcher) -> None:
    for address in _ADDRESS.findall(str(content)):
        if urlsplit(address).password:
            shown = urlsplit(address).hostname
            raise ClusterError(
                f"the address of {shown} has a password: put it into the environment of the head"
            )

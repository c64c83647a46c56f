"""Reads files of Ray's cluster launcher, and validates them with Ray."""

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import yaml

from topk_tune.backends.ray_parts import completed

Launcher = dict[str, Any]

RAY = Path(sys.executable).with_name("ray")
"""Ray's own command line, which launches clusters."""

HERE = ("127.0.0.1", "localhost", "::1")
"""Loopback addresses."""


class ClusterError(ValueError):
    """A launcher file is invalid."""


def read_launcher(path: Path) -> Launcher:
    """Read a launcher file."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ClusterError(f"{path} must be YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise ClusterError(f"{path} must be a mapping of keys to values")
    if "kind" in content:
        raise ClusterError(
            f"{path} is for Kubernetes ({content['kind']}): check it with "
            f"`kubectl apply --dry-run=server -f {path}`"
        )
    if not isinstance(content.get("provider"), dict):
        raise ClusterError(f"{path} must have a `provider` with a `type`, such as local or aws")
    return content


def prepared(content: Launcher) -> Launcher:
    """The content with the defaults of `ray up`; a ClusterError if Ray refuses it."""
    from click import ClickException
    from jsonschema import ValidationError

    said = io.StringIO()  # Ray prints the reason and raises an empty exception
    try:
        with redirect_stdout(said), redirect_stderr(said):
            return completed(content)
    except ValidationError as error:
        where = ".".join(map(str, error.absolute_path))
        raise ClusterError(f"{where}: {error.message}" if where else error.message) from None
    except ClickException as error:
        raise ClusterError(" ".join(said.getvalue().split()) or error.format_message()) from None
    except (ValueError, KeyError, TypeError, NotImplementedError, RuntimeError) as error:
        raise ClusterError(str(error)) from None


def commands(content: Launcher) -> list[str]:
    """All commands that the launcher runs on a node."""
    return [
        str(command)
        for key, listed in content.items()
        if key.endswith("_commands")
        for command in listed or []
    ]


def starts(content: Launcher) -> list[str]:
    """The commands that start Ray."""
    return [command for command in commands(content) if "ray start" in command]


def mounted(content: Launcher) -> list[Path]:
    """The local files and folders that are copied to nodes."""
    mounts = content.get("file_mounts") or {}
    return [Path(str(local)).expanduser() for local in mounts.values()]


def is_local(content: Launcher) -> bool:
    """Whether the machines are listed in the file, with a `local` provider."""
    return bool(content["provider"].get("type") == "local")


def workers(content: Launcher) -> list[str]:
    """The addresses of the listed machines, without the head."""
    return [str(address) for address in content["provider"].get("worker_ips") or []]


def demands_token(content: Launcher) -> bool:
    """Whether nodes require a token."""
    return any("RAY_AUTH_MODE=token" in command for command in starts(content))

"""Programs in the place of those that would need other machines."""

import os
from pathlib import Path

import pytest
import yaml

SSH = """\
#!/bin/bash
printf '%s\\n' "$*" >> {calls}
exec bash -c "${{@: -1}}"
"""
"""In the place of `ssh`: writes down how it was called, and runs its script here."""


def put_program(folder: Path, name: str, script: str) -> Path:
    """Write a program."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(script, encoding="utf-8")
    path.chmod(0o755)
    return path


def put_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the programs of a folder win over others of their names."""
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def put_ssh(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str | None = None) -> Path:
    """An `ssh` of a folder, by default one that runs its script here; returns where it writes."""
    calls = folder / "ssh-calls"
    put_program(folder, "ssh", script or SSH.format(calls=calls))
    put_first(folder, monkeypatch)
    return calls


def put_launcher(folder: Path, head: str, *workers: str, options: str = "") -> Path:
    """A launcher file of machines of one's own."""
    content = {
        "cluster_name": "none-of-this-name",
        "provider": {"type": "local", "head_ip": head, "worker_ips": list(workers)},
        "auth": {"ssh_user": "nobody"},
        "head_start_ray_commands": [f"ray start --head {options}"],
    }
    path = folder / "cluster.yaml"
    path.write_text(yaml.safe_dump(content), encoding="utf-8")
    return path

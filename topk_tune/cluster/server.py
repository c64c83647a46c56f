"""The job server of a cluster that a launcher file describes: here, or at the end of a tunnel."""

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from topk_tune.cluster.jobs import JobError
from topk_tune.cluster.launcher import Launcher, read_launcher, starts
from topk_tune.keeper import KeptProcess

_DEFAULT_PORT = 8265
_PORT = re.compile(r"--dashboard-port[= ](\d+)")
_HERE = ("127.0.0.1", "localhost", "::1")
_RAY = Path(sys.executable).with_name("ray")
_PATIENCE = 60.0
"""Seconds in which a tunnel must be there."""


@dataclass(frozen=True)
class JobServer:
    """Where jobs are sent.

    Parameters
    ----------
    address
        As a client takes it.
    tunnelled
        Whether the address is the end of a tunnel that closes when it is no longer used.
    """

    address: str
    tunnelled: bool


@contextmanager
def job_server(path: Path) -> Iterator[JobServer]:
    """The job server of a cluster, for a while.

    It listens on loopback of the head; a head elsewhere is reached as `ray dashboard` does, by SSH.
    """
    content = read_launcher(path)
    port = _port(content)
    if content["provider"].get("head_ip") in _HERE:
        yield JobServer(f"http://127.0.0.1:{port}", tunnelled=False)
        return
    with _tunnel(path, port) as end:
        yield JobServer(f"http://127.0.0.1:{end}", tunnelled=True)


def _port(content: Launcher) -> int:
    found = [port for command in starts(content) for port in _PORT.findall(command)]
    return int(found[0]) if found else _DEFAULT_PORT


@contextmanager
def _tunnel(path: Path, port: int) -> Iterator[int]:
    """A port of this machine that leads to one of the head."""
    end = _free_port()
    command = [str(_RAY), "dashboard", str(path), "--port", str(end), "--remote-port", str(port)]
    with (
        TemporaryFile("w+") as said,
        # Ctrl-C does not reach it: what is said then may need the tunnel.
        KeptProcess(command, stdout=said, stderr=subprocess.STDOUT) as process,
    ):
        _wait_for(end, process, said, path)
        yield end


def _wait_for(end: int, process: KeptProcess, said: IO[str], path: Path) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", end), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    said.seek(0)
    lines = [line.strip() for line in said if line.strip()]
    reason = lines[-1].removeprefix("The exception is: ") if lines else "nothing"
    raise JobError(f"no way to the head of {path}, of which `ray dashboard {path}` says: {reason}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])

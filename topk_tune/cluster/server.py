"""The job server of a cluster: on this computer, or through a tunnel."""

import os
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from topk_tune.cluster.jobs import JobError
from topk_tune.cluster.launcher import Launcher, demands_token, read_launcher, starts
from topk_tune.cluster.shell import Shell, head_shell
from topk_tune.cluster.token import token_file
from topk_tune.processes.keeper import KeptProcess

_DEFAULT_PORT = 8265
_PORT = re.compile(r"--dashboard-port[= ](\d+)")
_PATIENCE = 60.0
"""Seconds that a tunnel has to open."""


@contextmanager
def job_server(path: Path) -> Iterator[str]:
    """A context with the address of a cluster's job server.

    The server listens on the loopback address of the head. A remote head is reached through an SSH
    tunnel.
    """
    content = read_launcher(path)
    if demands_token(content):
        if not (os.environ.get("RAY_AUTH_TOKEN") or token_file().exists()):
            raise JobError(
                f"the cluster requires a token, but there is no {token_file()}: `topk-tune cluster "
                "up` creates it, and other computers need a copy"
            )
        os.environ.setdefault("RAY_AUTH_MODE", "token")  # so that Ray reads the token
    port, head = _port(content), head_shell(content)
    if head.is_here:
        yield f"http://127.0.0.1:{port}"
        return
    with tunnel(head, free_port(), port) as end:
        yield f"http://127.0.0.1:{end}"


@contextmanager
def tunnel(head: Shell, here: int, there: int) -> Iterator[int]:
    """Forward a port of this computer to one of the head."""
    command = head.forwarding(here, there)
    with (
        TemporaryFile("w+") as said,
        KeptProcess(command, stdout=said, stderr=said) as process,
    ):
        _wait_for(here, process, said, head)
        yield here


def free_port() -> int:
    """A free port of this computer."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _port(content: Launcher) -> int:
    found = [port for command in starts(content) for port in _PORT.findall(command)]
    return int(found[0]) if found else _DEFAULT_PORT


def _wait_for(end: int, process: KeptProcess, said: IO[str], head: Shell) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", end), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    said.seek(0)
    lines = [line.strip() for line in said if line.strip()]
    raise JobError(f"no SSH to the head {head.host}: {lines[-1] if lines else 'no message'}")

"""Real Ray clusters on loopback, and the drivers of studies on them, as processes to be killed."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psutil

from topk_tune.backends.base import BackendError
from topk_tune.backends.ray_cluster import check_address
from topk_tune.records import TrialRecord
from topk_tune.storage import Location
from topk_tune.study import Study

BIN = Path(sys.executable).parent

FRIGHTENING = ("Traceback", "Error", "Warning", "WARNING", "core_worker", "Exception", "raylet")
"""What the output of a command must not hold when all goes well in the end."""

Process = subprocess.Popen[str]


class Node:
    """A Ray node, all of whose processes can be killed at once."""

    def __init__(self, *options: str, environment: Mapping[str, str], cwd: Path) -> None:
        command = [str(BIN / "ray"), "start", "--block", "--disable-usage-stats", *options]
        self._process = subprocess.Popen(
            [
                *command,
                "--object-store-memory=100000000",
                # One port for all nodes of a machine is what Ray has by itself.
                f"--dashboard-agent-listen-port={free_port()}",
            ],
            env=environment,
            cwd=cwd,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def kill(self) -> None:
        """As when a machine loses its power."""
        kill_all(self._process)


class Cluster:
    """A head without processors, and nodes with one each, on loopback.

    Parameters
    ----------
    folder
        Ray's; a short path, as its sockets need one.
    jobs
        Whether jobs can be submitted.
    variables
        More of the environment of its nodes.
    """

    def __init__(
        self, folder: Path, jobs: bool = False, variables: Mapping[str, str] | None = None
    ) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",  # as in an activated environment
            "RAY_AUTH_MODE": "token",  # a node listens on every interface
            "RAY_AUTH_TOKEN": uuid.uuid4().hex,
            # What is lost is noticed after five seconds, not after 17 (a node) or 60 (the head).
            "RAY_health_check_period_ms": "1000",
            "RAY_gcs_rpc_server_reconnect_timeout_s": "5",
        }
        inside = {**self.environment, **(variables or {})}
        self.environment.pop("RAY_ADDRESS", None)
        self.address = f"127.0.0.1:{free_port()}"
        self.job_port = free_port()
        self.nodes: list[Node] = []
        self.head = Node(
            "--head",
            "--node-ip-address=127.0.0.1",
            f"--port={self.address.split(':')[1]}",
            "--num-cpus=0",
            f"--include-dashboard={jobs}",
            "--dashboard-host=127.0.0.1",
            f"--dashboard-port={self.job_port}",
            f"--temp-dir={folder}",
            environment=inside,
            cwd=folder,
        )
        until(lambda: _answers(self.address))
        if jobs:
            until(lambda: _answers(f"127.0.0.1:{self.job_port}"))

    @property
    def jobs(self) -> str:
        """Where jobs are submitted."""
        return f"http://127.0.0.1:{self.job_port}"

    def add_node(self) -> Node:
        """A node with one processor."""
        node = Node(
            f"--address={self.address}",
            "--node-ip-address=127.0.0.1",
            "--num-cpus=1",
            environment=self.environment,
            cwd=self.folder,
        )
        self.nodes.append(node)
        return node

    def close(self) -> None:
        """End every process of it."""
        for node in [*self.nodes, self.head]:
            node.kill()


@contextmanager
def running_cluster(
    jobs: bool = False, variables: Mapping[str, str] | None = None
) -> Iterator[Cluster]:
    """A cluster that does not outlive the test."""
    folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))
    made = Cluster(folder, jobs, variables)
    try:
        yield made
    finally:
        made.close()
        shutil.rmtree(folder, ignore_errors=True)


class Drivers:
    """Commands of `topk-tune` that run in processes of their own, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[Process] = []

    def start(self, *arguments: str, environment: Mapping[str, str] | None = None) -> Process:
        """Start a command."""
        process = subprocess.Popen(
            [str(BIN / "topk-tune"), *arguments],
            cwd=self._folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self._started.append(process)
        return process

    def close(self) -> None:
        """End all that still run."""
        for process in self._started:
            kill_all(process)
            if process.stdout is not None:
                process.stdout.close()


def kill_all(process: "subprocess.Popen[str] | subprocess.Popen[bytes]") -> None:
    """Kill a process and all that it has started."""
    if process.poll() is not None:
        return
    try:
        family = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        family = []
    process.kill()
    for member in family:
        try:
            member.kill()
        except psutil.NoSuchProcess:
            continue
    process.wait()


def records(folder: Path, name: str = "study") -> list[TrialRecord]:
    """The trials of a study; none if it is not made yet."""
    try:
        return Study.open(Location(folder / "studies"), name).records()
    except (ValueError, OSError):
        return []


def finished(folder: Path) -> int:
    """How many trials of a study have come to their end."""
    return sum(record.state in ("complete", "pruned") for record in records(folder))


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until(condition: Callable[[], object], process: Process | None = None) -> None:
    """Wait for an event; a process that ends before it is an error."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        if process is not None and process.poll() is not None:
            raise AssertionError(f"it ended too early: {process.communicate()}")
        time.sleep(0.05)


def _answers(address: str) -> bool:
    try:
        check_address(address)
    except BackendError:
        return False
    return True

"""Real Ray clusters on loopback, and the drivers of studies on them, as processes to be killed."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from topk_tune.records.trials import TrialRecord
from topk_tune.storage import Location
from topk_tune.study.study import Study

BIN = Path(sys.executable).parent

Process = subprocess.Popen[str]

FRIGHTENING = ("Traceback", "Error", "Warning", "WARNING", "core_worker", "Exception", "raylet")
"""What the output of a command must not hold when all goes well in the end."""

SPACE = """\
default:
  algorithm: topopt
  loops: 4
  n_learners: {type: int, low: 5, high: 20, step: 5}
  rho: {type: float, low: 0.01, high: 0.3, log: true}
  gamma: 0.1
  k: 3
"""
QUICK = (
    *("run", "--no-track", "--space", "space.yaml"),
    *("--dataset", "synthetic:rows=800,dim=10,m=6,cardinality=2"),
)
"""A study of trials that take some hundredths of a second; later options win over these."""

HANG = 300.0
"""Seconds after which what is waited for will never come; nothing here takes a third of it."""

_STARTS = 3
"""How often a node is started whose process ends: a port was taken, or half a minute was over."""


class Node:
    """A Ray node, all of whose processes can be killed at once."""

    def __init__(self, *options: str, environment: Mapping[str, str], log: Path) -> None:
        command = [str(BIN / "ray"), "start", "--block", "--disable-usage-stats", *options]
        self._log = log
        with log.open("w") as output:
            self.process = subprocess.Popen(
                [
                    *command,
                    "--object-store-memory=100000000",
                    # Of no use to a driver that does not ask for what workers print.
                    "--include-log-monitor=False",
                    # One port for all nodes of a machine is what Ray has by itself.
                    f"--dashboard-agent-listen-port={free_port()}",
                ],
                env=environment,
                cwd=log.parent,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def is_up(self) -> bool:
        """Whether it has joined its cluster."""
        return "Ray runtime started" in self._log.read_text()

    @property
    def is_gone(self) -> bool:
        """Whether it has ended by itself."""
        return self.process.poll() is not None

    def kill(self) -> None:
        """As when a machine loses its power."""
        kill_all(self.process)


class Cluster:
    """A head without processors, and nodes with one each, on loopback.

    Parameters
    ----------
    folder
        Ray's; a short path, as its sockets need one.
    jobs
        Whether jobs can be submitted.
    variables
        More of the environment of its head.
    options
        More options of its head.
    """

    def __init__(
        self,
        folder: Path,
        jobs: bool = False,
        variables: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
    ) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",  # as in an activated environment
            "RAY_AUTH_MODE": "token",  # a node listens on every interface
            "RAY_AUTH_TOKEN": uuid.uuid4().hex,
            # What is lost is noticed after five checks, not after 17 seconds (a node) or 60 (the
            # head). What is only slow has ten seconds to answer each.
            "RAY_health_check_period_ms": "200",
            "RAY_gcs_rpc_server_reconnect_timeout_s": "5",
            "RAY_prestart_worker_first_driver": "0",
            "PYTHONUNBUFFERED": "1",
        }
        self.environment.pop("RAY_ADDRESS", None)
        self._jobs = jobs
        self._of_head = {**self.environment, **(variables or {})}
        self._options = options
        self._nodes: list[Node] = []
        self.head = self._up(self._start_head)

    @property
    def jobs(self) -> str:
        """Where jobs are submitted."""
        return f"http://127.0.0.1:{self.job_port}"

    def add_node(self) -> Node:
        """A node with one processor, which has joined the cluster."""
        return self._up(self._start_node)

    def have(self, count: int) -> list[Node]:
        """So many nodes beside the head: others are killed, missing ones start one by one.

        Nodes that start together may choose the same names for their sockets, and one hangs.
        """
        alive = [node for node in self._nodes if node is not self.head and not node.is_gone]
        for node in alive[count:]:
            node.kill()
        return alive[:count] + [self.add_node() for _ in range(count - len(alive))]

    def close(self) -> None:
        """End every process of it."""
        for node in reversed(self._nodes):
            node.kill()

    def last_words(self) -> str:
        """The ends of what Ray has logged, for whoever must find out why something hangs."""
        logs = sorted(self.folder.glob("session_2*/logs/*")) + sorted(self.folder.glob("*.log"))
        return "\n".join(f"== {log.name}\n{_end_of(log)}" for log in logs if log.is_file())

    def _start_head(self) -> Node:
        self.address = f"127.0.0.1:{free_port()}"
        self.job_port = free_port()
        options = (
            "--head",
            f"--port={self.address.split(':')[1]}",
            "--num-cpus=0",
            f"--include-dashboard={self._jobs}",
            "--dashboard-host=127.0.0.1",
            f"--dashboard-port={self.job_port}",
            f"--temp-dir={self.folder}",
            *self._options,
        )
        return self._start(*options, environment=self._of_head)

    def _start_node(self) -> Node:
        options = (f"--address={self.address}", "--num-cpus=1")
        return self._start(*options, environment=self.environment)

    def _start(self, *options: str, environment: Mapping[str, str]) -> Node:
        log = self.folder / f"node-{len(self._nodes)}.log"
        options = (*options, "--node-ip-address=127.0.0.1")
        self._nodes.append(Node(*options, environment=environment, log=log))
        return self._nodes[-1]

    def _up(self, start: Callable[[], Node]) -> Node:
        """A node that has joined; one whose process ends before that is started again."""
        for _ in range(_STARTS):
            node = start()
            until(lambda up=node: up.is_up or up.is_gone, told=self.last_words)
            if node.is_up:
                return node
        raise AssertionError(f"a node does not start:\n{self.last_words()}")


@contextmanager
def running_cluster(
    jobs: bool = False,
    variables: Mapping[str, str] | None = None,
    options: Sequence[str] = (),
) -> Iterator[Cluster]:
    """A cluster that does not outlive the test."""
    folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))
    made = Cluster(folder, jobs, variables, options)
    try:
        if jobs:
            until(lambda: _answers(made.job_port), told=made.last_words)
        yield made
    finally:
        made.close()
        shutil.rmtree(folder, ignore_errors=True)


class Drivers:
    """Commands of `topk-tune` that run in processes of their own, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[Process] = []

    def start(
        self,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        before: Sequence[str] = (),
    ) -> Process:
        """Start a command, below the one that is given in `before`."""
        process = subprocess.Popen(
            [*before, str(BIN / "topk-tune"), *arguments],
            cwd=self._folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self._started.append(process)
        return process

    def on(self, cluster: Cluster, *arguments: str) -> Process:
        """Start a command about a study on a cluster."""
        address = ("--address", cluster.address)
        return self.start(*arguments, *address, environment=cluster.environment)

    def close(self) -> None:
        """End all that still run."""
        for process in self._started:
            kill_all(process)
            if process.stdout is not None:
                process.stdout.close()


@contextmanager
def drivers_in(folder: Path) -> Iterator[Drivers]:
    """Drivers that do not outlive the test, in a folder with a space."""
    (folder / "space.yaml").write_text(SPACE, encoding="utf-8")
    made = Drivers(folder)
    try:
        yield made
    finally:
        made.close()


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


def workers_below(pid: int, title: str) -> list[psutil.Process]:
    """The workers of Ray among the descendants of a process, by what they are doing."""
    family = psutil.Process(pid).children(recursive=True)
    return [member for member in family if _title(member).startswith(title)]


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


def until(
    condition: Callable[[], object],
    process: Process | None = None,
    told: Callable[[], str] = lambda: "",
) -> None:
    """Wait for an event; a process that ends before it is an error.

    `told` is asked for more about what is wrong when it does not come.
    """
    deadline = time.monotonic() + HANG
    while not condition():
        if process is not None and process.poll() is not None:
            raise AssertionError(f"it ended too early: {process.communicate()}")
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain\n{_said(process)}\n{told()}")
        time.sleep(0.05)


def ended(process: Process, told: Callable[[], str] = lambda: "") -> str:
    """What a process has printed, which must come to its end."""
    try:
        return process.communicate(timeout=HANG)[0]
    except subprocess.TimeoutExpired as error:
        printed = (error.output or b"").decode(errors="replace")
        raise AssertionError(f"it did not end\n{printed}\n{told()}") from None


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _said(process: Process | None) -> str:
    """What a process that still runs has printed so far."""
    if process is None or process.stdout is None:
        return ""
    os.set_blocking(process.stdout.fileno(), False)
    try:
        return os.read(process.stdout.fileno(), 1_000_000).decode(errors="replace")
    except BlockingIOError:
        return ""


def _end_of(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except OSError:
        return False
    return True

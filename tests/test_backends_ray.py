"""Studies on real Ray clusters whose workers and nodes are killed."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from topk_tune.backends.base import BackendError
from topk_tune.backends.ray_cluster import check_address
from topk_tune.records import TrialRecord
from topk_tune.storage import Location
from topk_tune.study import Study

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

BIN = Path(sys.executable).parent
SLOW_ENOUGH = "synthetic:rows=3000,dim=40,m=15,cardinality=3,seed=1"
"""Rows that a trial of the space below takes a second or two for, on a busy machine more."""

SPACE = """\
default:
  algorithm: topopt
  loops: 12
  n_learners: {type: int, low: 20, high: 60, step: 10}
  rho: {type: float, low: 0.01, high: 0.3, log: true}
  gamma: 0.1
  k: 3
"""


class Node:
    """A Ray node in a process group of its own, so that all of it can be killed at once."""

    def __init__(self, *options: str, environment: dict[str, str]) -> None:
        command = [str(BIN / "ray"), "start", "--block", "--disable-usage-stats", *options]
        self._process = subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def processes(self) -> list[psutil.Process]:
        try:
            return psutil.Process(self._process.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            return []

    def kill(self) -> None:
        """As when a machine loses its power."""
        for process in [*self.processes(), psutil.Process(self._process.pid)]:
            try:
                process.kill()
            except psutil.NoSuchProcess:
                continue
        self._process.wait()


class Cluster:
    """A head without processors, and nodes with one each, on loopback."""

    def __init__(self, folder: Path) -> None:
        self.environment = {**os.environ, "RAY_AUTH_MODE": "disabled"}
        self.address = f"127.0.0.1:{_free_port()}"
        self._folder = folder
        self.nodes: list[Node] = []
        self.head = Node(
            "--head",
            "--node-ip-address=127.0.0.1",
            f"--port={self.address.split(':')[1]}",
            "--num-cpus=0",
            "--include-dashboard=false",
            "--object-store-memory=100000000",
            f"--temp-dir={folder}",
            environment=self.environment,
        )
        _until(lambda: _answers(self.address))

    def add_node(self) -> Node:
        node = Node(
            f"--address={self.address}",
            "--node-ip-address=127.0.0.1",
            "--num-cpus=1",
            "--object-store-memory=100000000",
            environment=self.environment,
        )
        self.nodes.append(node)
        return node

    def close(self) -> None:
        for node in [*self.nodes, self.head]:
            try:
                node.kill()
            except psutil.NoSuchProcess:
                continue


@pytest.fixture
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    # Ray's sockets need a short path.
    made = Cluster(Path("/tmp") / f"ray-{os.getpid()}-{time.time_ns() % 10**6}")
    try:
        yield made
    finally:
        made.close()


Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a study in a process of its own, which does not outlive the test."""
    drivers = []

    def started(*options: str, environment: dict[str, str] | None = None) -> Any:
        command = [
            str(BIN / "topk-tune"),
            "run",
            "--no-track",
            "--name",
            "study",
            "--dataset",
            SLOW_ENOUGH,
        ]
        drivers.append(
            subprocess.Popen(
                [*command, *options],
                cwd=tmp_path,
                env=environment,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        )
        return drivers[-1]

    yield started
    for driver in drivers:
        for process in (
            psutil.Process(driver.pid).children(recursive=True) if _lives(driver) else []
        ):
            process.kill()
        driver.kill()
        driver.communicate()


def _lives(driver: "subprocess.Popen[str]") -> bool:
    return driver.poll() is None


@pytest.fixture
def space(tmp_path: Path) -> str:
    path = tmp_path / "space.yaml"
    path.write_text(SPACE)
    return str(path)


def test_a_ray_of_our_own_survives_the_loss_of_a_worker(
    tmp_path: Path, space: str, start: Start
) -> None:
    driver = start("--space", space, "--trials", "8", "--workers", "2")
    _until(lambda: _running(tmp_path) and _workers_of(driver))
    _workers_of(driver)[0].kill()
    output, _ = driver.communicate(timeout=200)
    assert driver.returncode == 0, output
    records = _records(tmp_path)
    assert [record.number for record in records] == list(range(8))
    assert all(record.state in ("complete", "pruned") for record in records)
    assert sum(record.attempts for record in records) == 9
    assert "best: trial" in output
    assert "Traceback" not in output


def test_a_cluster_survives_the_loss_of_a_node_and_uses_one_that_joins(
    tmp_path: Path, space: str, start: Start, cluster: Cluster
) -> None:
    first = cluster.add_node()
    driver = start(
        *("--space", space, "--trials", "10", "--workers", "2", "--address", cluster.address),
        environment=cluster.environment,
    )
    _until(lambda: _finished(tmp_path) >= 1)
    cluster.add_node()
    first.kill()
    output, _ = driver.communicate(timeout=250)
    assert driver.returncode == 0, output
    records = _records(tmp_path)
    assert [record.number for record in records] == list(range(10))
    assert all(record.state in ("complete", "pruned") for record in records)
    assert "Traceback" not in output


def test_a_trial_that_takes_too_long_is_ended_and_the_study_goes_on(
    tmp_path: Path, space: str, start: Start
) -> None:
    driver = start(
        *("--space", space, "--trials", "2", "--workers", "1", "--trial-timeout", "0.05s"),
    )
    output, _ = driver.communicate(timeout=200)
    assert driver.returncode == 0, output
    assert [record.state for record in _records(tmp_path)] == ["failed", "failed"]
    assert all("limit of 0.05 s" in (record.error or "") for record in _records(tmp_path))


@pytest.mark.parametrize("address", ["127.0.0.1:1", "no-such-host.invalid:6379", "127.0.0.1:x"])
def test_an_address_without_a_cluster_is_refused_at_once(address: str) -> None:
    with pytest.raises(BackendError, match=f"no Ray at {address}"):
        check_address(address)


def test_a_ray_client_is_refused_with_the_reason() -> None:
    with pytest.raises(BackendError, match="cannot stream reports"):
        check_address("ray://127.0.0.1:10001")


def _workers_of(driver: "subprocess.Popen[str]") -> list[psutil.Process]:
    children = psutil.Process(driver.pid).children(recursive=True)
    return [child for child in children if _title(child).startswith("ray::Worker.run")]


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _records(folder: Path) -> list[TrialRecord]:
    return Study.open(Location(folder / "studies"), "study").records()


def _running(folder: Path) -> bool:
    return any(record.state == "running" for record in _so_far(folder))


def _finished(folder: Path) -> int:
    return sum(record.state in ("complete", "pruned") for record in _so_far(folder))


def _so_far(folder: Path) -> list[TrialRecord]:
    try:
        return _records(folder)
    except (ValueError, OSError):  # not made yet
        return []


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(address: str) -> bool:
    try:
        check_address(address)
    except BackendError:
        return False
    return True


def _until(condition: Callable[[], object], seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)

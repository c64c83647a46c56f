"""Studies on clusters of several nodes: nodes lost and won, and a head that is lost."""

import multiprocessing
from collections.abc import Iterator
from multiprocessing.queues import Queue
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
import ray
from clusters import FRIGHTENING, Cluster, Drivers, finished, records, running_cluster, until
from tuning import table

from topk_tune.backends import ray as ray_backend
from topk_tune.backends.ray import RayBackend
from topk_tune.backends.ray_cluster import Resources, fitting
from topk_tune.trial import Rows

DATA = "synthetic:rows=1500,dim=20,m=10,cardinality=3,seed=1"
SPACE = """\
default:
  algorithm: topopt
  loops: 10
  n_learners: {type: int, low: 10, high: 40, step: 10}
  rho: {type: float, low: 0.01, high: 0.3, log: true}
  gamma: 0.1
  k: 3
"""
RUN = ("run", "--no-track", "--dataset", DATA, "--space", "space.yaml", "--pruner", "none")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with running_cluster() as made:
        yield made


@pytest.fixture
def drivers(tmp_path: Path) -> Iterator[Drivers]:
    (tmp_path / "space.yaml").write_text(SPACE)
    made = Drivers(tmp_path)
    try:
        yield made
    finally:
        made.close()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_node_lost_and_one_won_change_no_trial(
    tmp_path: Path, drivers: Drivers, cluster: Cluster
) -> None:
    """Sixty trials on three nodes, and the same on one."""
    sixty = ("--trials", "60", "--deterministic")
    first, *_ = [cluster.add_node() for _ in range(3)]
    driver = drivers.start(
        *(*RUN, *sixty, "--name", "study", "--address", cluster.address),
        environment=cluster.environment,
    )
    until(lambda: finished(tmp_path) >= 12, driver)
    first.kill()
    cluster.add_node()
    output, _ = driver.communicate(timeout=200)
    assert driver.returncode == 0, output
    assert not [word for word in FRIGHTENING if word in output], output

    done = records(tmp_path)
    assert [record.number for record in done] == list(range(60))
    assert {record.state for record in done} == {"complete"}
    assert all(len(record.runs) == 1 for record in done)
    told = [line.split()[1] for line in output.splitlines() if line.startswith("trial ")]
    assert sorted(told, key=int) == [str(number) for number in range(60)]

    alone = drivers.start(*RUN, *sixty, "--name", "alone", "--workers", "1")
    output, _ = alone.communicate(timeout=200)
    assert alone.returncode == 0, output
    assert table(tmp_path / "studies", "study") == table(tmp_path / "studies", "alone")


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_study_whose_head_was_lost_goes_on_with_another(tmp_path: Path, drivers: Drivers) -> None:
    with running_cluster() as cluster:
        cluster.add_node()
        driver = drivers.start(
            *(*RUN, "--trials", "12", "--name", "study", "--address", cluster.address),
            environment=cluster.environment,
        )
        until(lambda: finished(tmp_path) >= 3, driver)
        cluster.head.kill()
        output, _ = driver.communicate(timeout=120)
    assert driver.returncode == 1, output
    assert "Failed to connect to GCS" in output  # Ray's last words, after which it ends the driver
    assert "Traceback" not in output
    before = {record.number: record for record in records(tmp_path) if record.state == "complete"}
    assert len(before) >= 3
    with running_cluster() as cluster:
        cluster.add_node()
        driver = drivers.start(
            *("resume", "study", "--no-track", "--address", cluster.address),
            environment=cluster.environment,
        )
        output, _ = driver.communicate(timeout=120)
    assert driver.returncode == 0, output
    after = records(tmp_path)
    assert [record.number for record in after] == list(range(12))
    assert {record.state for record in after} == {"complete"}
    assert all(after[number] == record for number, record in before.items())


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_workers_and_rows_follow_the_nodes(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    # In a process of its own: a process knows one token of Ray.
    fresh = multiprocessing.get_context("spawn")
    seen: Queue[tuple[int, int]] = fresh.Queue()
    watcher = fresh.Process(target=_watch, args=(cluster.address, seen), daemon=True)

    def reads(free: int, nodes: int) -> None:
        while seen.get(timeout=60) != (free, nodes):
            continue

    first = cluster.add_node()
    watcher.start()
    try:
        # The driver's node has the rows, and each of the others once for its two workers.
        reads(2, 2)
        cluster.add_node()
        reads(4, 3)
        first.kill()
        reads(2, 2)
    finally:
        watcher.kill()
        watcher.join()


def _watch(address: str, seen: "Queue[tuple[int, int]]") -> None:
    """Put in, again and again, how many workers are ready and how many nodes have the rows."""
    ray_backend._RECOUNT = 0.5
    backend = RayBackend(None, address, Resources(cpus=0.5))
    backend.start(Rows(*(np.zeros((500, 100)) for _ in range(4))))
    while True:
        backend.poll(0.1)
        (places,) = ray.experimental.get_object_locations([backend._rows]).values()
        seen.put((backend.free(), len(places["node_ids"])))


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_ray_of_our_own_listens_on_loopback_only(tmp_path: Path, drivers: Drivers) -> None:
    driver = drivers.start(*RUN, "--trials", "500", "--name", "study", "--workers", "1")
    until(lambda: finished(tmp_path) >= 1, driver)
    family = psutil.Process(driver.pid).children(recursive=True)
    places = {place.laddr.ip for member in family for place in _listening(member)}
    assert places <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}, places
    assert places


def _listening(process: psutil.Process) -> list[Any]:
    try:
        return [place for place in process.net_connections("inet") if place.status == "LISTEN"]
    except psutil.Error:
        return []


@pytest.mark.parametrize(
    ("cpus", "memory", "labels", "expected"),
    [
        (1.0, None, {}, 5),
        (2.0, None, {}, 2),  # 1 + 1 + 0: a worker does not stretch over nodes
        (1.0, 400, {}, 2 + 1),
        (1.0, None, {"zone": "b"}, 2),
        (1.0, None, {"zone": "c"}, 1),  # waits for such a node
    ],
)
def test_a_node_has_room_for_what_its_processors_memory_and_labels_allow(
    monkeypatch: pytest.MonkeyPatch,
    cpus: float,
    memory: int | None,
    labels: dict[str, str],
    expected: int,
) -> None:
    nodes = [
        {"Alive": True, "Resources": {"CPU": 3.0, "memory": 1000.0}, "Labels": {"zone": "a"}},
        {"Alive": True, "Resources": {"CPU": 2.0, "memory": 500.0}, "Labels": {"zone": "b"}},
        {"Alive": True, "Resources": {"memory": 5000.0}, "Labels": {}},
        {"Alive": False, "Resources": {"CPU": 64.0}, "Labels": {"zone": "b"}},
    ]
    monkeypatch.setattr(ray, "nodes", lambda: nodes)
    assert fitting(None, Resources(cpus, memory, labels))[0] == expected
    assert fitting(7, Resources(cpus, memory, labels))[0] == 7

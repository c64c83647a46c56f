"""Studies on clusters of several nodes: nodes lost and won, and a head that is lost."""

import multiprocessing
from multiprocessing.queues import Queue
from pathlib import Path

import numpy as np
import pytest
import ray
from clusters import (
    FRIGHTENING,
    HANG,
    QUICK,
    drivers_in,
    ended,
    finished,
    records,
    running_cluster,
    until,
    workers_below,
)
from tuning import table

from topk_tune.backends import ray as ray_backend
from topk_tune.backends.ray import RayBackend
from topk_tune.backends.ray_cluster import Resources, fitting
from topk_tune.trial import Rows


@pytest.mark.slow
@pytest.mark.timeout(4 * HANG)
def test_a_node_lost_and_one_won_change_no_trial(tmp_path: Path) -> None:
    """Sixty trials on three nodes, and the same on one."""
    sixty = (*QUICK, "--pruner", "none", "--trials", "60", "--deterministic")
    with drivers_in(tmp_path) as drivers:
        # Beside the start of the nodes, most of which is waiting.
        alone = drivers.start(*sixty, "--name", "alone", "--workers", "1", "--backend", "local")
        with running_cluster() as cluster:
            first, *_ = cluster.add_nodes(3)
            driver = drivers.on(cluster, *sixty, "--name", "study")
            until(lambda: finished(tmp_path) >= 12, driver, cluster.last_words)
            first.kill()
            cluster.add_node()
            output = ended(driver, cluster.last_words)
        assert driver.returncode == 0, output
        assert not [word for word in FRIGHTENING if word in output], output
        assert "stopped: all 60 trials are done" in ended(alone)

    done = records(tmp_path)
    assert [record.number for record in done] == list(range(60))
    assert {record.state for record in done} == {"complete"}
    assert all(len(record.runs) == 1 for record in done)
    told = [line.split()[1] for line in output.splitlines() if line.startswith("trial ")]
    assert sorted(told, key=int) == [str(number) for number in range(60)]
    assert table(tmp_path / "studies", "study") == table(tmp_path / "studies", "alone")


@pytest.mark.slow
@pytest.mark.timeout(4 * HANG)
def test_a_study_whose_head_was_lost_goes_on_with_another(tmp_path: Path) -> None:
    with drivers_in(tmp_path) as drivers, running_cluster() as lost:
        lost.add_node()
        driver = drivers.on(lost, *QUICK, "--trials", "5000", "--name", "study")
        until(lambda: finished(tmp_path) >= 3, driver, lost.last_words)
        lost.head.kill()
        with running_cluster() as another:  # which starts while the driver misses its head
            another.add_node()
            output = ended(driver, lost.last_words)
            assert driver.returncode == 1, output
            assert "Failed to connect to GCS" in output  # Ray's last words, as it ends the driver
            assert "Traceback" not in output
            before = {r.number: r for r in records(tmp_path) if r.state in ("complete", "pruned")}
            assert len(before) >= 3
            driver = drivers.on(another, "resume", "study", "--no-track", "--trials", "+4")
            output = ended(driver, another.last_words)
    assert driver.returncode == 0, output
    after = records(tmp_path)
    assert [record.number for record in after] == list(range(len(before) + 4))
    assert {record.state for record in after} <= {"complete", "pruned"}
    assert all(after[number] == record for number, record in before.items())


@pytest.mark.slow
@pytest.mark.timeout(4 * HANG)
def test_workers_and_rows_follow_the_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    # In a process of its own: a process knows one token of Ray.
    fresh = multiprocessing.get_context("spawn")
    seen: Queue[tuple[int, int]] = fresh.Queue()

    def reads(free: int, nodes: int) -> None:
        while seen.get(timeout=HANG) != (free, nodes):
            continue

    with running_cluster() as cluster:
        for name, value in cluster.environment.items():
            monkeypatch.setenv(name, value)
        watcher = fresh.Process(target=_watch, args=(cluster.address, seen), daemon=True)
        node = cluster.add_node()
        watcher.start()
        try:
            until(lambda: workers_below(node.process.pid, "ray::Worker"), told=cluster.last_words)
            node.kill()  # while they start
            second = cluster.add_node()
            # The driver's node has the rows, and each of the others once for its two workers.
            reads(2, 2)
            cluster.add_node()
            reads(4, 3)
            second.kill()
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

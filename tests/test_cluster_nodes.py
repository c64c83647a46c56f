"""Studies on clusters of several nodes: nodes lost and won, and a head that is lost."""

import multiprocessing
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from multiprocessing.queues import Queue
from pathlib import Path

import numpy as np
import pytest
import ray
from clusters import (
    FRIGHTENING,
    HANG,
    QUICK,
    SPACE,
    Cluster,
    drivers_in,
    ended,
    finished,
    records,
    running_cluster,
    until,
    workers_below,
)
from messages import says
from tuning import table

from topk_tune.backends import ray as ray_backend
from topk_tune.backends.ray import RayBackend
from topk_tune.backends.ray_cluster import Resources, fitting
from topk_tune.training.trial import SplitRows


class Heads:
    """Gives a cluster again and again as long as its head lives: a head takes long to start."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._cluster: Cluster | None = None

    def cluster(self) -> Cluster:
        if self._cluster is None or self._cluster.head.is_gone:
            self._cluster = self._stack.enter_context(running_cluster())
        return self._cluster


@pytest.fixture(scope="module")
def heads() -> Iterator[Heads]:
    with ExitStack() as stack:
        yield Heads(stack)


@pytest.fixture
def cluster(heads: Heads) -> Cluster:
    """A cluster whose nodes are those of the test before: `have` as many as are needed."""
    return heads.cluster()


@pytest.mark.slow
@pytest.mark.timeout(4 * HANG)
def test_a_node_lost_and_one_won_change_no_trial(cluster: Cluster, tmp_path: Path) -> None:
    """Sixty trials on three nodes, of which the head trains nothing, and the same without Ray."""
    sixty = (*QUICK, "--pruner", "none", "--trials", "60", "--deterministic")
    with drivers_in(tmp_path) as drivers:
        # Beside the start of the nodes, most of which is waiting.
        alone = drivers.start(*sixty, "--name", "alone", "--workers", "1", "--backend", "local")
        first, _ = cluster.have(2)
        driver = drivers.on(cluster, *sixty, "--name", "study")
        until(lambda: finished(tmp_path) >= 12, driver, cluster.last_words)
        driver.send_signal(signal.SIGSTOP)  # or it would be done before a node has started
        first.kill()
        cluster.add_node()
        driver.send_signal(signal.SIGCONT)
        output = ended(driver, cluster.last_words)
        assert driver.returncode == 0, output
        assert not [word for word in FRIGHTENING if word in output], output
        says(ended(alone), "stopped:", "60 trials")

    done = records(tmp_path)
    assert [record.number for record in done] == list(range(60))
    assert {record.state for record in done} == {"complete"}
    assert all(len(record.runs) == 1 for record in done)
    told = [line.split()[1] for line in output.splitlines() if line.startswith("trial ")]
    assert sorted(told, key=int) == [str(number) for number in range(60)]
    assert table(tmp_path / "studies", "study") == table(tmp_path / "studies", "alone")


@pytest.mark.slow
@pytest.mark.timeout(4 * HANG)
def test_a_fixed_number_of_workers_survives_the_loss_of_a_node(
    cluster: Cluster, tmp_path: Path
) -> None:
    with drivers_in(tmp_path) as drivers:
        (only,) = cluster.have(1)
        run = (*QUICK, "--trials", "20", "--workers", "2", "--name", "study")
        driver = drivers.on(cluster, *run)
        until(lambda: finished(tmp_path) >= 1, driver, cluster.last_words)
        only.kill()
        cluster.add_node()
        output = ended(driver, cluster.last_words)
    assert driver.returncode == 0, output
    done = records(tmp_path)
    assert [record.number for record in done] == list(range(20))
    assert all(record.state in ("complete", "pruned") for record in done)
    assert "Traceback" not in output


@pytest.mark.slow
@pytest.mark.timeout(4 * HANG)
def test_a_trial_that_takes_too_long_is_ended_and_the_study_goes_on(
    cluster: Cluster, tmp_path: Path
) -> None:
    with drivers_in(tmp_path) as drivers:
        endless = SPACE.replace("loops: 4", "loops: 1000000")
        (tmp_path / "space.yaml").write_text(endless, encoding="utf-8")
        cluster.have(1)
        run = (*QUICK, "--trials", "2", "--workers", "1", "--name", "study")
        driver = drivers.on(cluster, *run, "--trial-timeout", "0.5s", "--pruner", "none")
        output = ended(driver, cluster.last_words)
    assert driver.returncode == 0, output
    assert [record.state for record in records(tmp_path)] == ["failed", "failed"]
    for record in records(tmp_path):
        says(record.error, "limit", "0.5 s")


@pytest.mark.slow
@pytest.mark.timeout(4 * HANG)
def test_a_study_whose_head_was_lost_goes_on_with_another(
    cluster: Cluster, heads: Heads, tmp_path: Path
) -> None:
    with drivers_in(tmp_path) as drivers:
        lost = cluster
        lost.have(1)
        driver = drivers.on(lost, *QUICK, "--trials", "5000", "--name", "study")
        until(lambda: finished(tmp_path) >= 3, driver, lost.last_words)
        lost.head.kill()
        another = heads.cluster()  # which starts while the driver misses its head
        another.have(1)
        output = ended(driver, lost.last_words)
        assert driver.returncode == 1, output
        assert "Failed to connect to GCS" in output  # Ray's last words, as it ends the driver
        assert "Traceback" not in output
        begun = records(tmp_path)
        before = {r.number: r for r in begun if r.state in ("complete", "pruned")}
        assert len(before) >= 3
        driver = drivers.on(another, "resume", "study", "--no-track", "--trials", "+4")
        output = ended(driver, another.last_words)
    assert driver.returncode == 0, output
    after = records(tmp_path)
    # Trials that were paused or running are finished too, even if they are more than four.
    assert [record.number for record in after] == list(range(max(len(before) + 4, len(begun))))
    assert {record.state for record in after} <= {"complete", "pruned"}
    assert all(after[number] == record for number, record in before.items())


@pytest.mark.slow
@pytest.mark.timeout(4 * HANG)
def test_workers_and_rows_follow_the_nodes(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In a process of its own: a process knows one token of Ray.
    fresh = multiprocessing.get_context("spawn")
    seen: Queue[tuple[int, int]] = fresh.Queue()

    def reads(free: int, nodes: int) -> None:
        while seen.get(timeout=HANG) != (free, nodes):
            continue

    for name, value in cluster.environment.items():
        monkeypatch.setenv(name, value)
    watcher = fresh.Process(target=_watch, args=(cluster.address, seen), daemon=True)
    (node,) = cluster.have(1)
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
    backend.start(SplitRows(*(np.zeros((500, 100)) for _ in range(4))))
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

"""Studies on Ray whose workers and nodes are killed, and addresses without a Ray."""

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from clusters import Cluster, Drivers, Process, finished, records, running_cluster, until

from topk_tune.backends.base import BackendError
from topk_tune.backends.ray_cluster import check_address

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

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
RUN = ("run", "--no-track", "--name", "study", "--dataset", SLOW_ENOUGH, "--space", "space.yaml")


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


def test_a_ray_of_our_own_survives_the_loss_of_a_worker(tmp_path: Path, drivers: Drivers) -> None:
    driver = drivers.start(*RUN, "--trials", "8", "--workers", "2")
    until(lambda: _running(tmp_path) and _workers_of(driver), driver)
    _workers_of(driver)[0].kill()
    output, _ = driver.communicate(timeout=200)
    assert driver.returncode == 0, output
    done = records(tmp_path)
    assert [record.number for record in done] == list(range(8))
    assert all(record.state in ("complete", "pruned") for record in done)
    assert sum(record.attempts for record in done) == 9
    assert "best: trial" in output
    assert "Traceback" not in output


def test_a_fixed_number_of_workers_survives_the_loss_of_a_node(
    tmp_path: Path, drivers: Drivers, cluster: Cluster
) -> None:
    first = cluster.add_node()
    driver = drivers.start(
        *(*RUN, "--trials", "10", "--workers", "2", "--address", cluster.address),
        environment=cluster.environment,
    )
    until(lambda: finished(tmp_path) >= 1, driver)
    cluster.add_node()
    first.kill()
    output, _ = driver.communicate(timeout=250)
    assert driver.returncode == 0, output
    done = records(tmp_path)
    assert [record.number for record in done] == list(range(10))
    assert all(record.state in ("complete", "pruned") for record in done)
    assert "Traceback" not in output


def test_a_trial_that_takes_too_long_is_ended_and_the_study_goes_on(
    tmp_path: Path, drivers: Drivers
) -> None:
    driver = drivers.start(*RUN, "--trials", "2", "--workers", "1", "--trial-timeout", "0.05s")
    output, _ = driver.communicate(timeout=200)
    assert driver.returncode == 0, output
    assert [record.state for record in records(tmp_path)] == ["failed", "failed"]
    assert all("limit of 0.05 s" in (record.error or "") for record in records(tmp_path))


@pytest.mark.parametrize("address", ["127.0.0.1:1", "no-such-host.invalid:6379", "127.0.0.1:x"])
def test_an_address_without_a_cluster_is_refused_at_once(address: str) -> None:
    with pytest.raises(BackendError, match=f"no Ray at {address}"):
        check_address(address)


def test_a_ray_client_is_refused_with_the_reason() -> None:
    with pytest.raises(BackendError, match="cannot stream reports"):
        check_address("ray://127.0.0.1:10001")


def _workers_of(driver: Process) -> list[psutil.Process]:
    children = psutil.Process(driver.pid).children(recursive=True)
    return [child for child in children if _title(child).startswith("ray::Worker.run")]


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _running(folder: Path) -> bool:
    return any(record.state == "running" for record in records(folder))

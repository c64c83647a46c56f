"""Studies on a Ray of their own whose workers are killed."""

from pathlib import Path
from typing import Any

import psutil
import pytest
from clusters import (
    HANG,
    QUICK,
    drivers_in,
    ended,
    records,
    until,
    workers_below,
)

pytestmark = [pytest.mark.slow, pytest.mark.timeout(4 * HANG)]

LONGER = "synthetic:rows=3000,dim=40,m=15,cardinality=3,seed=1"
"""Rows with which a trial takes half a second or more: time enough to be killed in one."""


def _killed(workers: list[psutil.Process]) -> bool:
    """Whether there was one to be killed: between two trials none is at work."""
    for worker in workers[:1]:
        worker.kill()
    return bool(workers)


def test_a_ray_of_our_own_survives_the_loss_of_a_worker(tmp_path: Path) -> None:
    """And it listens on loopback only."""
    with drivers_in(tmp_path) as drivers:
        run = (*QUICK, "--backend", "ray", "--dataset", LONGER, "--pruner", "none")
        run += ("--trials", "5", "--workers", "2", "--name", "study")
        driver = drivers.start(*run)
        # In its first trial as soon as that begins: at the end of one, nothing would be lost.
        until(lambda: _killed(workers_below(driver.pid, "ray::Worker.run")), driver)
        family = psutil.Process(driver.pid).children(recursive=True)
        places = {place.laddr.ip for member in family for place in _listening(member)}
        output = ended(driver)
    assert driver.returncode == 0, output
    assert places
    assert places <= {"127.0.0.1", "::1", "::ffff:127.0.0.1"}
    done = records(tmp_path)
    assert [record.number for record in done] == list(range(5))
    assert all(record.state in ("complete", "pruned") for record in done)
    assert sum(record.attempts for record in done) == 6
    assert "best: trial" in output
    assert "Traceback" not in output


def _listening(process: psutil.Process) -> list[Any]:
    try:
        return [place for place in process.net_connections("inet") if place.status == "LISTEN"]
    except psutil.Error:
        return []

"""Memory that runs short while a study runs on Ray: taken by others, or by a trial itself."""

import mmap
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from messages import says
from ray._private.utils import get_system_memory, get_used_memory
from tuning import FakeResources, Training, scripted, study

from topk_tune.backends.base import Task
from topk_tune.backends.ray import RayBackend
from topk_tune.engine.events import Notice, TrialStarted
from topk_tune.engine.stopping import StopOptions
from topk_tune.storage import Location
from topk_tune.study.study import Study
from topk_tune.training.trial import SplitRows

pytestmark = pytest.mark.slow

ROOM = 4_000_000_000
"""Bytes that may be taken, beside what is in use, until Ray ends workers; other tests take some."""
PIECE, PIECES = 100_000_000, 60
"""What is taken at a time, and how often at most."""
TAKEN = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_POPULATE", 0)
"""All of it at once, where that can be asked for: touching its pages takes longer."""
GREEDY, DISTURBED = 1, 3
"""The trial that takes too much, and the one during which others do."""

SPAWN = multiprocessing.get_context("spawn")


def test_a_study_outlives_want_of_memory_and_a_trial_that_takes_too_much(tmp_path: Path) -> None:
    used, total = get_used_memory(), get_system_memory()
    if used < 0 or total - used < 2 * PIECES * PIECE:
        pytest.skip("there are not 12 GB of memory left")
    # In a process of its own: Ray reads the threshold from the environment, once.
    driver = SPAWN.Process(target=_tune, args=(tmp_path, used + ROOM, total))
    driver.start()
    driver.join(500)
    driver.kill()
    driver.join()
    records = Study.open(Location.of(str(tmp_path)), "s").records()
    assert driver.exitcode == 0, records
    assert [record.state for record in records] == [
        "failed" if number == GREEDY else "complete" for number in range(6)
    ]
    greedy, disturbed = records[GREEDY], records[DISTURBED]
    assert greedy.error is not None
    says(greedy.error, "out of memory", "Ray", "--memory GB")
    assert greedy.error.endswith("tried 3 times")
    assert disturbed.attempts in (2, 3)  # one more if a replacement was ready before its end


def _tune(folder: Path, limit: int, total: int) -> None:
    """Run a study on a Ray that ends workers when so much memory is in use."""
    os.environ |= {
        "RAY_memory_usage_threshold": str(limit / total),
        "RAY_memory_monitor_refresh_ms": "100",
        "PYTHONPATH": os.pathsep.join(sys.path),  # so that workers find this file
    }
    passed = folder / "passed"

    def observe(notice: Notice) -> None:
        if isinstance(notice, TrialStarted) and (notice.number, notice.attempt) == (DISTURBED, 1):
            SPAWN.Process(target=_disturb, args=(limit, passed)).start()

    backend = RayBackend(1, body=partial(_train, limit, passed))
    made = study(folder)
    made.run(StopOptions(trials=6), FakeResources(made=backend, retries=2), [observe])


def _train(
    limit: int, passed: Path, task: Task, rows: SplitRows, stopped: Callable[[], bool]
) -> Training:
    if task.id == GREEDY:
        held = _taken(limit)
        time.sleep(60)
        assert held
    while task.id == DISTURBED and not passed.exists():
        time.sleep(0.05)
    yield from scripted(task)


def _disturb(limit: int, passed: Path) -> None:
    """Be another program that needs much memory for some seconds."""
    held = _taken(limit)
    time.sleep(5)
    held.clear()
    passed.touch()


def _taken(limit: int) -> list[mmap.mmap]:
    """Take memory until more than the limit is in use."""
    held: list[mmap.mmap] = []
    while len(held) < PIECES and get_used_memory() < limit + 3 * PIECE:
        held.append(mmap.mmap(-1, PIECE, flags=TAKEN))
    return held

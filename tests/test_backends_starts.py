"""Pauses between the starts of workers that do not stay."""

import logging

import pytest
from messages import says
from tuning import Clock

from topk_tune.backends.worker_starts import Starts


def pauses(starts: Starts, clock: Clock, count: int) -> list[float]:
    """How long a worker had to wait each time, when each one ended as soon as it started."""
    waited = []
    for _ in range(count):
        starts.failed("out of memory")
        began = clock.now
        while not starts.allowed:
            clock.now += 0.5
        waited.append(clock.now - began)
    return waited


def test_pauses_grow_up_to_a_bound_and_shrink_when_all_goes_well() -> None:
    clock = Clock()
    starts = Starts(clock)
    assert starts.allowed
    assert pauses(starts, clock, 7) == [1, 2, 4, 8, 16, 30, 30]
    starts.came_up()  # it may be ended again before it has done anything
    assert pauses(starts, clock, 1) == [30]
    starts.went_well()
    assert pauses(starts, clock, 2) == [1, 2]


def test_workers_that_end_together_make_one_pause() -> None:
    clock = Clock()
    starts = Starts(clock)
    for _ in range(50):
        starts.failed("a node is gone")
    clock.now = 1.0
    assert starts.allowed


def test_time_runs_in_vain_from_the_first_failure_until_a_worker_comes_up() -> None:
    clock = Clock()
    starts = Starts(clock)
    clock.now = 1000.0  # nothing has failed: there may be no room for a worker
    assert starts.in_vain == 0
    starts.failed("out of memory")
    clock.now += 50
    starts.failed("out of memory")
    clock.now += 50
    assert starts.in_vain == 100
    starts.came_up()
    assert starts.in_vain == 0


def test_lasting_trouble_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    starts = Starts(clock)
    with caplog.at_level(logging.WARNING, "topk_tune.backends"):
        pauses(starts, clock, 2)
        assert not caplog.records
        pauses(starts, clock, 6)
    (record,) = caplog.records
    says(record.getMessage(), "workers", "(out of memory)")

"""The time limit of a run, which covers its start and its end."""

from pathlib import Path

import pytest
from tuning import DATA, Clock, FakeBackend, FakeResources, settings, study

from topk_tune import session
from topk_tune.data import load
from topk_tune.engine.run_clock import RunClock
from topk_tune.engine.stopping import StopOptions
from topk_tune.study.plan import Plan
from topk_tune.training.trial import SplitRows


class SlowStart(FakeBackend):
    """Workers that take longer to start than a run may take."""

    def __init__(self, clock: Clock, seconds: float) -> None:
        super().__init__()
        self._clock, self._seconds = clock, seconds

    def start(self, rows: SplitRows) -> None:
        super().start(rows)
        self._clock.now += self._seconds


def test_the_start_of_workers_counts(tmp_path: Path) -> None:
    made, clock = study(tmp_path), Clock()
    backend = SlowStart(clock, seconds=61)
    limits = StopOptions(timeout=60)
    used = RunClock(60, clock=clock)
    reason = made.run(limits, FakeResources(made=backend), elapsed=used.elapsed)
    assert "60" in reason and backend.submitted == []


def test_what_came_before_the_run_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = FakeBackend()
    made, data = study(tmp_path), load(DATA)
    plan = Plan.checked(
        settings(), data, stop=StopOptions(timeout=60), resources=FakeResources(made=backend)
    )
    monkeypatch.setattr(session, "write_report", lambda study: tmp_path)
    reason = session.run_tracked(made, plan, [], None, began=-1e9)
    assert "60" in reason and backend.submitted == []


def test_time_is_kept_for_the_end() -> None:
    clock = Clock()
    assert 0 < RunClock(1000, clock=clock).elapsed() < 60
    assert RunClock(None, clock=clock).elapsed() == 0
    assert RunClock(1, clock=clock).elapsed() < 0.5  # most of a short limit is for the search


def test_nothing_is_left_past_the_limit() -> None:
    clock = Clock()
    used = RunClock(10, clock=clock)
    clock.now = 4
    assert used.left == 6
    clock.now = 1000
    assert used.left == 0

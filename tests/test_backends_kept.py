"""Trainings that are stopped, kept by a backend, and continued by another task."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
import ray
from ray.exceptions import ObjectLostError
from tuning import DATA, settings

from topk_tune.backends import ray_states
from topk_tune.backends.base import Backend, Event, Finished, Kept, Lost, Reported, Task
from topk_tune.backends.local import LocalBackend
from topk_tune.backends.ray import RayBackend
from topk_tune.data import load
from topk_tune.study.rows import tuning_rows
from topk_tune.training.training import Progress, run_trial
from topk_tune.training.trial import TrialConfig

pytestmark = pytest.mark.slow

ENDLESS = 1_000_000
CONFIG = {"algorithm": "topada", "loops": ENDLESS, "n_learners": 20, "rho": 0.1, "k": 2}
TASK = Task(0, CONFIG, (0,), "read-only", keep=True)


@contextmanager
def started(backend: Backend) -> Iterator[Backend]:
    backend.start(tuning_rows(load(DATA), settings()))
    try:
        until(backend, lambda _: backend.free() == 2)
        yield backend
    finally:
        backend.close()


def until(backend: Backend, done: Callable[[list[Event]], bool]) -> list[Event]:
    events: list[Event] = []
    while not done(events):
        events += backend.poll(0.25)
    return events


def stopped(backend: Backend, task: Task) -> tuple[list[Event], Kept]:
    """The events of a task that is stopped at its first report, and what was kept."""
    backend.submit(task)
    events = until(backend, lambda told: any(each.task == task.id for each in told))
    backend.stop(task.id)
    events += until(backend, lambda told: any(_is_end(each, task) for each in told))
    mine = [event for event in events if event.task == task.id]
    (end,) = (event for event in mine if isinstance(event, Finished))
    assert end.kept is not None
    return mine, end.kept


def _is_end(event: Event, task: Task) -> bool:
    return event.task == task.id and isinstance(event, Finished | Lost)


def reports(events: list[Event]) -> list[dict[str, Any]]:
    told = (event.report for event in events if isinstance(event, Reported))
    return [{"loop": each.loop, **each.metrics} for each in told]


@pytest.mark.parametrize("make", [LocalBackend, RayBackend])
def test_a_task_continues_where_another_was_stopped(make: Callable[[int], Backend]) -> None:
    with started(make(2)) as backend:
        first, kept = stopped(backend, TASK)
        # The worker that kept it is busy, so the other one continues.
        backend.submit(replace(TASK, id=1))
        second, later = stopped(backend, replace(TASK, id=2, start=kept))
        assert reports(second)[0]["loop"] == kept.progress.loop + 1
        assert later.progress.loop > kept.progress.loop
        backend.kill(1)
        backend.drop(kept)
        backend.drop(later)
    found = [*reports(first), *(r for r in reports(second))]
    rows = tuning_rows(load(DATA), settings())
    whole = run_trial(TrialConfig.of({**CONFIG, "loops": len(found)}), 0, rows, "read-only")
    assert found == [{"loop": each.loop, **each.metrics} for each in whole]


def test_a_training_that_ray_has_lost_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(reference: object) -> None:
        raise ObjectLostError("00", "here", "")

    monkeypatch.setattr(ray, "get", lost)
    task = replace(TASK, start=Kept(0, Progress(3), 10, "reference"))
    assert ray_states.opened(task).start is None

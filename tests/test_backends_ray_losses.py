"""What the Ray backend makes of workers that are lost, without a Ray."""

from unittest.mock import MagicMock

import pytest
from ray.exceptions import ActorDiedError, OutOfMemoryError, RayError, RayTaskError
from tuning import Clock

from topk_tune.backends import ray as ray_backend
from topk_tune.backends.base import BackendError, Event, Lost
from topk_tune.backends.ray import RayBackend
from topk_tune.backends.worker_starts import Starts

FAILING = RayTaskError(
    "__init__", "Traceback\n  in a file\nImportError: no kernels\n", ImportError()
)
NO_MEMORY = OutOfMemoryError("1 worker(s) were killed due to the node running low on memory")


class Workers:
    """A backend of workers that do nothing: what happens to them is told by the test."""

    def __init__(self, count: int) -> None:
        self.clock = Clock()
        self.backend = RayBackend(count)
        self.backend._starts = Starts(self.clock)
        self.backend._wanted, self.backend._make, self.backend._rows = count, MagicMock(), None
        self.backend._fill()

    @property
    def count(self) -> int:
        return len(self.backend.workers())

    def come_up(self) -> None:
        for actor in self.backend._actors:
            actor.ready, actor.host = True, "here"
        self.backend._starts.came_up()

    def lose(self, error: RayError, task: int | None = None) -> list[Event]:
        """Lose the first worker, and let the backend look after it."""
        actor = self.backend._actors[0]
        actor.task = task
        events = self.backend._lose(actor, error)
        self.backend._fill()
        return events


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_backend, "ray", MagicMock())


def test_a_worker_that_was_killed_at_work_is_replaced_at_once() -> None:
    workers = Workers(2)
    workers.come_up()
    (event,) = workers.lose(ActorDiedError(), task=7)
    assert isinstance(event, Lost)
    assert event.task == 7
    assert workers.count == 2


def test_a_worker_that_was_ended_for_want_of_memory_is_replaced_after_a_pause() -> None:
    workers = Workers(2)
    workers.come_up()
    (event,) = workers.lose(NO_MEMORY, task=7)
    assert isinstance(event, Lost)
    assert event.reason.startswith("out of memory")
    assert workers.count == 1
    workers.clock.now += 1.0
    workers.backend._fill()
    assert workers.count == 2


@pytest.mark.parametrize("error", [NO_MEMORY, ActorDiedError()])
def test_it_gives_up_when_workers_were_started_in_vain_for_minutes(error: RayError) -> None:
    workers = Workers(1)
    while workers.clock.now < 300:
        workers.lose(error)
        while workers.count == 0:
            workers.clock.now += 1.0
            workers.backend._fill()
    with pytest.raises(BackendError, match=r"no worker .* 300 s: "):
        workers.lose(error)


def test_it_does_not_give_up_while_another_worker_is_up() -> None:
    workers = Workers(2)
    workers.lose(NO_MEMORY)
    workers.backend._actors[0].ready = True  # of a node that has memory
    workers.clock.now += 3000.0
    workers.backend._fill()
    workers.backend._lose(workers.backend._actors[1], NO_MEMORY)


def test_workers_that_cannot_start_are_an_error_sooner() -> None:
    workers = Workers(1)
    workers.lose(ActorDiedError(FAILING))
    workers.clock.now += 60.0
    workers.backend._fill()
    with pytest.raises(
        BackendError, match=r"for 60 s: .*could not start: ImportError: no kernels$"
    ):
        workers.lose(ActorDiedError(FAILING))


def test_a_cluster_that_shrinks_loses_workers_that_wait_for_a_place_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    workers = Workers(3)
    workers.come_up()
    waiting = workers.backend._actors[1]
    waiting.ready, waiting.host = False, None
    workers.backend._call_up()  # the others have not answered yet
    monkeypatch.setattr(ray_backend, "fitting", lambda count, resources: (2, resources))
    workers.backend._fit()
    assert waiting not in workers.backend._actors
    assert workers.count == 2

"""Studies in a few lines for the tests: workers without processes, and drivers as processes."""

import os
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from topk_tune.backends.base import (
    Backend,
    Event,
    Failed,
    Finished,
    Kept,
    Lost,
    Reported,
    Task,
    Wait,
    WorkerView,
)
from topk_tune.backends.resources import ResourceOptions
from topk_tune.backends.work import described, work
from topk_tune.data import load
from topk_tune.engine.events import Notice, TrialEnded
from topk_tune.engine.loop import Tuner
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import TrialRecord
from topk_tune.spaces import Fixed, Float, Int, Parameter, Space
from topk_tune.storage import Location, Store
from topk_tune.study.plan import Plan
from topk_tune.study.study import Study
from topk_tune.training.trial import LoopReport, SplitRows

DATA = "synthetic:rows=80,dim=4,m=4,cardinality=2"
"""Rows enough for a booster to run, and few enough to run it a hundred times a second."""

LOOPS = 6

Training = Iterator[tuple[int, LoopReport]]


def space(**others: Parameter) -> Space:
    """A space of small boosters, with other parameters in the place of these or beside them."""
    parameters = {
        "algorithm": Fixed("topada"),
        "loops": Fixed(LOOPS),
        "n_learners": Int(1, 8),
        "rho": Float(0.05, 0.3),
    }
    return Space({**parameters, **others})


def settings(searched: Space | None = None, **changes: Any) -> StudySettings:
    """The settings of a study of small boosters, without pruning unless it is asked for."""
    searched = searched or space()
    return StudySettings.model_validate(
        {
            "name": "s",
            "dataset": DATA,
            "fingerprint": load(DATA).fingerprint,
            "space": searched.to_dict(),
            "pruner": "none",
            **changes,
        }
    )


def study(folder: Path, searched: Space | None = None, **changes: Any) -> Study:
    """A new study in a folder."""
    plan = Plan.checked(settings(searched, **changes), load(DATA))
    return Study.create(Location.of(str(folder)), plan)


def loss_of(config: Mapping[str, Any], seed: int, loop: int) -> float:
    """A loss that falls with the loops, another for each configuration and seed."""
    where = zlib.crc32(repr((sorted(config.items()), seed)).encode()) / 2**32
    return (0.2 + 0.6 * where) * (0.5 + 0.5 / loop)


def report(loop: int, loss: float) -> LoopReport:
    """A report of which only the loss is of interest: every loss is the same."""
    names = ("shown_loss", "greedy_loss", "stream_loss", "train_loss")
    metrics = {**dict.fromkeys(names, loss), "ties": 0.0}
    return LoopReport(loop, metrics, 0.1 * loop, 10 * loop, 0, 1, 100)


def shown(reports: Iterable[LoopReport]) -> list[float]:
    """What a study searches by, unless it says otherwise."""
    return [report.metrics["shown_loss"] for report in reports]


def scripted(task: Task) -> Training:
    """What a training would report, without training."""
    for seed in task.seeds:
        for loop in range(1, task.config["loops"] + 1):
            yield seed, report(loop, loss_of(task.config, seed, loop))


class WorkerGoneError(Exception):
    """Raised in a script in the place of a worker that dies."""


class FakeBackend:
    """Workers that take turns in this process, an event each at every poll.

    Parameters
    ----------
    workers
        How many.
    train
        What stands in for the training; None for the training itself.
    backwards
        Whether the last worker goes first, so that trials end in another order.
    on_poll
        Called before every poll.
    """

    def __init__(
        self,
        workers: int = 1,
        train: Callable[[Task], Training] | None = scripted,
        backwards: bool = False,
        on_poll: Callable[[], None] = lambda: None,
    ) -> None:
        self._count = workers
        self.train = train
        self._backwards = backwards
        self._on_poll = on_poll
        self._running: dict[int, Training] = {}
        self._stopped: set[int] = set()
        self.submitted: list[Task] = []
        self.killed: list[int] = []
        self.dropped: list[Kept] = []

    def start(self, rows: SplitRows) -> None:
        self._rows = rows

    def free(self) -> int:
        return self._count - len(self._running)

    def submit(self, task: Task) -> None:
        assert self.free()
        self._stopped.discard(task.id)  # it was, and goes on
        self.submitted.append(task)
        if self.train is None:
            self._running[task.id] = work(task, self._rows, lambda: task.id in self._stopped)
        else:
            self._running[task.id] = self.train(task)

    def stop(self, task: int) -> None:
        self._stopped.add(task)

    def drop(self, kept: Kept) -> None:
        self.dropped.append(kept)

    def kill(self, task: int) -> None:
        self.killed.append(task)
        del self._running[task]

    def poll(self, timeout: float) -> list[Event]:
        self._on_poll()
        time.sleep(0.001)  # for the thread that writes
        order = sorted(self._running, reverse=self._backwards)
        return [self._step(task) for task in order]

    def workers(self) -> list[WorkerView]:
        tasks: list[int | None] = [*self._running, *[None] * self.free()]
        return [WorkerView(f"worker {i}", "here", task) for i, task in enumerate(tasks)]

    def waiting(self) -> Wait | None:
        return None

    def close(self) -> None:
        self._running.clear()

    def _step(self, task: int) -> Event:
        try:
            if task not in self._stopped or self.train is None:
                return Reported(task, *next(self._running[task]))
        except StopIteration:
            pass
        except WorkerGoneError as error:
            del self._running[task]
            return Lost(task, str(error))
        except Exception as error:
            del self._running[task]
            return Failed(task, described(error))
        del self._running[task]
        return Finished(task)


@dataclass(frozen=True)
class FakeResources(ResourceOptions):
    """Resources whose backend was made before."""

    made: Backend | None = None

    def make(self, space: Space, rows: SplitRows) -> Backend:
        assert self.made is not None
        return self.made


class Clock:
    """A clock that goes on by itself at every look."""

    def __init__(self, step: float = 0.0) -> None:
        self.now = 0.0
        self._step = step

    def __call__(self) -> float:
        self.now += self._step
        return self.now


def tune(
    store: Store,
    stop: StopOptions,
    backend: FakeBackend | None = None,
    resources: ResourceOptions | None = None,
    clock: Callable[[], float] = time.monotonic,
    notices: list[Notice] | None = None,
) -> str:
    """Run a study on a fake backend; returns why it ended."""
    made = store.settings
    proposer = Proposer(made, Space.from_dict(made.space))
    observers = [] if notices is None else [notices.append]
    backend = backend or FakeBackend()
    return Tuner(made, proposer, store, backend, stop, resources, observers, clock).run()


def ended(notices: Sequence[Notice]) -> list[TrialRecord]:
    """The trials that were announced as finished, in that order."""
    return [notice.record for notice in notices if isinstance(notice, TrialEnded)]


def train_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have commands and `tune` train in this process, one trial after another."""
    backend = FakeBackend(1, train=None)
    monkeypatch.setattr(ResourceOptions, "make", lambda self, space, rows: backend)
    monkeypatch.setattr(ResourceOptions, "prepared", lambda self, wanted=True: nullcontext())


def table(folder: Path | str, name: str = "s") -> str:
    """The trials of a study as CSV, without what may differ between two runs: times, attempts."""
    frame = Study.open(Location.of(str(folder)), name).dataframe()
    return str(frame.drop(columns=["seconds", "attempts"]).to_csv(index=False))


def states(folder: Path | str, name: str = "s") -> list[str]:
    """The states of a study's trials by number."""
    return [r.state for r in Study.open(Location.of(str(folder)), name).records()]


def command(*arguments: str, folder: Path, **options: Any) -> "subprocess.Popen[str]":
    """Start `topk-tune` as a process of its own, as a terminal would."""
    return subprocess.Popen(
        [str(Path(sys.executable).with_name("topk-tune")), *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
        **options,
    )


def wait_until(
    happened: Callable[[], bool], process: "subprocess.Popen[str] | None" = None
) -> None:
    """Wait for an event; a process that ends before it is an error."""
    for _ in range(6000):
        if happened():
            return
        if process is not None and process.poll() is not None:
            raise AssertionError(f"it ended too early: {process.communicate()}")
        time.sleep(0.05)
    raise AssertionError("it did not happen within five minutes")

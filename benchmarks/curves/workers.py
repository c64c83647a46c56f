"""Workers that replay known curves to the real loop of a study, in simulated time."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.curves.surrogate import Curve
from topk_tune.backends.base import Event, Finished, Kept, Reported, Task, Wait, WorkerView
from topk_tune.training.objective import DEFAULT
from topk_tune.training.training import Progress
from topk_tune.training.trial import LoopReport, TrialRows

Lookup = Callable[[Mapping[str, Any], int], Curve]

_SHORT = 0.1
"""The loop polls for less time than this while a free worker waits for its storage."""


@dataclass
class _Run:
    """A task under way: the place of the loop that it trains now, and whether it is to stop."""

    task: Task
    seed: int = 0
    loop: int = 0
    stopping: bool = False


class ReplayedWorkers:
    """A backend whose workers take simulated time, and its clock.

    Parameters
    ----------
    count
        The number of workers.
    curve
        Returns the curve of a configuration and a seed.
    metric
        The name under which losses are reported.
    prompt
        Whether a worker waits for the driver's decision after each loop. Real workers go on, so a
        task that is stopped finishes the loop it has begun.
    """

    def __init__(
        self, count: int, curve: Lookup, metric: str = DEFAULT, prompt: bool = False
    ) -> None:
        self.now = 0.0
        self.reports: list[tuple[float, float]] = []
        self.busy = 0.0
        self._count = count
        self._curve = curve
        self._metric = metric
        self._prompt = prompt
        self._running: dict[int, _Run] = {}
        self._due: list[tuple[float, int, int]] = []
        self._order = 0
        self._waiting: list[Event] = []

    def start(self, rows: TrialRows) -> None:
        """Nothing to start."""

    def free(self) -> int:
        """Return the number of idle workers."""
        return self._count - len(self._running)

    def submit(self, task: Task) -> None:
        """Begin the first loop of a task, or the one after those that were kept."""
        done = task.start.progress.loop if task.start else 0
        run = self._running[task.id] = _Run(task, loop=done)
        self._begin_loop(run)

    def stop(self, task: int) -> None:
        """Stop a task after the loop that it trains now; at once if workers are prompt."""
        if self._prompt:
            self._due = [entry for entry in self._due if entry[2] != task]
            heapq.heapify(self._due)
            self._finish(task)
        else:
            self._running[task].stopping = True

    def kill(self, task: int) -> None:
        """Not needed: replayed trials do not fail."""
        raise NotImplementedError

    def drop(self, kept: Kept) -> None:
        """Nothing to free."""

    def poll(self, timeout: float) -> list[Event]:
        """Go to the end of the next loop, unless a free worker will get a task first."""
        if self._waiting:
            events, self._waiting = self._waiting, []
            return events
        if self.free() and timeout < _SHORT:
            time.sleep(1e-5)
            return []
        if not self._due:
            return []
        self.now, _, number = heapq.heappop(self._due)
        return [self._end_loop(self._running[number])]

    def workers(self) -> list[WorkerView]:
        """Only their number matters."""
        return [WorkerView("replayed", "replayed", None)] * self._count

    def waiting(self) -> Wait | None:
        """Nobody waits."""
        return None

    def close(self) -> None:
        """Nothing to close."""

    def _begin_loop(self, run: _Run) -> None:
        seconds = self._of(run).seconds
        took = seconds[run.loop] - (seconds[run.loop - 1] if run.loop else 0.0)
        self.busy += took
        self._order += 1
        heapq.heappush(self._due, (self.now + took, self._order, run.task.id))

    def _end_loop(self, run: _Run) -> Event:
        curve, seed = self._of(run), run.task.seeds[run.seed]
        loss, took = float(curve.loss[run.loop]), float(curve.seconds[run.loop])
        self.reports.append((self.now, loss))
        run.loop += 1
        report = Reported(run.task.id, seed, LoopReport(run.loop, {self._metric: loss}, took))
        if run.loop == run.task.config["loops"]:
            run.loop, run.seed = 0, run.seed + 1
        if run.stopping or run.seed == len(run.task.seeds):
            self._finish(run.task.id)
        else:
            self._begin_loop(run)
        return report

    def _finish(self, task: int) -> None:
        run = self._running.pop(task)
        self._waiting.append(Finished(task, self._kept(run)))

    def _kept(self, run: _Run) -> Kept | None:
        """What a task that was stopped leaves, to be continued from there."""
        if not run.task.keep or run.seed == len(run.task.seeds):
            return None
        return Kept(run.task.seeds[run.seed], Progress(run.loop), 0)

    def _of(self, run: _Run) -> Curve:
        return self._curve(run.task.config, run.task.seeds[run.seed])

"""What a study of 10,000 trials on 1,000 workers costs its driver: the real loop, simulated time.

Run with `python -m benchmarks.tuner_scale`. Workers are simulated: a trial of 20 loops takes a
second of simulated time on average. Everything else is real: the sampler, pruning, the journal
on disk with its syncs. The clock of the simulation also counts the processor time of the driver,
so workers are idle while they wait for it.
"""

from __future__ import annotations

import argparse
import heapq
import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import report
from topk_tune.backends.base import Event, Finished, Kept, Reported, Task, Wait, WorkerView
from topk_tune.data import load
from topk_tune.engine.events import Notice, TrialStarted
from topk_tune.engine.loop import Tuner
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.markup.markdown import table
from topk_tune.records.settings import StudySettings
from topk_tune.spaces import read_space
from topk_tune.storage import Location, Store
from topk_tune.training.training import Progress
from topk_tune.training.trial import LoopReport, TrialRows

LOOPS = 20
SECONDS = 1.0

_REASONS = "## What holds a driver up"
"""The section of the page that is written by hand."""


@dataclass
class _Run:
    """A task on a simulated worker."""

    task: Task
    seconds: float
    losses: list[float]
    loop: int
    stopped: bool = False

    @property
    def over(self) -> bool:
        return self.stopped or self.loop == LOOPS


class Simulated:
    """Workers that take simulated time, and its clock."""

    def __init__(self, workers: int) -> None:
        self.now = 0.0
        self.worked = 0.0
        self._processor = time.process_time()
        self._count = workers
        self._events: list[tuple[float, int, _Run]] = []
        self._runs: dict[int, _Run] = {}
        self._order = 0

    def start(self, rows: TrialRows) -> None:
        """Nothing to start."""

    def free(self) -> int:
        """How many workers have nothing to do."""
        return self._count - len(self._runs)

    def submit(self, task: Task) -> None:
        """Begin a task, or continue it."""
        rng = np.random.default_rng(task.id)
        seconds = float(rng.lognormal(np.log(SECONDS / LOOPS), 0.3))
        aim = 0.2 + abs(np.log(task.config["rho"] / 0.1)) / 20
        losses = aim + 0.3 / np.arange(1, LOOPS + 1) + rng.normal(scale=0.01, size=LOOPS)
        done = task.start.progress.loop if task.start else 0
        self._runs[task.id] = run = _Run(task, seconds, losses.tolist(), done)
        self._plan(run)

    def stop(self, task: int) -> None:
        """Stop a task after its current loop."""
        self._runs[task].stopped = True

    def kill(self, task: int) -> None:
        """Not simulated."""

    def drop(self, kept: Kept) -> None:
        """Nothing is held."""

    def poll(self, timeout: float) -> list[Event]:
        """Jump to the next event, unless a worker is free and the loop waits for its storage."""
        if not self._events or (self.free() and timeout < 0.1):
            time.sleep(1e-4)
            self._wait_for_driver()
            return []
        self._wait_for_driver()
        planned, _, run = heapq.heappop(self._events)
        self.now = max(self.now, planned)
        self.worked += run.seconds
        run.loop += 1
        task = run.task
        said = LoopReport(
            run.loop, {"shown_loss": run.losses[run.loop - 1]}, run.loop * run.seconds
        )
        events: list[Event] = [Reported(task.id, task.seeds[0], said)]
        if run.over:
            del self._runs[task.id]
            kept = Kept(task.seeds[0], Progress(run.loop), 1) if run.stopped else None
            events.append(Finished(task.id, kept))
        else:
            self._plan(run)
        return events

    def workers(self) -> list[WorkerView]:
        """Only their number matters."""
        return [WorkerView("simulated", "simulated", None)] * self._count

    def waiting(self) -> Wait | None:
        """Nobody waits."""
        return None

    def close(self) -> None:
        """Nothing to close."""

    def _wait_for_driver(self) -> None:
        used, self._processor = time.process_time() - self._processor, time.process_time()
        self.now += used

    def _plan(self, run: _Run) -> None:
        self._order += 1
        heapq.heappush(self._events, (self.now + run.seconds, self._order, run))


def main() -> None:
    """Run, and write docs/results/scale.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=1_000)
    options = parser.parse_args()
    data = load("yeast")
    backend = Simulated(options.workers)
    rows: list[list[str]] = []
    marks: list[tuple[float, float]] = []

    def mark(notice: Notice) -> None:
        if isinstance(notice, TrialStarted) and notice.number == len(marks):
            marks.append((time.process_time(), time.perf_counter()))
            if len(marks) % 1000 == 0:
                block = marks[-1000:]
                cpu = (block[-1][0] - block[0][0]) / max(len(block) - 1, 1)
                wall = (block[-1][1] - block[0][1]) / max(len(block) - 1, 1)
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                rows.append(
                    [f"{len(marks):,}", f"{cpu * 1e3:.1f}", f"{wall * 1e3:.1f}", f"{memory:.0f}"]
                )
                print(rows[-1], flush=True)

    with tempfile.TemporaryDirectory() as folder:
        space = read_space("topada")
        settings = StudySettings(
            name="scale", dataset="yeast", fingerprint=data.fingerprint, space=space.to_dict()
        )
        store = Store.create(Location(Path(folder)), settings)
        stop = StopOptions(trials=options.trials)
        tuner = Tuner(
            settings,
            Proposer(settings, space),
            store,
            backend,
            stop,
            observers=[mark],
            clock=lambda: backend.now,
        )
        tuner.run()
        journal = store.location.journal("scale").stat().st_size / 1e6
    idle = 1 - backend.worked / (options.workers * backend.now)
    head = ["trials", "driver CPU a trial, ms", "driver time a trial, ms", "peak memory, MB"]
    report.write(
        "scale.md",
        "\n\n".join(
            [
                "# A long study on many workers",
                f"{options.trials:,} trials on {options.workers:,} simulated workers; a trial of "
                f"{LOOPS} loops would take {SECONDS:g} s. Search, pausing and the synced journal "
                "are real. Each row averages the last thousand trials that were begun. The search "
                "uses up to 2,000 trials and then the best and latest ones only, so its cost stops "
                "growing; memory grows by the records of the trials, which the journal holds too.",
                table(head, rows),
                f"The journal has {journal:.0f} MB. The study took {backend.now:.0f} s of "
                f"simulated time, {options.trials / backend.now:.0f} trials a second. Workers were "
                f"idle for {idle:.0%} of it, because {options.workers:,} of them would need more "
                "trials than one driver can propose and record.",
                report.provenance("python -m benchmarks.tuner_scale", "study seed 0"),
                report.section("scale.md", _REASONS),
            ]
        ),
    )


if __name__ == "__main__":
    main()

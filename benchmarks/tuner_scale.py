"""What a study of 10,000 trials on 200 workers costs its driver: the real loop, simulated time.

Run with `python -m benchmarks.tuner_scale`. Workers are simulated: a trial of 20 loops takes a
minute of simulated time on average. Everything else is real: the sampler, pruning, the journal
on disk with its syncs.
"""

from __future__ import annotations

import argparse
import heapq
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks import report
from topk_tune.backends.base import Event, Finished, Reported, Task, Wait, WorkerView
from topk_tune.data import load
from topk_tune.engine.events import Notice, TrialEnded
from topk_tune.engine.loop import Tuner
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.markup.markdown import table
from topk_tune.records.settings import StudySettings
from topk_tune.spaces import read_space
from topk_tune.storage import Location, Store
from topk_tune.training.trial import LoopReport, TrialRows

LOOPS = 20
MINUTE = 60.0


class Simulated:
    """Workers that take simulated time, and its clock."""

    def __init__(self, workers: int) -> None:
        self.now = 0.0
        self._free = workers
        self._count = workers
        self._events: list[tuple[float, int, Event]] = []
        self._ended: set[int] = set()
        self._order = 0
        self._rng = np.random.default_rng(0)

    def start(self, rows: TrialRows) -> None:
        """Nothing to start."""

    def free(self) -> int:
        """How many workers have nothing to do."""
        return self._free

    def submit(self, task: Task) -> None:
        """Plan all reports of a task and its end."""
        self._free -= 1
        loop = self._rng.lognormal(np.log(MINUTE / LOOPS), 0.3)
        noise = self._rng.normal(scale=0.01, size=LOOPS)
        aim = 0.2 + abs(np.log(task.config["rho"] / 0.1)) / 20
        for number in range(1, LOOPS + 1):
            loss = float(aim + 0.3 / number + noise[number - 1])
            said = LoopReport(number, {"shown_loss": loss}, number * loop)
            self._plan(number * loop, Reported(task.id, task.seeds[0], said))
        self._plan(LOOPS * loop + 1e-6, Finished(task.id))

    def stop(self, task: int) -> None:
        """End a task now."""
        self._ended.add(task)
        self._free += 1
        self._plan(0.0, Finished(task))

    def kill(self, task: int) -> None:
        """Not simulated."""

    def poll(self, timeout: float) -> list[Event]:
        """Jump to the next event, unless a worker is free and the loop waits for its storage."""
        if self._free and timeout < 0.1:
            time.sleep(1e-4)
            return []
        while self._events:
            self.now, _, event = heapq.heappop(self._events)
            if event.task in self._ended:
                if isinstance(event, Finished):
                    self._ended.discard(event.task)
                    self._cancel(event.task)
                    return [event]
                continue
            if isinstance(event, Finished):
                self._free += 1
            return [event]
        return []

    def workers(self) -> list[WorkerView]:
        """Only their number matters."""
        return [WorkerView("simulated", "simulated", None)] * self._count

    def waiting(self) -> Wait | None:
        """Nobody waits."""
        return None

    def close(self) -> None:
        """Nothing to close."""

    def _plan(self, delay: float, event: Event) -> None:
        self._order += 1
        heapq.heappush(self._events, (self.now + delay, self._order, event))

    def _cancel(self, task: int) -> None:
        self._events = [entry for entry in self._events if entry[2].task != task]
        heapq.heapify(self._events)


def main() -> None:
    """Run, and write docs/results/scale.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=200)
    options = parser.parse_args()
    data = load("yeast")
    backend = Simulated(options.workers)
    rows, marks = [], []

    def mark(notice: Notice) -> None:
        if isinstance(notice, TrialEnded):
            marks.append((time.process_time(), time.perf_counter()))
            if len(marks) % 1000 == 0 or len(marks) == 200:
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
    head = ["trials", "driver CPU a trial, ms", "driver time a trial, ms", "peak memory, MB"]
    report.write(
        "scale.md",
        "\n\n".join(
            [
                "# A long study on many workers",
                f"{options.trials:,} trials on {options.workers} simulated workers, a trial of "
                f"{LOOPS} loops taking a minute of simulated time; search, pruning and the synced "
                "journal are real. Each row averages the last thousand trials. An ask looks at "
                "up to 2,000 trials and then at the best and latest ones only, so the cost stops "
                "growing; memory grows by the records of the trials, which the journal holds too.",
                table(head, rows),
                f"The journal has {journal:.0f} MB. The study took {backend.now / 60:.0f} minutes "
                f"of simulated time: {options.trials / backend.now:.1f} trials a second.",
                report.provenance("python -m benchmarks.tuner_scale", "study seed 0"),
            ]
        ),
    )


if __name__ == "__main__":
    main()

"""What the tuner costs a trial, beside Ray Tune with Optuna's search and MLflow's callback.

Run with `python -m benchmarks.tuner_overhead`. Trials do nothing but wait and report, so what
they take beyond the waiting is the tuner's. Start-up is left out on both sides: time counts from
the moment the workers are ready, or the first trial starts, until the last trial is written.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import report
from topk_tune.backends.base import Task
from topk_tune.backends.ray import RayBackend
from topk_tune.backends.work import Body, Reports
from topk_tune.data import load
from topk_tune.engine.events import Notice, StudyEnded, TrialStarted
from topk_tune.engine.loop import Tuner
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.markup.markdown import table
from topk_tune.records.settings import StudySettings
from topk_tune.spaces import read_space
from topk_tune.storage import Location, Store
from topk_tune.study.rows import tuning_rows
from topk_tune.study.study import Study
from topk_tune.tracking import TrackingConfig, open_tracker
from topk_tune.training.trial import LoopReport, TrialRows

WORKERS = 2
REPORTS = 20


@dataclass(frozen=True)
class Cost:
    """Seconds that trials took in all, and the mean of their bodies."""

    elapsed: float
    trials: int
    body: float

    @property
    def overhead(self) -> float:
        """Seconds of a worker a trial, less the body."""
        return self.elapsed * WORKERS / self.trials - self.body

    @property
    def idle(self) -> float:
        """The share of a worker's time that is not spent in bodies."""
        return self.overhead * self.trials / (self.elapsed * WORKERS)


def waiting(seconds: float) -> Body:
    """A body that waits and reports its loss, and how long it really has waited."""

    def body(task: Task, rows: TrialRows, stopped: Callable[[], bool]) -> Reports:
        waited = 0.0
        for loop in range(1, REPORTS + 1):
            waited += wait(seconds / REPORTS)
            now = loss(task.config) + 1 / loop
            yield task.seeds[0], LoopReport(loop, {"shown_loss": now}, waited)
        return None

    return body


def wait(seconds: float) -> float:
    """Wait; returns for how long it really was, which on a busy machine is longer."""
    began = time.perf_counter()
    time.sleep(seconds)
    return time.perf_counter() - began


def loss(config: Mapping[str, Any]) -> float:
    """A smooth function of the configuration."""
    return float(abs(np.log(config["rho"] / 0.1)) + abs(config["n_learners"] - 70) / 100)


def ours(seconds: float, trials: int) -> Cost:
    """Our tuner, with its journal and MLflow behind it."""
    data = load("yeast")
    marks: list[float] = []

    def mark(notice: Notice) -> None:
        if isinstance(notice, TrialStarted | StudyEnded):
            marks.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder:
        space = read_space("topada")
        settings = StudySettings(
            name="overhead",
            dataset="yeast",
            fingerprint=data.fingerprint,
            space=space.to_dict(),
            pruner="none",
        )
        study = Study(Store.create(Location(Path(folder)), settings), settings)
        backend = RayBackend(WORKERS, body=waiting(seconds))
        backend.start(tuning_rows(data, settings))
        while backend.free() < WORKERS:
            backend.poll(1.0)
        stop = StopOptions(trials=trials)
        with open_tracker(study, _tracking(folder), data) as tracker:
            observers = [mark, tracker.observe]
            proposer = Proposer(settings, space)
            Tuner(settings, proposer, study.store, backend, stop, observers=observers).run()
        backend.close()
        bodies = [record.seconds for record in study.records()]
    return Cost(marks[-1] - marks[0], trials, float(np.mean(bodies)))


def ray_tune(seconds: float, trials: int) -> Cost:
    """Ray Tune with OptunaSearch and the MLflow callback, on reused actors."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.ray_tune_overhead"]
        arguments = [str(seconds), str(trials), str(REPORTS), str(WORKERS), folder]
        done = subprocess.run(
            [*command, *arguments], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    elapsed, body = done.stdout.decode().split()[-2:]
    return Cost(float(elapsed), trials, float(body))


def _tracking(folder: str) -> TrackingConfig:
    return TrackingConfig(
        tracking_uri=f"sqlite:///{folder}/mlflow.db", artifact_root=f"{folder}/artifacts"
    )


def main() -> None:
    """Measure, and write docs/results/overhead.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200, help="of 50 ms, ours")
    parser.add_argument("--ray-tune-trials", type=int, default=60)
    options = parser.parse_args()
    runs = [
        ("ours", 0.05, ours(0.05, options.trials)),
        ("Ray Tune", 0.05, ray_tune(0.05, options.ray_tune_trials)),
        ("ours", 0.5, ours(0.5, options.trials // 4)),
        ("Ray Tune", 0.5, ray_tune(0.5, options.ray_tune_trials // 2)),
    ]
    rows = [
        [
            who,
            f"{body * 1e3:.0f} ms",
            str(cost.trials),
            f"{cost.overhead * 1e3:.1f} ms",
            f"{cost.idle:.1%}",
        ]
        for who, body, cost in runs
    ]
    head = ["tuner", "body of a trial", "trials", "overhead a trial", "idle share of workers"]
    ratio = runs[1][2].overhead / runs[0][2].overhead
    report.write(
        "overhead.md",
        "\n\n".join(
            [
                "# What the tuner costs",
                f"{WORKERS} workers; a trial waits and reports {REPORTS} times. Overhead is the "
                "time of a worker from one trial to the next, less its waiting, as the worker "
                "timed it. Ours writes a journal that is synced to disk and MLflow; Ray Tune has "
                "OptunaSearch, reused actors and its MLflow callback (sqlite for both). Start-up "
                "is left out.",
                table(head, rows),
                f"At 50 ms a trial Ray Tune costs {ratio:.0f} times as much.",
                report.provenance("python -m benchmarks.tuner_overhead", "study seed 0"),
            ]
        ),
    )


if __name__ == "__main__":
    main()

"""How much faster a study is on two workers than on one: the same trials on Yeast, in turn.

Run with `python -m benchmarks.scaling`. Time counts from the start of the first trial until the
last one is written. Trials are of one size, so that none is left over at the end. Two plain
processes that train the same configurations, with no tuner at all, show what the machine itself
gives: cores share caches, memory and often a host with others.
"""

from __future__ import annotations

import argparse
import multiprocessing
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np

import booster
from benchmarks import report
from topk_tune.backends.ray import RayBackend
from topk_tune.data import load
from topk_tune.engine.events import Notice, TrialEnded, TrialStarted
from topk_tune.engine.loop import Tuner
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.markup.markdown import table
from topk_tune.records.settings import StudySettings
from topk_tune.spaces import Fixed, Float, Space
from topk_tune.storage import Location, Store
from topk_tune.study.rows import tuning_rows
from topk_tune.training.training import run_trial
from topk_tune.training.trial import TrialConfig, TrialRows

RHO = (0.05, 0.15)
SPACE = Space(
    {
        "algorithm": Fixed("topada"),
        "loops": Fixed(20),
        "n_learners": Fixed(100),
        "rho": Float(*RHO),
    }
)


def settings() -> StudySettings:
    """Of the study."""
    return StudySettings(
        name="scaling",
        dataset="yeast",
        fingerprint=load("yeast").fingerprint,
        space=SPACE.to_dict(),
        sampler="random",
        pruner="none",
    )


def tuned(workers: int, trials: int) -> float:
    """The seconds that a study takes on so many workers."""
    made, marks = settings(), list[float]()

    def mark(notice: Notice) -> None:
        if isinstance(notice, TrialStarted | TrialEnded):
            marks.append(time.perf_counter())

    with tempfile.TemporaryDirectory() as folder:
        store = Store.create(Location(Path(folder)), made)
        backend = RayBackend(workers)
        backend.start(tuning_rows(load("yeast"), made))
        try:
            while backend.free() < workers:
                backend.poll(1.0)
            search, stop = Proposer(made, SPACE), StopOptions(trials=trials)
            Tuner(made, search, store, backend, stop, observers=[mark]).run()
        finally:
            backend.close()
    return marks[-1] - marks[0]


def plain(workers: int, trials: int) -> float:
    """The seconds that as many processes take without a tuner."""
    fresh = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=fresh) as pool:
        list(pool.map(_ready, range(workers)))
        began = time.perf_counter()
        list(pool.map(_train, np.linspace(*RHO, trials)))
        return time.perf_counter() - began


def _ready(process: int) -> None:
    """Loads kernels and rows; long enough that no process does it for another."""
    booster.warm_up()
    _rows()
    time.sleep(1.0)


def _train(rho: float) -> None:
    flat = {"algorithm": "topada", "loops": 20, "n_learners": 100, "rho": float(rho)}
    for _ in run_trial(TrialConfig.of(flat), 0, _rows(), "read-only"):
        pass


@cache
def _rows() -> TrialRows:
    return tuning_rows(load("yeast"), settings())


def main() -> None:
    """Measure, and write docs/results/scaling.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    rows = []
    for _ in range(options.rounds):
        alone, both = tuned(1, options.trials), tuned(2, options.trials)
        one, two = plain(1, options.trials), plain(2, options.trials)
        rows.append(
            [
                *(f"{alone:.1f} s", f"{both:.1f} s", f"{alone / both:.2f}"),
                *(f"{one:.1f} s", f"{two:.1f} s", f"{one / two:.2f}"),
            ]
        )
    head = ["one worker", "two workers", "times as fast"]
    head += ["one plain process", "two", "times as fast"]
    report.write(
        "scaling.md",
        "\n\n".join(
            [
                "# Two workers against one",
                f"The same {options.trials} trials on Yeast, on a Ray of this machine; beside it "
                "plain processes that train the same without a tuner.",
                table(head, rows),
                report.provenance("python -m benchmarks.scaling", "study seed 0"),
            ]
        ),
    )


if __name__ == "__main__":
    main()

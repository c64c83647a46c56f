"""How much faster a study is on two workers than on one: the same trials on Yeast, in turn.

Run with `python -m benchmarks.scaling`. Time counts from the start of the first trial until the
last one is written. Trials are of one size, so that none is left over at the end. How many workers
were busy on average is what the tuner makes of them; how much faster the study was also depends
on what else the machine does, so the best of the rounds says most.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from benchmarks import report
from topk_tune.backends.ray import RayBackend
from topk_tune.data import load
from topk_tune.events import Notice, TrialEnded, TrialStarted
from topk_tune.search import Search
from topk_tune.settings import StudySettings
from topk_tune.spaces import Fixed, Float, Space
from topk_tune.stopping import StopRule
from topk_tune.storage import Location, Store
from topk_tune.study import tuning_rows
from topk_tune.tuner import Tuner

SPACE = Space(
    {
        "algorithm": Fixed("topada"),
        "loops": Fixed(20),
        "n_learners": Fixed(70),
        "rho": Float(0.05, 0.15),
    }
)


def measured(workers: int, trials: int) -> tuple[float, float]:
    """The seconds that a study takes on so many workers, and how many of them were busy."""
    data = load("yeast")
    marks: list[float] = []

    def mark(notice: Notice) -> None:
        if isinstance(notice, TrialStarted | TrialEnded):
            marks.append(time.perf_counter())

    settings = StudySettings(
        name="scaling",
        dataset="yeast",
        fingerprint=data.fingerprint,
        space=SPACE.to_dict(),
        sampler="random",
        pruner="none",
    )
    with tempfile.TemporaryDirectory() as folder:
        store = Store.create(Location(Path(folder)), settings)
        backend = RayBackend(workers)
        backend.start(tuning_rows(data, settings))
        try:
            while backend.free() < workers:
                backend.poll(1.0)
            search, stop = Search(settings, SPACE), StopRule(trials=trials)
            Tuner(settings, search, store, backend, stop, observers=[mark]).run()
        finally:
            backend.close()
        elapsed = marks[-1] - marks[0]
        return elapsed, sum(record.seconds for record in store.records()) / elapsed


def main() -> None:
    """Measure, and write docs/results/scaling.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    rounds = [
        (*measured(1, options.trials), *measured(2, options.trials)) for _ in range(options.rounds)
    ]
    rows = [
        [f"{one:.1f} s", f"{two:.1f} s", f"{one / two:.2f}", f"{first:.2f}", f"{both:.2f}"]
        for one, first, two, both in rounds
    ]
    head = ["one worker", "two workers", "times as fast", "busy of one", "busy of two"]
    report.write(
        "scaling.md",
        "\n\n".join(
            [
                "# Two workers against one",
                f"The same {options.trials} trials on Yeast, on a Ray of this machine.",
                report.table(head, rows),
                report.provenance("python -m benchmarks.scaling", "study seed 0"),
            ]
        ),
    )


if __name__ == "__main__":
    main()

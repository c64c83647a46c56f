"""The three kinds of learners under the same booster: losses over seeds, and rounds a second.

Run with `python -m benchmarks.learners losses` (about an hour) and `python -m
benchmarks.learners speed` (a few minutes). A seed gives the learners the same covariates and
parameters whatever their kind, so losses are compared seed by seed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.datasets import available, parts
from benchmarks.report import provenance, table, write
from booster import ALGORITHMS, Booster
from booster.learners import LEARNERS
from search_spaces import table5

SEEDS = 10
N_LEARNERS = 5
TRAIN_ROWS = 500
TASKS = (
    ("emotions", "topopt"),
    ("yeast", "topopt"),
    ("emotions", "fullada"),
    ("emotions", "topada"),
    ("yeast", "topada"),
    ("emotions", "fullopt"),
    ("yeast", "fullada"),
    ("yeast", "fullopt"),
)

SPEED_ROWS = 200
TRIES = 5
"""Of the native run only, which is over in a moment."""

NATIVE, *OTHERS = LEARNERS


def make(algorithm: str, dataset: str, learner: str, n_learners: int, seed: int) -> Booster:
    """A fresh booster with the paper's parameters otherwise."""
    data, parameters = parts(dataset), table5(algorithm, dataset)
    del parameters["loops"]
    parameters |= {"n_learners": n_learners, "learner": learner, "seed": seed}
    shape = data["X_train"].shape[1], data["Y_train"].shape[1]
    return ALGORITHMS[algorithm](n_features=shape[0], n_labels=shape[1], **parameters)


def losses(algorithm: str, dataset: str, learner: str) -> NDArray[np.float64]:
    """The test loss after one loop over the first training rows, for each seed."""
    data, first = parts(dataset), slice(TRAIN_ROWS)
    found = []
    for seed in range(SEEDS):
        booster = make(algorithm, dataset, learner, N_LEARNERS, seed)
        booster.run(data["X_train"][first], data["Y_train"][first])
        found.append(booster.evaluate(data["X_test"], data["Y_test"]).loss)
    return np.array(found)


def compared(algorithm: str, dataset: str) -> Iterator[list[str]]:
    """The lines of the table for one algorithm and data set."""
    native = losses(algorithm, dataset, NATIVE)
    spread = native.std(ddof=1)
    for learner in OTHERS:
        other = losses(algorithm, dataset, learner)
        difference = other - native
        reach = stats.t.ppf(0.95, SEEDS - 1) * difference.std(ddof=1) / np.sqrt(SEEDS)
        low, high = difference.mean() - reach, difference.mean() + reach
        yield [
            dataset,
            algorithm,
            learner,
            f"{native.mean():.4f} ± {spread:.4f}",
            f"{other.mean():.4f} ± {other.std(ddof=1):.4f}",
            f"{difference.mean():+.4f}",
            f"{low:+.4f} .. {high:+.4f}",
            "the same" if -spread < low and high < spread else "not shown",
        ]


def write_losses() -> None:
    """Compare all, and write docs/results/learners.md anew after each comparison."""
    rows: list[list[str]] = []
    head = (
        "data set", "algorithm", "learner", "native", "loss", "difference", "90% interval",
        "within the spread",
    )  # fmt: skip
    for dataset, algorithm in TASKS:
        if dataset in available():
            rows += compared(algorithm, dataset)
            made = provenance("python -m benchmarks.learners losses", f"seeds 0 to {SEEDS - 1}")
            write("learners.md", "\n\n".join([_LOSSES, _versions(), made, table(head, rows)]))


def rounds_a_second(algorithm: str) -> list[str]:
    """A line of the table of speeds: the first training rows of Yeast, from the start."""
    data = parts("yeast")
    n_learners = table5(algorithm, "yeast")["n_learners"]
    speeds = []
    for learner in LEARNERS:
        seconds = []
        for _ in range(TRIES if learner == NATIVE else 1):
            booster = make(algorithm, "yeast", learner, n_learners, seed=0)
            rows = slice(SPEED_ROWS)
            seconds.append(booster.run(data["X_train"][rows], data["Y_train"][rows]).seconds)
        speeds.append(SPEED_ROWS / min(seconds))
    ratios = [f"{speeds[0] / speed:,.0f}" for speed in speeds[1:]]
    return [algorithm, str(n_learners), *(f"{speed:,.1f}" for speed in speeds), *ratios]


def write_speed() -> None:
    """Measure, and write docs/results/learners_speed.md."""
    head = ["algorithm", "N", *LEARNERS, *(f"native : {learner}" for learner in OTHERS)]
    rows = [rounds_a_second(algorithm) for algorithm in ALGORITHMS]
    made = provenance("python -m benchmarks.learners speed", f"seed 0, native best of {TRIES}")
    write("learners_speed.md", "\n\n".join([_SPEED, _versions(), made, table(head, rows)]))


def _versions() -> str:
    libraries = f"scikit-multiflow {version('scikit-multiflow')}, river {version('river')}"
    return f"{libraries}; {date.today()}."


_LOSSES = f"""# The same booster on the trees of three libraries

The loss on the test rows, read-only, after one loop over the training rows, the first {TRAIN_ROWS}
at most: the paper's parameters, but {N_LEARNERS} learners. Mean and standard deviation over
{SEEDS} seeds. A seed gives learners of every kind the same covariates and parameters, so that
differences are taken seed by seed. The test is one of equivalence: two losses are the same within
the spread of seeds if the 90% interval of the mean difference (Student's t, paired; that is two
one-sided tests at 5%) lies within one standard deviation of the native losses, on either side of
0."""

_SPEED = f"""# Rounds a second on the trees of three libraries

The first {SPEED_ROWS} training rows of Yeast with the paper's parameters and N learners, one kind
after the other in one process: rounds a second, and how many times as fast the native trees are."""


if __name__ == "__main__":
    {"losses": write_losses, "speed": write_speed}[sys.argv[1]]()

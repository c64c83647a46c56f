"""The three kinds of learners under the same booster: losses over seeds, and rounds a second.

Run with `python -m benchmarks.learners losses` (about an hour on one core), `python -m
benchmarks.learners matched` (about ten minutes on two) and `python -m benchmarks.learners
speed` (a few minutes); each writes a page of its own. A seed gives the learners the same
covariates and parameters whatever their kind, so losses are compared seed by seed.
"""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from functools import partial
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.datasets import available, parts
from benchmarks.report import provenance, write
from booster import ALGORITHMS, Booster, TreeRanges
from booster.foreign import ForeignRounds
from booster.learners.weak_learner import make_learners
from booster.tables import LEARNERS
from search_spaces import paper_parameters
from topk_tune.markup.markdown import table

SEEDS = 10
N_LEARNERS = 5
TRAIN_ROWS = 500
MATCHED_ROWS = 300
"""Fewer, to keep the time short: matched trees decide in plain Python."""

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

NATIVE, *OTHERS = LEARNERS.own


def make(algorithm: str, dataset: str, learner: str, n_learners: int, seed: int) -> Booster:
    """A fresh booster, otherwise with the paper's parameters and the same trees for all."""
    data, parameters = parts(dataset), paper_parameters(algorithm, dataset)
    del parameters["loops"]
    parameters |= {"n_learners": n_learners, "learner": learner, "seed": seed}
    parameters["trees"] = TreeRanges()
    shape = data["X_train"].shape[1], data["Y_train"].shape[1]
    made: Booster = ALGORITHMS.load(algorithm)(n_features=shape[0], n_labels=shape[1], **parameters)
    return made


def matched(algorithm: str, dataset: str, learner: str, n_learners: int, seed: int) -> Booster:
    """The same on trees that decide as native ones do, which no parameter of a booster gives."""
    booster = make(algorithm, dataset, learner, n_learners, seed)
    learners = make_learners(learner, booster._forest.trees, booster.n_labels, matched=True)
    booster._foreign = ForeignRounds(learners)
    return booster


Maker = Callable[[str, str, str, int, int], Booster]
"""`make` or `matched`."""


def loss(maker: Maker, algorithm: str, dataset: str, learner: str, rows: int, seed: int) -> float:
    """The test loss after one loop over the first training rows."""
    data = parts(dataset)
    booster = maker(algorithm, dataset, learner, N_LEARNERS, seed)
    booster.run(data["X_train"][:rows], data["Y_train"][:rows])
    return booster.evaluate(data["X_test"], data["Y_test"]).loss


def losses(
    pool: ProcessPoolExecutor, maker: Maker, algorithm: str, dataset: str, learner: str, rows: int
) -> NDArray[np.float64]:
    """What `loss` returns, for each seed."""
    of_seed = partial(loss, maker, algorithm, dataset, learner, rows)
    return np.array(list(pool.map(of_seed, range(SEEDS))))


def equivalent(pool: ProcessPoolExecutor, algorithm: str, dataset: str) -> Iterator[list[str]]:
    """Lines of the table for one algorithm and data set: trees as they are."""
    native = losses(pool, make, algorithm, dataset, NATIVE, TRAIN_ROWS)
    spread = native.std(ddof=1)
    for learner in OTHERS:
        other = losses(pool, make, algorithm, dataset, learner, TRAIN_ROWS)
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


def equal(pool: ProcessPoolExecutor, algorithm: str, dataset: str) -> Iterator[list[str]]:
    """Lines of the table for one algorithm and data set: trees that decide as native ones do."""
    native = losses(pool, make, algorithm, dataset, NATIVE, MATCHED_ROWS)
    for learner in OTHERS:
        other = losses(pool, matched, algorithm, dataset, learner, MATCHED_ROWS)
        yield [
            dataset,
            algorithm,
            learner,
            f"{native.mean():.4f} ± {native.std(ddof=1):.4f}",
            f"{other.mean():.4f}",
            f"{np.abs(other - native).max():.1e}",
            f"{np.count_nonzero(other == native)} of {SEEDS}",
        ]


def write_losses() -> None:
    """Compare boosters on trees as they are, and write docs/results/learners.md."""
    head = (
        "data set", "algorithm", "learner", "native", "loss", "difference", "90% interval",
        "within the spread",
    )  # fmt: skip
    _compare("losses", "learners.md", _LOSSES, head, equivalent)


def write_matched() -> None:
    """Compare boosters on matched trees, and write docs/results/learners_matched.md."""
    head = (
        "data set", "algorithm", "learner", "native", "matched", "largest difference",
        "equal seeds",
    )  # fmt: skip
    _compare("matched", "learners_matched.md", _MATCHED, head, equal)


Comparison = Callable[[ProcessPoolExecutor, str, str], Iterator[list[str]]]
"""`equivalent` or `equal`."""


def _compare(
    command: str, page: str, introduction: str, head: Sequence[str], comparison: Comparison
) -> None:
    """Compare all, and write the page anew after each algorithm and data set."""
    rows: list[list[str]] = []
    at_hand = available()
    made = provenance(f"python -m benchmarks.learners {command}", f"seeds 0 to {SEEDS - 1}")
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        for dataset, algorithm in TASKS:
            if dataset in at_hand:
                rows += comparison(pool, algorithm, dataset)
                write(page, "\n\n".join([introduction, _versions(), made, table(head, rows)]))


def rounds_a_second(algorithm: str) -> list[str]:
    """A line of the table of speeds: the first training rows of Yeast, from the start."""
    data = parts("yeast")
    n_learners = paper_parameters(algorithm, "yeast")["n_learners"]
    speeds = []
    for learner in LEARNERS.own:
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
    head = ["algorithm", "N", *LEARNERS.own, *(f"native : {learner}" for learner in OTHERS)]
    rows = [rounds_a_second(algorithm) for algorithm in ALGORITHMS.own]
    made = provenance("python -m benchmarks.learners speed", f"seed 0, native best of {TRIES}")
    write("learners_speed.md", "\n\n".join([_SPEED, _versions(), made, table(head, rows)]))


def _versions() -> str:
    libraries = f"scikit-multiflow {version('scikit-multiflow')}, river {version('river')}"
    return f"{libraries}; {date.today()}."


_LOSSES = f"""# The same booster on the trees of three libraries

The loss on the test rows, of the ranking before exploration, read-only, after one loop over the
training rows, the first {TRAIN_ROWS} at most: the paper's parameters, but {N_LEARNERS} learners.
Mean and standard deviation over {SEEDS} seeds. A seed gives learners of every kind the same
covariates and parameters, so that
differences are taken seed by seed. The test is one of equivalence: two losses are the same within
the spread of seeds if the 90% interval of the mean difference (Student's t, paired; that is two
one-sided tests at 5%) lies within one standard deviation of the native losses, on either side of
0.

Boosters on trees that decide as native ones do: [learners_matched.md](learners_matched.md)."""

_MATCHED = f"""# The same booster on matched trees of three libraries

The trees of the libraries with the switch `matched`, which puts the decisions of native trees in
the place of their own ([../learners.md](../learners.md)); otherwise as in
[learners.md](learners.md), where they are compared as they are: the loss on the test rows,
of the ranking before exploration,
read-only, after one loop over the first {MATCHED_ROWS} training rows (there up to {TRAIN_ROWS}:
fewer here, to keep the time short), with the paper's parameters, but {N_LEARNERS} learners. Mean
and standard deviation of the native losses over {SEEDS} seeds, and the mean of the matched ones.

The test: with matching settings the losses must be equal seed by seed. *largest difference* is
the largest absolute one of a seed; *equal seeds* counts those with exactly the same loss, as
float64, with no tolerance."""

_SPEED = f"""# Rounds a second on the trees of three libraries

The first {SPEED_ROWS} training rows of Yeast with the paper's parameters and N learners, one kind
after the other in one process: rounds a second, and how many times as fast the native trees are."""


if __name__ == "__main__":
    {"losses": write_losses, "matched": write_matched, "speed": write_speed}[sys.argv[1]]()

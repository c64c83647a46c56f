"""Speed: rounds and split attempts a second, against the plain kernel, and where time goes.

Each comparison runs both sides in turn in this process and takes the best of several tries:
on a busy machine only such ratios mean anything.
"""

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from benchmarks.datasets import parts, small
from benchmarks.report import provenance, write
from booster import ALGORITHMS, Booster, TreeRanges
from search_spaces import paper_parameters
from topk_tune.markup.markdown import table

TRIES = 5
LOOPS = {"topopt": 10, "topada": 10, "fullopt": 1, "fullada": 1}

Change = Callable[[Booster], None]


def make(algorithm: str, dataset: str) -> Booster:
    """A fresh booster with the parameters of the paper's Table 5."""
    data, parameters = parts(dataset), paper_parameters(algorithm, dataset)
    del parameters["loops"]
    shape: dict[str, Any] = {
        "n_features": data["X_train"].shape[1],
        "n_labels": data["Y_train"].shape[1],
    }
    made: Booster = ALGORITHMS.load(algorithm)(**shape, trees=TreeRanges(), **parameters)
    return made


def unchanged(booster: Booster) -> None:
    """As it is."""


def plain(booster: Booster) -> None:
    """Have every split attempt look at every candidate, one after another."""
    booster._forest.trees = booster._forest.trees._replace(screened=False)


def seconds(booster: Booster, dataset: str, loops: int, *changes: Change) -> list[float]:
    """The best times of a few tries from the same state, with each of the changes in turn."""
    data = parts(dataset)
    best = [float("inf")] * len(changes)
    for _ in range(TRIES):
        for i, change in enumerate(changes):
            one = copy.deepcopy(booster)
            change(one)
            took = one.run(data["X_train"], data["Y_train"], loops=loops).seconds
            best[i] = min(best[i], took)
    return best


def speed(algorithm: str, dataset: str) -> list[str]:
    """A line of the table of speeds."""
    booster, loops = make(algorithm, dataset), LOOPS[algorithm]
    fast, slow = seconds(booster, dataset, loops, unchanged, plain)
    rows = parts(dataset)
    booster.run(rows["X_train"], rows["Y_train"], loops=loops)
    attempts = booster.counts["split_attempts"]
    return [
        algorithm,
        dataset,
        str(booster.n_learners),
        f"{fast:.3f}",
        f"{booster.rounds / fast:,.0f}",
        f"{attempts:,}",
        f"{attempts / fast:,.0f}",
        f"{slow / fast:.1f}",
    ]


def no_attempts(booster: Booster) -> None:
    """Never look for a split."""
    booster._forest.trees.grace[:] = float("inf")


def no_statistics(booster: Booster) -> None:
    """Learn class weights only, as a tree at its budget does."""
    booster._forest.arrays.frozen[:] = 1


def shares(after: int) -> list[str]:
    """Where the next loop's time goes, after some loops of TopAda on Yeast."""
    booster, rows = make("topada", "yeast"), parts("yeast")
    if after:
        booster.run(rows["X_train"], rows["Y_train"], loops=after)
    whole, searching_plainly, observing, voting = seconds(
        booster, "yeast", 1, unchanged, plain, no_attempts, no_statistics
    )
    return [
        str(after + 1),
        f"{1e3 * whole:.0f}",
        f"{(whole - observing) / whole:.0%}",
        f"{max(observing - voting, 0.0) / whole:.0%}",
        f"{voting / whole:.0%}",
        f"{(searching_plainly - observing) / searching_plainly:.0%}",
    ]


def import_seconds() -> float:
    """How long a fresh process takes to import all of `booster`, at best."""
    clock = "time.perf_counter()"
    program = f"import time; t = {clock}; from booster import *; print({clock} - t)"
    command = [sys.executable, "-c", program]
    return min(float(subprocess.check_output(command, text=True)) for _ in range(TRIES))


def main() -> None:
    """Measure all and write docs/results/speed.md."""
    chosen = small()
    for algorithm in ALGORITHMS.own:
        make(algorithm, "yeast").run(parts("yeast")["X_train"][:5], parts("yeast")["Y_train"][:5])
    speeds = [speed(algorithm, name) for algorithm in ALGORITHMS.own for name in chosen]
    head = (
        "algorithm", "data set", "N", "seconds", "rounds a second", "split attempts",
        "attempts a second", "times the plain kernel",
    )  # fmt: skip
    head_shares = (
        "loop", "milliseconds", "split attempts", "statistics", "votes, costs, weights",
        "split attempts in the plain kernel",
    )  # fmt: skip
    pages = [
        _INTRODUCTION,
        provenance("make bench", f"seed 0, best of {TRIES} tries"),
        table(head, speeds),
        _WHERE,
        table(head_shares, [shares(after) for after in (0, 1, 2, 4)]),
        f"Importing `booster` takes {import_seconds():.2f} s.",
    ]
    write("speed.md", "\n\n".join(pages))


_INTRODUCTION = """# Speed

Parameters of the paper's Table 5, tree ranges of the public code for all (TopAda's own take up to
half as much time again), training rows, ten loops (full information: one). The plain kernel is the
same compiled code, except that a split attempt computes the information gain of every candidate in
turn with the library's error function and logarithms. It grows the same trees, bit for bit."""

_WHERE = """## Where the time goes

TopAda on Yeast, N = 60, one loop at a time: the time of a loop, the part that is saved if no
split is ever looked for, the further part that is saved if trees keep no statistics, and the
rest. The last column is the share of split attempts if the plain kernel makes them."""


if __name__ == "__main__":
    main()

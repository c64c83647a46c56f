"""What the order of the test rows is worth to boosters that learn from them as they come.

Run with `python -m benchmarks.row_order`. The paper's protocol ranks a test row, then learns from
it; where neighbours have the same labels, that alone makes a booster look good.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from benchmarks.datasets import parts, small
from benchmarks.report import provenance, write
from booster import ALGORITHMS
from search_spaces import tuned_parameters
from topk_tune.markup.markdown import table

SEEDS = 10
FIRST_SEED = 100
ALGORITHM = "fullada"

Job = tuple[str, bool, bool, int]


def run(job: Job) -> float:
    """The test loss of a booster, trained briefly or not, on rows in the file's order or not."""
    dataset, briefly, shuffled, seed = job
    data, parameters = parts(dataset), tuned_parameters(ALGORITHM, dataset)
    loops = parameters.pop("loops")
    X, Y = data["X_test"], data["Y_test"]
    booster = ALGORITHMS.load(ALGORITHM)(
        n_features=X.shape[1], n_labels=Y.shape[1], seed=FIRST_SEED + seed, **parameters
    )
    booster.run(data["X_train"], data["Y_train"], loops=1 if briefly else loops)
    order = np.random.default_rng(seed).permutation(len(X)) if shuffled else np.arange(len(X))
    return float(booster.run(X[order], Y[order]).loss[0])


def main() -> None:
    """Measure, and write docs/results/row_order.md."""
    datasets = small()
    ways = [(briefly, shuffled) for briefly in (False, True) for shuffled in (False, True)]
    jobs = [(d, *way, seed) for d in datasets for way in ways for seed in range(SEEDS)]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        losses = np.array(list(pool.map(run, jobs))).reshape(len(datasets), len(ways), SEEDS)
    rows = [
        [d, _alike(d), *(f"{x.mean():.3f} ± {x.std(ddof=1):.3f}" for x in cells)]
        for d, cells in zip(datasets, losses, strict=True)
    ]
    head = ["", "neighbours alike", "tuned", "tuned, shuffled", "one loop", "one loop, shuffled"]
    made = provenance(
        "python -m benchmarks.row_order", f"seeds {FIRST_SEED} to {FIRST_SEED + SEEDS - 1}"
    )
    write("row_order.md", "\n\n".join([_INTRODUCTION, table(head, rows), made]))


def _alike(dataset: str) -> str:
    labels = parts(dataset)["Y_test"]
    return f"{(labels[1:] == labels[:-1]).all(axis=1).mean():.0%}"


_INTRODUCTION = """# What the order of the test rows is worth

The paper's protocol runs over the test rows, ranking each before learning from it. Scene's file is
sorted by label, so that a row mostly has the labels of the one before: a booster that has hardly
been trained, and learns fast, follows them. That is why parameters found by protocol paper do so
well there, with one loop of training and long steps, and it is worth nothing once the rows are
shuffled. Tuned parameters may have shorter steps, and then show less of it.

FullAda with tuned parameters (`search_spaces/best/tuned.yaml`), trained for as many loops as they
say or for one, then run over the test rows in the order of the file or shuffled. *Neighbours
alike*: how often a test row has just the labels of the one before. Mean ± standard deviation."""


if __name__ == "__main__":
    main()

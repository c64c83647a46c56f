"""Loss on held-out training rows by the budget of a tree: what the default of `max_nodes` rests on.

Run with `python -m benchmarks.tree_size`. The test rows are not looked at.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np

from benchmarks.datasets import available, parts
from benchmarks.report import provenance, table, write
from booster import ALGORITHMS
from search_spaces import table5
from topk_tune.data.split import fold_rows
from topk_tune.trial import FoldedRows

FOLDS = "folds:4:0"
SEEDS = 12
SIZES = (31, 63, 127, 255, 511)
# With full information the paper has one loop, in which few trees come to such sizes.
NAMES = ("topopt", "topada")
DATASETS = ("emotions", "scene", "yeast", "m_reduced")


def run(algorithm: str, dataset: str, max_nodes: int, seed: int) -> float:
    """The loss on a part of the training rows, by the paper's protocol and with its parameters."""
    data, parameters = parts(dataset), table5(algorithm, dataset)
    fold = fold_rows(len(data["X_train"]), FOLDS)
    rows = FoldedRows(data["X_train"], data["Y_train"], fold).of(seed)
    loops = parameters.pop("loops")
    booster = ALGORITHMS[algorithm](
        n_features=rows.X.shape[1],
        n_labels=rows.Y.shape[1],
        max_nodes=max_nodes,
        seed=seed,
        **parameters,
    )
    booster.run(rows.X, rows.Y, loops=loops)
    return float(booster.run(rows.X_measure, rows.Y_measure).loss[0])


def main() -> None:
    """Run all sizes and write docs/results/tree_size.md."""
    names = available()
    cells = list(product(NAMES, [name for name in DATASETS if name in names]))
    jobs = [(*cell, size, seed) for cell in cells for size in SIZES for seed in range(SEEDS)]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        losses = np.array(list(pool.map(run, *zip(*jobs, strict=True), chunksize=SEEDS)))
    by_cell = losses.reshape(len(cells), len(SIZES), SEEDS)
    rows = [
        [f"{algorithm}, {dataset}", *(f"{x.mean():.3f} ± {x.std() / SEEDS**0.5:.3f}" for x in runs)]
        for (algorithm, dataset), runs in zip(cells, by_cell, strict=True)
    ]
    middle = np.exp(np.log(by_cell.mean(axis=2)).mean(axis=0))
    rows.append(["geometric mean", *(f"{x:.4f}" for x in middle)])
    made = provenance("python -m benchmarks.tree_size", f"seeds 0 to {SEEDS - 1}")
    head = ["max_nodes", *map(str, SIZES)]
    write("tree_size.md", "\n\n".join([_INTRODUCTION, made, table(head, rows)]))


_INTRODUCTION = f"""# Loss on held-out training rows by the budget of a tree

Parameters of the paper's Table 5, gamma 0.1, no weight cap. A quarter of the training rows is held
out, a different one from seed to seed ({FOLDS}): loops over the others, then over these, predicting
before learning; ties count as wrong. Mean and standard error over the same {SEEDS} seeds. The
default of `max_nodes` is the size with the least geometric mean."""


if __name__ == "__main__":
    main()

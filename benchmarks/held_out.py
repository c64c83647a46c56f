"""Losses on held-out training rows, side by side: for defaults and for ranges.

The test rows are not looked at.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import Any

import numpy as np

from benchmarks.datasets import parts, small
from booster import ALGORITHMS
from search_spaces import table5
from topk_tune.data.split import fold_rows
from topk_tune.trial import FoldedRows

Job = tuple[str, str, Mapping[str, Any], int]
"""An algorithm on a data set, its parameters with the loops, and a seed."""

FOLDS = "folds:4:0"
SEEDS = 12

PROTOCOL = f"""A quarter of the training rows is held out, a different one from seed to seed
({FOLDS}): loops over the others, then over these, predicting before learning; ties count as wrong.
Mean and standard error over the same {SEEDS} seeds."""


def rows_of(names: Sequence[str], variants: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """The rows of a table, one a cell, a column for each variant; the last is their mean."""
    cells = list(product(names, small()))
    jobs = [
        (algorithm, dataset, table5(algorithm, dataset) | variant, seed)
        for algorithm, dataset in cells
        for variant in variants
        for seed in range(SEEDS)
    ]
    by_cell = losses(jobs).reshape(len(cells), len(variants), SEEDS)
    for (algorithm, dataset), runs in zip(cells, by_cell, strict=True):
        yield [f"{algorithm}, {dataset}", *(spread(x) for x in runs)]
    middle = np.exp(np.log(by_cell.mean(axis=2)).mean(axis=0))
    yield ["geometric mean", *(f"{x:.4f}" for x in middle)]


def spread(runs: np.ndarray) -> str:
    """The mean and its standard error."""
    return f"{runs.mean():.3f} ± {runs.std() / len(runs) ** 0.5:.3f}"


def losses(jobs: Sequence[Job]) -> np.ndarray:
    """The loss of each job, in their order."""
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        return np.array(list(pool.map(_loss, *zip(*jobs, strict=True))))


def _loss(algorithm: str, dataset: str, parameters: Mapping[str, Any], seed: int) -> float:
    data, parameters = parts(dataset), dict(parameters)
    fold = fold_rows(len(data["X_train"]), FOLDS)
    rows = FoldedRows(data["X_train"], data["Y_train"], fold).of(seed)
    loops = parameters.pop("loops")
    booster = ALGORITHMS[algorithm](
        n_features=rows.X.shape[1], n_labels=rows.Y.shape[1], seed=seed, **parameters
    )
    booster.run(rows.X, rows.Y, loops=loops)
    return float(booster.run(rows.X_measure, rows.Y_measure).loss[0])

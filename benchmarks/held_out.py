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
from search_spaces import paper_parameters
from topk_tune.data.split import fold_rows
from topk_tune.training.training import run_trial
from topk_tune.training.trial import FoldedRows, TrialConfig

Job = tuple[str, str, Mapping[str, Any], int]
"""An algorithm on a data set, its parameters with the loops, and a seed."""

FOLDS = "folds:4:0"
SEEDS = 12

PROTOCOL = f"""A quarter of the training rows is held out, a different one from seed to seed
({FOLDS}): loops over the others, then over these, predicting before learning. The loss is that of
the ranking before exploration, ties count as wrong: at one rate of exploration what is shown
differs in nearly the same order, where few labels tie. Mean and standard error over the
same {SEEDS} seeds."""


def rows_of(names: Sequence[str], variants: Sequence[Mapping[str, Any]]) -> Iterator[list[str]]:
    """The rows of a table, one a cell, a column for each variant; the last is their mean."""
    cells = list(product(names, small()))
    jobs = [
        (algorithm, dataset, {**paper_parameters(algorithm, dataset), **variant}, seed)
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
    data = parts(dataset)
    rows = FoldedRows(data["X_train"], data["Y_train"], fold_rows(len(data["X_train"]), FOLDS))
    config = TrialConfig.of({"algorithm": algorithm, **parameters})
    (report,) = run_trial(config, seed, rows, "paper", last_only=True)
    return report.metrics["greedy_loss"]

"""What each option changes: one at a time, on common seeds, from the parameters of Table 5.

Run with `python -m benchmarks.ablation`. Measured as in the paper: loops over the training rows,
then over the test rows, predicting before learning. Nothing is picked here, so nothing is tuned
on the test rows; the searches of `topk-tune reproduce` never see these figures.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
from scipy.stats import t as student

from benchmarks.datasets import parts, small
from benchmarks.report import provenance, write
from booster import ALGORITHMS, TreeRanges
from search_spaces import paper_parameters
from topk_tune.markup.markdown import table

SEEDS = 10
GAMMA = 0.1

COMMON: dict[str, dict[str, Any]] = {
    "single swaps": {"exploration": "single-swap"},
    "weight cap 1": {"weight_cap": 1.0},
    "weight cap 10": {"weight_cap": 10.0},
    "rho 0.1": {"rho": 0.1},
    "k = 5": {"k": 5},
    "max_nodes 31": {"max_nodes": 31},
    "max_nodes 1023": {"max_nodes": 1023},
}
OPTIONS = {
    "topopt": COMMON,
    "topada": {
        **COMMON,
        "marginal": {"marginal": True},
        "step_scale 10": {"step_scale": 10.0},
        "step_scale 100": {"step_scale": 100.0},
    },
}

Job = tuple[str, str, str | None, int]


def run(job: Job) -> float:
    """The test loss of what an algorithm shows, with an option or without, for a seed."""
    algorithm, dataset, option, seed = job
    data, parameters = parts(dataset), paper_parameters(algorithm, dataset)
    if algorithm == "topopt":
        parameters["gamma"] = GAMMA
    parameters |= OPTIONS[algorithm][option] if option else {}
    loops = parameters.pop("loops")
    booster = ALGORITHMS.load(algorithm)(
        n_features=data["X_train"].shape[1],
        n_labels=data["Y_train"].shape[1],
        seed=seed,
        trees=TreeRanges(),
        **parameters,
    )
    booster.run(data["X_train"], data["Y_train"], loops=loops)
    return float(booster.run(data["X_test"], data["Y_test"]).shown_loss[0])


def change(losses: np.ndarray, base: np.ndarray) -> str:
    """The mean change on common seeds, with its 95% confidence interval; bold if it is clear."""
    difference = losses - base
    half = student.ppf(0.975, SEEDS - 1) * difference.std(ddof=1) / SEEDS**0.5
    text = f"{difference.mean():+.3f} ± {half:.3f}"
    return f"**{text}**" if abs(difference.mean()) > half else text


def section(algorithm: str, datasets: list[str], pool: ProcessPoolExecutor) -> str:
    """The table of an algorithm."""
    options: list[str | None] = [None, *OPTIONS[algorithm]]
    jobs = [(algorithm, d, o, seed) for o in options for d in datasets for seed in range(SEEDS)]
    losses = np.array(list(pool.map(run, jobs))).reshape(len(options), len(datasets), SEEDS)
    base = [f"{cell.mean():.3f} ± {cell.std(ddof=1):.3f}" for cell in losses[0]]
    rows = [["Table 5, loss ± standard deviation", *base]]
    for option, cells in zip(OPTIONS[algorithm], losses[1:], strict=True):
        rows.append(
            [option, *(change(cell, first) for cell, first in zip(cells, losses[0], strict=True))]
        )
    return f"## {algorithm}\n\n{table(['option', *datasets], rows)}"


def main() -> None:
    """Measure, and write docs/results/ablation.md."""
    datasets = small()
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        sections = [section(algorithm, datasets, pool) for algorithm in OPTIONS]
    seeds = f"seeds 0 to {SEEDS - 1}; TopOpt with gamma {GAMMA}"
    made = provenance("python -m benchmarks.ablation", seeds)
    write("ablation.md", "\n\n".join([_INTRODUCTION, *sections, made]))


_INTRODUCTION = """# What each option changes

Parameters of the paper's Table 5 and, for both algorithms, the tree ranges of the public code; one
option changed at a time; the paper's protocol; weighted rank loss of what is shown on the test
rows, exploration included. What tie thresholds change is in [tie_threshold.md](tie_threshold.md),
on held-out training rows.

Each figure is the mean change over ten common seeds with its 95% confidence interval (paired t):
bold where it excludes no change. With so many figures one or two in bold are chance. `rho 0.1` is
more exploration, `k = 5` is more feedback and another task."""


if __name__ == "__main__":
    main()

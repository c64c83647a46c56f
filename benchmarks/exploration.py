"""Exploration that stays and exploration that fades, on held-out training rows.

Run with `python -m benchmarks.exploration`. The test rows are not looked at.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import Any

import numpy as np

from benchmarks.datasets import parts, small
from benchmarks.held_out import FOLDS, spread
from benchmarks.report import provenance, write
from search_spaces import tuned_parameters
from topk_tune.data.split import fold_rows
from topk_tune.markup.markdown import table
from topk_tune.reproduce.paper import TITLES
from topk_tune.training.training import run_trial
from topk_tune.training.trial import FoldedRows, TrialConfig

SEEDS = 4
ALGORITHMS = ("topopt", "topada")
END = 0.002

VARIANTS: dict[str, dict[str, Any]] = {
    **{f"constant {rho}": {"schedule": "constant", "rho": rho} for rho in (0.03, 0.1)},
    **{
        f"explore first {rho}": {"schedule": "explore_first", "rho": rho} for rho in (0.3, 0.6, 0.9)
    },
    **{
        f"{name} from 0.9": {"schedule": name, "rho": 0.9}
        for name in ("linear", "geometric", "power")
    },
    "explore first 0.9, weights at most 20": {
        "schedule": "explore_first",
        "rho": 0.9,
        "least_probability": 0.05,
    },
}


def run(algorithm: str, dataset: str, variant: Mapping[str, Any], seed: int) -> tuple[float, float]:
    """What is shown on held-out rows after training, and what training itself showed."""
    data = parts(dataset)
    fold = fold_rows(len(data["X_train"]), FOLDS)
    rows = FoldedRows(data["X_train"], data["Y_train"], fold)
    found = {**tuned_parameters(algorithm, dataset), "least_probability": 0.005, "rho_end": END}
    config = TrialConfig.of({"algorithm": algorithm, **found, **variant})
    (report,) = run_trial(config, seed, rows, "read-only", last_only=True)
    return report.metrics["shown_loss"], report.metrics["stream_loss"]


def main() -> None:
    """Run all schedules and write docs/results/exploration.md."""
    cells = list(product(ALGORITHMS, small()))
    jobs = [
        (algorithm, dataset, variant, seed)
        for algorithm, dataset in cells
        for variant in VARIANTS.values()
        for seed in range(SEEDS)
    ]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        results = np.array(list(pool.map(run, *zip(*jobs, strict=True))))
    by_cell = results.reshape(len(cells), len(VARIANTS), SEEDS, 2)
    head = ["exploration", *(TITLES[dataset] for dataset in small())]
    pages = [
        _INTRODUCTION,
        provenance("python -m benchmarks.exploration", f"seeds 0 to {SEEDS - 1}"),
    ]
    for algorithm in ALGORITHMS:
        mine = [runs for cell, runs in zip(cells, by_cell, strict=True) if cell[0] == algorithm]
        rows = [
            [name, *(f"{spread(runs[i, :, 0])} ({runs[i, :, 1].mean():.2f})" for runs in mine)]
            for i, name in enumerate(VARIANTS)
        ]
        pages += [f"## {TITLES[algorithm]}", table(head, rows)]
    write("exploration.md", "\n\n".join(pages))


_INTRODUCTION = f"""# Exploration that stays, and exploration that fades

A quarter of the training rows is held out, a different one from seed to seed ({FOLDS}). The loss is
that of what is shown on these rows after training on the others, exploration included: at the
constant rate, or at {END}, to which the others have come down by then. Mean and standard error over
seeds; in brackets what the training itself showed, averaged over its rounds. All other parameters
are those of `search_spaces/best/tuned.yaml`, but that explored pairs weigh up to 200 in all rows
except the last. They were found with *explore first*: a comparison of schedules that are each tuned
may come out closer."""


if __name__ == "__main__":
    main()

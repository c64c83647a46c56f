"""Which constant rate of exploration a search picks that is charged for exploring.

Run with `python -m benchmarks.constant_rho`. The test rows are not looked at.
"""

from __future__ import annotations

from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.datasets import small
from benchmarks.report import provenance, write
from search_spaces import paper_parameters
from topk_tune import tune
from topk_tune.markup.markdown import table
from topk_tune.records.trials import TrialRecord
from topk_tune.reproduce.paper import TITLES
from topk_tune.spaces import Fixed, Float, Parameter, Space

TRIALS = 20
SEEDS = 4
RANGE = (0.003, 0.5)


def searched(algorithm: str, dataset: str, folder: str) -> list[TrialRecord]:
    """All trials of a search for rho alone, all else as in the paper's Table 5."""
    picked: dict[str, Any] = {
        "algorithm": algorithm,
        "paper": True,
        **paper_parameters(algorithm, dataset),
    }
    parameters: dict[str, Parameter] = {name: Fixed(value) for name, value in picked.items()}
    study = tune(
        dataset,
        space=Space(parameters | {"rho": Float(*RANGE, log=True)}),
        trials=TRIALS,
        seeds=SEEDS,
        holdout=f"folds:{SEEDS}:0",
        pruner="none",
        name=f"{dataset}-{algorithm}",
        storage=folder,
        backend="local",
        track=False,
        progress=False,
        like="none",
    )
    return study.records()


def row(algorithm: str, dataset: str, folder: str) -> list[str]:
    """A line of the table: what was picked, and how far a rate may be from it at little cost."""
    records = searched(algorithm, dataset, folder)
    values = {r.config["rho"]: r.value for r in records if r.value is not None}
    best = min(values, key=values.__getitem__)
    near = [rho for rho, value in values.items() if value <= values[best] + 0.005]
    most = values[max(values)]
    return [
        TITLES[algorithm],
        TITLES[dataset],
        f"{paper_parameters(algorithm, dataset)['rho']:g}",
        f"{best:.3f}",
        f"{min(near):.3f} to {max(near):.3f}",
        f"{values[best]:.3f}",
        f"{most:.3f} at {max(values):.2f}",
    ]


def main() -> None:
    """Search every cell and write docs/results/constant_rho.md."""
    with TemporaryDirectory() as folder:
        rows = [row(a, d, folder) for a in ("topopt", "topada") for d in small()]
    ratios = [float(line[3]) / float(line[2]) for line in rows]
    head = ("", "", "paper's rho", "picked", "within 0.005", "its loss", "loss of most exploration")
    made = provenance("python -m benchmarks.constant_rho", "study seed 0, seeds 0 to 3")
    closing = (
        f"What was picked is {min(ratios):.1f} to {max(ratios):.1f} times the paper's, "
        f"{np.exp(np.mean(np.log(ratios))):.1f} times in the geometric mean."
    )
    write("constant_rho.md", "\n\n".join([_INTRODUCTION, made, table(head, rows), closing]))


_INTRODUCTION = f"""# The constant rate of exploration that a search picks

{TRIALS} trials of TPE by the loss of what is shown, on held-out training rows
(folds:{SEEDS}:0). Only rho is searched, from {RANGE[0]} to {RANGE[1]} on a logarithmic scale: all
else is the paper's algorithm with the parameters of its Table 5, gamma 0.1. *within 0.005*: the
rates that were tried whose loss is at most that much above the least."""


if __name__ == "__main__":
    main()

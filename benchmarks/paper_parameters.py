"""The paper's Tables 1 and 2 again, by its own protocol, with the parameters of its Table 5.

Loops over the training rows, then one run over the test rows, predicting before learning; the
mean of ten seeds. The paper does not say which gamma it took in a cell: it is chosen
here, a cell at a time, and shown.
"""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from benchmarks.datasets import parts, small
from benchmarks.report import provenance, table, write
from booster import ALGORITHMS
from search_spaces import table5
from topk_tune.reproduce.paper import LOSSES

SEEDS = 10
MANY = 100
SLACK = 0.01

NAMES = {
    "topopt": ("topopt", "uniform"),
    "topada": ("topada", "uniform"),
    "fullopt": ("fullopt", None),
    "fullada": ("fullada", None),
    "topopt-s": ("topopt", "single-swap"),
    "topada-s": ("topada", "single-swap"),
}

# Picked by test loss, as the paper picks, on four seeds (100 to 103) that are not reported.
CHOSEN: dict[str, dict[str, dict[str, float]]] = {
    "topopt": {
        "emotions": {"gamma": 0.2},
        "scene": {"gamma": 0.1},
        "yeast": {"gamma": 0.05},
        "m_reduced": {"gamma": 0.4},
    },
    "fullopt": {
        "emotions": {"gamma": 0.02},
        "scene": {"gamma": 0.02},
        "yeast": {"gamma": 0.02},
        "m_reduced": {"gamma": 0.02},
    },
}


@dataclass(frozen=True)
class Cell:
    """One algorithm on one data set; a name that ends in -s explores by single swaps."""

    name: str
    dataset: str

    @property
    def algorithm(self) -> str:
        return self.name.removesuffix("-s")

    @property
    def chosen(self) -> dict[str, float]:
        return CHOSEN.get(self.algorithm, {}).get(self.dataset, {})

    @property
    def paper(self) -> float:
        return LOSSES[NAMES[self.name]][self.dataset]

    def parameters(self) -> dict[str, Any]:
        parameters = table5(self.algorithm, self.dataset) | self.chosen
        if self.name.endswith("-s"):
            parameters["exploration"] = "single-swap"
        return parameters


def run(cell: Cell, seed: int) -> tuple[float, float, float]:
    """The test loss, with ties as wrong and as half wrong, and that of the rankings shown."""
    data, parameters = parts(cell.dataset), cell.parameters()
    loops = parameters.pop("loops")
    booster = ALGORITHMS[cell.algorithm](
        n_features=data["X_train"].shape[1],
        n_labels=data["Y_train"].shape[1],
        seed=seed,
        **parameters,
    )
    booster.run(data["X_train"], data["Y_train"], loops=loops)
    test = booster.run(data["X_test"], data["Y_test"])
    return test.loss[0], test.loss[0] - test.ties[0] / 2, test.shown_loss[0]


def row(cell: Cell, runs: np.ndarray) -> list[str]:
    """A line of the table."""
    mean, deviation = runs.mean(axis=0), runs.std(axis=0)
    difference = mean[0] - cell.paper
    chosen = ", ".join(f"{name} {value:g}" for name, value in cell.chosen.items())
    return [
        cell.dataset,
        f"{cell.paper:.2f}",
        f"{mean[0]:.3f} ± {deviation[0]:.3f}",
        f"{difference:+.3f}" + ("" if difference <= SLACK else " (worse)"),
        f"{mean[1]:.3f}",
        f"{mean[2]:.3f}",
        chosen or "-",
    ]


HEAD = ("data set", "paper", "ours", "difference", "ties half wrong", "shown", "chosen")


def run_all(pool: ProcessPoolExecutor, cells: list[Cell], seeds: int) -> list[np.ndarray]:
    """What `run` returns, by seed, for each cell."""
    jobs = [(cell, seed) for cell in cells for seed in range(seeds)]
    results = np.array(list(pool.map(run, *zip(*jobs, strict=True))))
    return list(results.reshape(len(cells), seeds, -1))


def noisiest(pool: ProcessPoolExecutor) -> str:
    """The cell of the largest spread again, over many seeds, ten of which say little."""
    runs = run_all(pool, [Cell("topada", "emotions")], MANY)[0][:, 0]
    tens = runs.reshape(-1, SEEDS).mean(axis=1)
    return (
        f"TopAda on Emotions has the largest spread. Over {MANY} seeds its mean is "
        f"{runs.mean():.4f} with a standard error of {runs.std(ddof=1) / MANY**0.5:.4f}; means of "
        f"ten seeds in a row range from {tens.min():.3f} to {tens.max():.3f}."
    )


def main() -> None:
    """Run all cells at hand and write docs/results/paper_parameters.md."""
    datasets = small()
    cells = [Cell(name, dataset) for name, dataset in product(NAMES, datasets)]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        results = run_all(pool, cells, SEEDS)
        closing = noisiest(pool) if "emotions" in datasets else ""
    pages = [_INTRODUCTION, provenance("make results", f"seeds 0 to {SEEDS - 1}")]
    for name in NAMES:
        chosen = zip(cells, results, strict=True)
        rows = [row(cell, runs) for cell, runs in chosen if cell.name == name]
        pages += [f"## {name}", table(HEAD, rows)]
    write("paper_parameters.md", "\n\n".join([*pages, closing]))


_INTRODUCTION = """# The paper's Tables 1 and 2, by its own protocol

Parameters of the paper's Table 5 (full information: N = 100, one loop), k = 3; loops over the
training rows, then the average weighted rank loss over the test rows, predicting before
learning. Mean and standard deviation over ten seeds. `-s` is single-swap exploration.

- *ours* counts a tie of a relevant with an irrelevant label as wrong, as the definition of the loss
  does; *ties half wrong* as the public code of the full-information paper does. Which of the two
  the paper's tables use is not known.
- *shown* is the loss of the rankings that were shown, exploration included.
- *chosen* was picked by test loss on other seeds, because the paper does not give gamma. What is
  tuned on test rows is flattering: these figures are for comparison with the paper only. The
  default budget of 255 nodes a tree, which is not the paper's, was first chosen by test losses too,
  reported seeds among them; held-out training rows choose the same (tree_size.md).
- The ranges of tie thresholds, in which TopAda and the full-information algorithms differ from the
  public code, were chosen on held-out training rows (tie_threshold.md)."""


if __name__ == "__main__":
    main()

"""The paper's Tables 1 to 3 again: its algorithm, its protocol, the parameters of its Table 5.

Loops over the training rows, then one run over the test rows, predicting before learning; the
loss is that of what is shown, exploration included, as in Algorithm 1. The paper does not say
which gamma it took in a cell: the one of its set with the least test loss, on seeds that are not
reported, is taken here, as the paper took it, and shown.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from benchmarks.datasets import available, parts
from benchmarks.report import provenance, write
from booster import ALGORITHMS, TreeRanges
from booster.parameters import MOST
from search_spaces import paper_parameters
from topk_tune.markup.markdown import table
from topk_tune.reproduce.paper import LOSSES, SPREADS, TITLES

SEEDS = range(10)
CHOOSING = range(100, 104)
GAMMAS = (0.1, 0.2, 0.3, 0.4)
CLOSE = 0.02


_PAPER = {"paper": True}
_OURS = {"max_nodes": MOST, "trees": TreeRanges()}
"""The same, but for how ties are ranked."""


@dataclass(frozen=True)
class Cell:
    """One algorithm on one data set."""

    algorithm: str
    exploration: str | None
    dataset: str
    gamma: float | None = None
    prior: bool = False
    """Whether ties are ranked by relevance: all else is the paper's."""

    @property
    def title(self) -> str:
        """As in the paper's Table 2: -S explores by single swaps."""
        return TITLES[self.algorithm] + ("-S" if self.exploration == "single-swap" else "")

    @property
    def paper(self) -> float:
        return LOSSES[self.algorithm, self.exploration][self.dataset]

    @property
    def paper_spread(self) -> float | None:
        """Only of uniform exploration."""
        return SPREADS.get(self.algorithm, {}).get(self.dataset) if not self.swaps else None

    @property
    def swaps(self) -> bool:
        return self.exploration == "single-swap"

    def parameters(self) -> dict[str, Any]:
        parameters = paper_parameters(self.algorithm, self.dataset) | (
            _OURS if self.prior else _PAPER
        )
        if self.exploration is not None:
            parameters["exploration"] = self.exploration
        return parameters if self.gamma is None else parameters | {"gamma": self.gamma}


def run(cell: Cell, seed: int) -> tuple[float, float]:
    """The test loss of what is shown, and of the ranking before exploration."""
    data, parameters = parts(cell.dataset), cell.parameters()
    loops = parameters.pop("loops")
    booster = ALGORITHMS.load(cell.algorithm)(
        n_features=data["X_train"].shape[1],
        n_labels=data["Y_train"].shape[1],
        seed=seed,
        **parameters,
    )
    booster.run(data["X_train"], data["Y_train"], loops=loops)
    test = booster.run(data["X_test"], data["Y_test"])
    return test.shown_loss[0], test.loss[0]


def run_all(
    pool: ProcessPoolExecutor, cells: Sequence[Cell], seeds: Sequence[int]
) -> dict[Cell, np.ndarray]:
    """What `run` returns, by seed, for each cell."""
    jobs = [(cell, seed) for cell in cells for seed in seeds]
    results = np.array(list(pool.map(run, *zip(*jobs, strict=True))))
    return dict(zip(cells, results.reshape(len(cells), len(seeds), -1), strict=True))


def with_gamma(pool: ProcessPoolExecutor, cells: Sequence[Cell]) -> list[Cell]:
    """The cells, each with the best gamma of the paper's set if it takes one."""
    tried = [
        replace(cell, gamma=gamma)
        for cell in cells
        if cell.algorithm.endswith("opt")
        for gamma in GAMMAS
    ]
    losses = {cell: runs[:, 0].mean() for cell, runs in run_all(pool, tried, CHOOSING).items()}
    chosen = {}
    for cell in sorted(tried, key=losses.__getitem__, reverse=True):
        chosen[replace(cell, gamma=None)] = cell
    return [chosen.get(cell, cell) for cell in cells]


HEAD = (
    "", "", "paper", "shown", "difference", "greedy", "gamma", "ties by relevance", "difference"
)  # fmt: skip


def row(cell: Cell, runs: np.ndarray, other: np.ndarray | None) -> list[str]:
    """A line of the table; `other` with ties by relevance."""
    mean, deviation = runs.mean(axis=0), runs.std(axis=0, ddof=1)
    difference = mean[0] - cell.paper
    spread = "" if cell.paper_spread is None else f" ± {cell.paper_spread:.4f}"
    return [
        cell.title,
        TITLES[cell.dataset],
        f"{cell.paper:.2f}{spread}",
        f"{mean[0]:.3f} ± {deviation[0]:.4f}",
        _difference(difference),
        f"{mean[1]:.3f}",
        "-" if cell.gamma is None else f"{cell.gamma:g}",
        "-" if other is None else f"{other[:, 0].mean():.3f} ± {other[:, 0].std(ddof=1):.4f}",
        "-" if other is None else _difference(other[:, 0].mean() - cell.paper),
    ]


def _difference(value: float) -> str:
    return f"{value:+.3f}" + ("" if abs(value) <= CLOSE else " (!)")


def _near(results: Mapping[Cell, np.ndarray]) -> int:
    return sum(abs(runs[:, 0].mean() - cell.paper) <= CLOSE for cell, runs in results.items())


def main() -> None:
    """Run all cells at hand and write docs/results/paper_parameters.md."""
    cells = [
        Cell(algorithm, exploration, dataset)
        for (algorithm, exploration), losses in LOSSES.items()
        for dataset in losses
        if dataset in available()
    ]
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        chosen = with_gamma(pool, cells)
        results = run_all(pool, chosen, SEEDS)
        tied = [replace(cell, prior=True) for cell in chosen if cell.exploration is not None]
        others = run_all(pool, tied, SEEDS)
    rows = [row(c, runs, others.get(replace(c, prior=True))) for c, runs in results.items()]
    top = [(cell, runs) for cell, runs in results.items() if cell.exploration is not None]
    near = _near(dict(top))
    nearer = sum(
        abs(runs[:, 0].mean() - cell.paper) <= abs(runs[:, 1].mean() - cell.paper)
        for cell, runs in top
    )
    counted = (
        f"Of {len(top)} cells with top-k feedback {near} are within {CLOSE} of the paper, and "
        f"{_near(others)} with ties by relevance; in {nearer} the loss of what is shown is at "
        "least as near to the paper as that before exploration."
    )
    made = provenance(
        "python -m benchmarks.paper_parameters",
        f"seeds {SEEDS[0]} to {SEEDS[-1]}, gamma chosen on {CHOOSING[0]} to {CHOOSING[-1]}",
    )
    write("paper_parameters.md", "\n\n".join([_INTRODUCTION, made, table(HEAD, rows), counted]))


_INTRODUCTION = """# The paper's Tables 1 to 3, with its algorithm, parameters and protocol

`paper=True` and the parameters of the paper's Table 5 (full information: N = 100, one loop), k = 3:
ties by label, trees of any size that draw from the ranges of the public code, probabilities
clipped to [0.005, 0.995], constant exploration. Loops over the training rows, then the average
weighted rank loss over the test rows, predicting before learning. Mean and standard deviation
over ten seeds. `-S` is single-swap exploration, for which the paper tuned anew and does not give
its parameters: those of uniform exploration are taken.

- *shown* is the expected loss of what is shown, exploration included: what the booster suffers in
  the paper's Algorithm 1. *greedy* is the loss of the ranking before exploration, where a tie is a
  wrong pair.
- *ties by relevance* is *shown* with one thing of ours: labels of equal scores are ranked by how
  often they were relevant when seen, not by their number. With 101 labels and feedback on three,
  a fifth to a third of TopAda's pairs tie on M-reduced. By number its loss is far from the
  paper's, by relevance close to it: the authors' code probably ranked ties in another way.
- A cell is marked (!) if it is more than 0.02 off. What is known to differ from the paper's code:
  TopOpt's potentials are exact here, and sampled there. TopAda's standard deviation on Emotions is
  0.03 in the paper too.
- *gamma* is that of the paper's set, 0.1 to 0.4, with the least test loss on other seeds: the paper
  chooses on the test rows too, and does not say what it picked.
- The paper's clipping biases pairs that are seen by exploring only: with 101 labels at every rate,
  with Yeast's 14 below a rate of 0.152."""


if __name__ == "__main__":
    main()

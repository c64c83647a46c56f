"""Loss on held-out training rows next to tuned parameters: what ranges of data sets rest on.

Run with `python -m benchmarks.ranges`. The test rows are not looked at.
"""

from __future__ import annotations

import numpy as np

from benchmarks.datasets import available
from benchmarks.held_out import FOLDS, losses, spread
from benchmarks.report import provenance, write
from search_spaces import tuned_parameters
from topk_tune.markup.markdown import table

CHANGES: tuple[tuple[str, str, str, tuple[int, ...]], ...] = (
    ("topada", "emotions", "n_learners", (100, 200, 300)),
    ("topopt", "yeast", "n_learners", (50, 100, 200)),
    ("topada", "yeast", "n_learners", (50, 100, 200)),
    ("fullopt", "emotions", "n_covariates", (20, 40, 80)),
    ("fullada", "emotions", "n_covariates", (20, 40, 80)),
    ("fullopt", "scene", "n_covariates", (20, 40, 80)),
    ("fullada", "scene", "n_covariates", (20, 40, 80)),
    ("fullopt", "mediamill", "max_nodes", (255, 1023)),
    ("fullada", "mediamill", "max_nodes", (255, 1023)),
)
"""An algorithm, a data set, a parameter, and what it is changed to."""

MOST = max(len(values) for *_, values in CHANGES)

SEEDS, FEW = 8, 2
"""And with how many Mediamill has to do, on which a seed is worth more and takes longer."""


def main() -> None:
    """Run all changes and write docs/results/ranges.md."""
    here = [change for change in CHANGES if change[1] in available()]
    seeds = [FEW if dataset == "mediamill" else SEEDS for _, dataset, _, _ in here]
    jobs = [
        (algorithm, dataset, tuned_parameters(algorithm, dataset) | {name: value}, seed)
        for (algorithm, dataset, name, values), count in zip(here, seeds, strict=True)
        for value in values
        for seed in range(count)
    ]
    found = iter(losses(jobs))
    rows = []
    for (algorithm, dataset, name, values), count in zip(here, seeds, strict=True):
        cells = []
        for value in values:
            runs = np.array([next(found) for _ in range(count)])
            cells.append(f"{value:,}: {spread(runs)}")
        rows.append([f"{algorithm}, {dataset}", name, *cells, *[""] * (MOST - len(cells))])
    head = ["", "parameter", "loss", *[""] * (MOST - 1)]
    made = provenance("python -m benchmarks.ranges", f"seeds 0 to {SEEDS - 1}, Mediamill {FEW}")
    write("ranges.md", "\n\n".join([_INTRODUCTION, made, table(head, rows)]))


_INTRODUCTION = f"""# Loss on held-out training rows next to tuned parameters

Ranges of the search that differ by data set (`search_spaces/*.yaml`) rest on comparisons such as
these: the tuned parameters (`search_spaces/best/tuned.yaml`) with one of them changed.

A quarter of the training rows is held out, a different one from seed to seed ({FOLDS}): loops over
the others, then over these, predicting before learning. The
loss is that of the ranking before exploration, ties count as wrong. Mean and standard
error over common seeds. Emotions has 72 features: 80 are all of them."""


if __name__ == "__main__":
    main()

"""What was added since the paper's options, each taken away or turned on alone, on held-out rows.

Run with `python -m benchmarks.additions`. The test rows are not looked at.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from typing import Any

import numpy as np
from scipy.stats import t as student

from benchmarks.report import provenance, write
from topk_tune.data import load
from topk_tune.data.split import fold_rows
from topk_tune.markup.markdown import table
from topk_tune.reproduce.first_configs import most_exploring
from topk_tune.reproduce.outcomes import HOLDOUT
from topk_tune.training.training import run_trial
from topk_tune.training.trial import FoldedRows, TrialConfig

SEEDS = 10
ALGORITHM = "topada"
DATASETS = ("emotions", "scene", "yeast", "m_reduced", "enron")
SIZE = {"loops": 10, "n_learners": 50}
WORDS: dict[str, Any] = {"observer": "binary", "n_covariates": 0.1, "max_nodes": 31}
"""What the space for documents has; enron has 1,001 words."""

VARIANTS: dict[str, dict[str, Any]] = {
    "constant exploration, 0.03": {"schedule": "constant", "rho": 0.03},
    "exploration fades from the first round": {"schedule": "geometric"},
    "20 covariates": {"n_covariates": 20},
    "30% of the features as covariates": {"n_covariates": 0.3},
    "observer gaussian": {"observer": "gaussian"},
    "observer sparse": {"observer": "sparse"},
    "leaves vote by naive Bayes, observer sparse": {"leaves": "bayes", "observer": "sparse"},
    "trees of at most 1 MB together": {"max_bytes": 1_000_000},
}


def base(dataset: str) -> dict[str, Any]:
    """A start of the searches in round figures, which explores first."""
    ending = {"schedule": "explore_first", "rho_end": 0.002, "observer": "gaussian"}
    found = most_exploring(ALGORITHM) | ending | {"exploration": "uniform", "k": 3} | SIZE
    return found | (WORDS if dataset == "enron" else {})


def run(dataset: str, variant: Mapping[str, Any], seed: int) -> float:
    """The loss of what is shown on the held-out rows of a seed."""
    data = load(dataset)
    fold = fold_rows(data.X_train.shape[0], HOLDOUT)
    rows = FoldedRows(data.X_train, data.Y_train, fold)
    config = TrialConfig.of({"algorithm": ALGORITHM, **base(dataset), **variant})
    (report,) = run_trial(config, seed, rows, "read-only", last_only=True)
    return report.metrics["shown_loss"]


def change(losses: np.ndarray, first: np.ndarray) -> str:
    """The mean change on common seeds, with its 95% confidence interval; bold if it is clear."""
    difference = losses - first
    half = student.ppf(0.975, SEEDS - 1) * difference.std(ddof=1) / SEEDS**0.5
    text = f"{difference.mean():+.4f} ± {half:.4f}"
    return f"**{text}**" if abs(difference.mean()) > half else text


def is_of(dataset: str, variant: Mapping[str, Any]) -> bool:
    """Whether a variant differs from what it is compared with."""
    found = base(dataset)
    return any(found.get(name) != value for name, value in variant.items())


def main() -> None:
    """Measure, and write docs/results/additions.md."""
    wanted = [{}, *VARIANTS.values()]
    jobs = [
        (dataset, variant, seed)
        for variant, dataset in product(wanted, DATASETS)
        if not variant or is_of(dataset, variant)
        for seed in range(SEEDS)
    ]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(run, *zip(*jobs, strict=True)))
    losses: dict[tuple[str, str], list[float]] = {}
    for (dataset, variant, _), loss in zip(jobs, found, strict=True):
        losses.setdefault((dataset, str(variant)), []).append(loss)
    firsts = {dataset: np.array(losses[dataset, "{}"]) for dataset in DATASETS}
    spreads = [f"{x.mean():.4f} ± {x.std(ddof=1):.4f}" for x in firsts.values()]
    rows = [["loss ± standard deviation", *spreads]]
    for name, variant in VARIANTS.items():
        cells = [losses.get((dataset, str(variant))) for dataset in DATASETS]
        texts = [
            change(np.array(cell), firsts[dataset]) if cell else "--"
            for dataset, cell in zip(DATASETS, cells, strict=True)
        ]
        rows.append([name, *texts])
    made = provenance("python -m benchmarks.additions", f"seeds 0 to {SEEDS - 1}")
    write("additions.md", "\n\n".join([_INTRODUCTION, table(["change", *DATASETS], rows), made]))


_INTRODUCTION = f"""# What each addition changes, on held-out rows

TopAda with feedback on three labels, {SIZE["n_learners"]} learners and {SIZE["loops"]} loops, from
a start of the searches in round figures: it explores first at 0.9, and at 0.002 afterwards.
Learners see 20 features and observe Gaussians; on enron, as the space for documents has it, 10% of
the words, which they observe as zero or not, in trees of at most 31 nodes. One thing is changed at
a time.

A quarter of the training rows is held out, a different one from seed to seed ({HOLDOUT}). The loss
is that of what is shown on these rows after training, exploration included, without learning from
them. Each figure is the mean change over {SEEDS} common seeds with its 95% confidence interval
(paired t): bold where it excludes no change; lower is better. With so many figures one or two in
bold are chance. A dash is what is compared with. Nothing is tuned to either side of a
comparison."""


if __name__ == "__main__":
    main()

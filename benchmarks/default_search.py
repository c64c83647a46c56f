"""The default search on every published data set, beside ranking by label frequency.

Run with `python -m benchmarks.default_search`. Studies in its folder are not searched again, so
remove one whose search was interrupted. Whoever runs
`topk-tune run --dataset X` and `confirm` gets such a figure, so it must be better than a ranking
that needs no features.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from benchmarks.report import provenance, write
from topk_tune import tune
from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import load
from topk_tune.markup.markdown import table
from topk_tune.storage import Location
from topk_tune.study.confirm import confirm
from topk_tune.study.study import Study
from topk_tune.training.baselines import baselines
from topk_tune.training.trial import test_rows

STUDIES = Path("build") / "default_search"
DATASETS = (
    "emotions",
    "scene",
    "yeast",
    "m_reduced",
    "enron",
    "bibtex",
    "documents:rows=4000,dim=2000,m=983",
    "mediamill",
)
TRIALS, FINALISTS, SEEDS = 50, 3, 5
"""What is spent on a data set, fixed before the first search."""


def searched(dataset: str) -> Study:
    """The study of a data set, with the defaults; a new one if there is none."""
    name = dataset.partition(":")[0]
    if (STUDIES / name).is_dir():
        return Study.open(Location.of(str(STUDIES)), name)
    return tune(
        dataset,
        trials=TRIALS,
        name=name,
        storage=str(STUDIES),
        backend="local",
        track=False,
        progress=False,
        like="none",
    )


def row(dataset: str) -> list[str]:
    """A line of the table."""
    began = time.monotonic()
    study = searched(dataset)
    best = confirm(study, FINALISTS, SEEDS, ResourceOptions("local"))[0]
    study.store.close()
    (frequency,) = [each.loss for each in baselines(test_rows(load(dataset)), more=False)]
    losses = [run.reports[-1].metrics for run in best.runs]
    shown = [each["shown_loss"] for each in losses]
    frozen = [each["frozen/shown_loss"] for each in losses]
    worse = sum(loss > frequency for loss in frozen)
    line = [
        dataset,
        *(f"{np.mean(each):.4f} ± {np.std(each, ddof=1):.4f}" for each in (shown, frozen)),
        f"{frequency:.4f}",
        f"{worse} of {len(frozen)}",
    ]
    print(" | ".join([*line, f"{time.monotonic() - began:.0f} s"]), flush=True)
    return line


def main() -> None:
    """Search, test and write docs/results/default_search.md."""
    made = provenance("python -m benchmarks.default_search", f"study seed 0, {SEEDS} fresh seeds")
    head = ("", "shown loss", "frozen", "label frequency", "seeds above it")
    write(
        "default_search.md",
        "\n\n".join([_INTRODUCTION, made, table(head, [row(each) for each in DATASETS])]),
    )


_INTRODUCTION = f"""# The default search on every data set

`topk-tune run --dataset X --like none` with its defaults (TopAda, k = 3, {TRIALS} trials on
held-out training rows), then `topk-tune confirm --top {FINALISTS} --seeds {SEEDS}`. Without
`--like none`, a search begins with configurations that did well on other data sets; here it had to
find them. *Shown loss*: of what is shown on the test rows while the booster learns from them;
*frozen*: without learning from them. Mean and standard deviation over seeds. Label frequency ranks
the labels that are most frequent in the training rows first, and does not look at a row."""


if __name__ == "__main__":
    main()

"""What a study begins with, on data sets that this was not learned from.

Run with `python -m benchmarks.warm_starts`, after `python -m benchmarks.crossed`, whose random
configurations are the comparison. The test rows are not looked at.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from statistics import mean, median
from typing import Any

import numpy as np

from benchmarks.crossed import ALGORITHMS, DATASETS, RAW, SEEDS, data_of, losses, space_of, trained
from benchmarks.report import provenance, write
from topk_tune.markup.markdown import table
from topk_tune.records.settings import StudySettings
from topk_tune.study.like import Like, begin_like

MARKS = (1, 2, 4, 6)
RELATED = {"m_reduced": ("m_reduced", "mediamill")}
"""Data sets with rows in common, which are left out together."""

JUDGED = 4
"""How many first configurations are compared with a number of random ones."""

DRAWS = 4000


def started_with(algorithm: str, dataset: str) -> list[dict[str, Any]]:
    """The configurations that a study would begin with if the data set were new."""
    data = data_of(dataset)
    space = space_of(algorithm, dataset).to_dict()
    given = {"name": dataset, "dataset": dataset, "fingerprint": data.fingerprint, "space": space}
    settings = StudySettings.model_validate(given)
    without = RELATED.get(dataset, (dataset,))
    return list(begin_like(settings, Like(shipped=True), data, without=without).first)


def loss_of(config: dict[str, Any], dataset: str) -> float:
    """The mean loss over the seeds of the algorithm, made once."""
    seeds = SEEDS[config["algorithm"]]
    return mean(_made(json.dumps([dataset, seed, config])) for seed in seeds)


def random_losses(algorithm: str, dataset: str) -> list[float]:
    """The losses of the random configurations."""
    return [each[dataset] for name, each in losses(algorithm).items() if name.isdecimal()]


def rows_of(algorithm: str, dataset: str) -> list[list[str]]:
    """The rows of a table: what was begun with, then random configurations."""
    ours = [loss_of(config, dataset) for config in started_with(algorithm, dataset)]
    random = random_losses(algorithm, dataset)
    name, least, middle = f"{algorithm}, {dataset}", min(random), median(random)
    expected = _expected(random)
    marks = [f"{expected[n - 1]:.4f}" for n in MARKS]
    worth = _worth(min(ours[:JUDGED]), expected)
    return [
        [name, "warm start", *(f"{min(ours[:n]):.4f}" for n in MARKS), "", "", worth],
        ["", "random", *marks, f"{middle:.4f}", f"{least:.4f} ({len(random)})", ""],
    ]


def _expected(random: Sequence[float]) -> list[float]:
    """The expected best of one random configuration, of two, and so on."""
    rng = np.random.default_rng(0)
    orders = rng.permuted(np.tile(random, (DRAWS, 1)), axis=1)
    return [float(value) for value in np.minimum.accumulate(orders, axis=1).mean(axis=0)]


def _worth(loss: float, expected: Sequence[float]) -> str:
    """How many random configurations reach a loss on average."""
    reached = sum(value > loss for value in expected) + 1
    return str(reached) if reached <= len(expected) else f"over {len(expected)}"


@cache
def _made(job: str) -> float:
    path = RAW / "warm_starts.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    known = dict(json.loads(line) for line in lines)
    if job not in known:
        dataset, seed, config = json.loads(job)
        known[job] = trained(config, dataset, seed)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([job, known[job]]) + "\n")
    return float(known[job])


def main() -> None:
    """Train what is missing and write docs/results/warm_starts.md."""
    head = [
        "",
        "",
        *(f"best of {n}" for n in MARKS),
        "median",
        "best (of)",
        f"random worth {JUDGED}",
    ]
    rows = [row for algorithm in ALGORITHMS for d in DATASETS for row in rows_of(algorithm, d)]
    made = provenance("python -m benchmarks.warm_starts", "seeds 0 and 1, topopt 0 only")
    write("warm_starts.md", "\n\n".join([_INTRODUCTION, made, table(head, rows)]))


_INTRODUCTION = """# What a study begins with, on new data

A study begins with up to six configurations that did well on other data sets
([tuning.md](../tuning.md#warm-starts)). Here each data set is taken as new: nothing learned from it
is used to choose them, neither its tuned configuration nor any loss on it. M-reduced is a part of
Mediamill, so both are left out for it.

The loss is that of what is shown on the held-out training rows of a study (`random:0.25:0`), at the
best of 20 loops, mean over seeds: the least among the first configurations in the order in which
they are tried, next to what as many random configurations of the same space reach on average, their
median, and the best of all of them. The last column has the number of random configurations that
are on average as good as the first four.

That results of random configurations are used at all, that learners are a share of the most of a
space, and when two configurations count as the same was decided after a look at TopAda on these
data sets, so its figures are somewhat too good. TopOpt was looked at once, at the end, with one
seed. One or two configurations are not always better than random ones, because cheap ones come
first."""


if __name__ == "__main__":
    main()

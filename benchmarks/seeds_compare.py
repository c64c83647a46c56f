"""Seeds for contenders only against all seeds for all trials, on the tables of learning curves.

Run with `python -m benchmarks.seeds_compare`. It goes on where it stopped, and writes a section of
docs/results/search.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks import report
from benchmarks.curves.outcomes import known_curves
from benchmarks.curves.seeds import TRIALS, WORKERS, Job, ManySeeds, Shown, searches
from benchmarks.curves.tasks import Task
from topk_tune.backends.work import THREADS
from topk_tune.markup.markdown import table

HEADING = "## Seeds for contenders only"
DATASETS = ("emotions", "scene", "yeast", "m_reduced")
SAMPLERS = {"tpe": "TPE", "random": "random"}
WAYS = {
    "median, three seeds": ("median", 3),
    "asha, three seeds": ("asha", 3),
    "race, three seeds": ("race", 3),
}
"""The searches, by the names that tables show: a pruner, and the seeds of a trial."""
MARKS = (10, 20, 40, 80)

Floats = NDArray[np.float64]
Found = Mapping[Job, Shown]


class Row(NamedTuple):
    """What the best of a search is worth at `MARKS`, in % above the best known, and at the end.

    `flattered` says by how much the best shown is below what it is worth, in %.
    """

    above: Floats
    flattered: float
    seeds: float


def row_of(shown: Shown, best: float, unit: float) -> Row:
    """The figures of a search; before anything is shown, the first that is counts."""
    places = np.searchsorted(shown.core_seconds, np.array(MARKS) * unit, side="right") - 1
    at = np.maximum(places, 0)
    above = 100 * (shown.worth[at] / best - 1)
    flattered = 100 * (1 - shown.shown[at[-1]] / shown.worth[at[-1]])
    return Row(above, float(flattered), float(shown.seeds[at[-1]]))


def comparison(found: Found, sampler: str) -> str:
    """A row for each search: means over data sets, with the standard error over search seeds."""
    aims = {task: _best(found, task) for task in {job.task for job in found}}
    rows = []
    for name, way in WAYS.items():
        mine = {j: s for j, s in found.items() if j.sampler == sampler and j[2:4] == way}
        by_task: dict[Task, list[Row]] = {}
        for job, shown in mine.items():
            unit = known_curves(job.task).trial_seconds
            by_task.setdefault(job.task, []).append(row_of(shown, aims[job.task], unit))
        if by_task:
            rows.append([name, *_cells(list(by_task.values()))])
    head = ["search", *(f"at {mark}" for mark in MARKS), "flattered by, %", "seeds of the best"]
    return table(head, rows)


def _best(found: Found, task: Task) -> float:
    """The least that any configuration of the table, or any that was shown, is worth."""
    known = known_curves(task)
    curves = ManySeeds(known)
    tried = min(float(curves.expected(config).loss.min()) for config in known.table.configs)
    shown = (float(s.worth.min()) for job, s in found.items() if job.task == task)
    return min([tried, *shown])


def _cells(by_task: list[list[Row]]) -> list[str]:
    above = [[row.above for row in rows] for rows in by_task]
    flattered = [[row.flattered for row in rows] for rows in by_task]
    seeds = np.mean([np.mean([row.seeds for row in rows]) for rows in by_task])
    means = [mean_and_error([[each[mark] for each in task] for task in above]) for mark in range(4)]
    return [*means, mean_and_error(flattered), f"{seeds:.1f}"]


def mean_and_error(by_task: list[list[float]]) -> str:
    """The mean over tasks, and its standard error over search seeds if there are several."""
    means = [np.mean(each) for each in by_task]
    if min(map(len, by_task)) == 1:
        return f"{np.mean(means):.1f}"
    errors = [np.var(each, ddof=1) / len(each) for each in by_task]
    return f"{np.mean(means):.1f} ± {np.sum(errors) ** 0.5 / len(means):.1f}"


def section(found: Found, seeds: Mapping[str, int]) -> str:
    """The section."""
    command = " ".join(["python -m benchmarks.seeds_compare", *sys.argv[1:]])
    parts = [HEADING, MEANING]
    for sampler, name in SAMPLERS.items():
        if seeds[sampler]:
            parts += [f"{name}, {seeds[sampler]} search seeds:", comparison(found, sampler)]
    parts += [SAID, report.provenance(command, "search seeds from 0 on")]
    return "\n\n".join(parts)


MEANING = f"""`--pruner race` buys the next seed of a trial only while it is a contender
([tuning.md](../tuning.md#seeds-for-contenders-only)). Searches of the same tables on {WORKERS}
workers, with as much time as {TRIALS} complete trainings of one seed take. Here the two seeds of a
table become many: what a configuration is worth is the mean of its two curves, and what a seed adds
is drawn from how the seeds of some configuration of its best third differ. At each time, the best
is what `status` would show. The table has what it is worth, in % above the best known, after so
many complete trainings; "flattered" says by how much its loss looks lower than it is worth, at the
end. Means over data sets, with the standard error over search seeds."""


SAID = """From 20 trainings on, these searches cannot be told apart. After 10, the best of `race` is
worth more, within two standard errors of so few searches. So `asha` stays the default."""


def main() -> None:
    """Search, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--seeds-of-random", type=int, default=10)
    parser.add_argument("--known", action="store_true", help="only searches that were made before")
    options = parser.parse_args()
    os.environ.update(THREADS)
    seeds = {"tpe": options.seeds, "random": options.seeds_of_random}
    jobs = [
        Job(Task("topada", name), sampler, *way, seed)
        for sampler, count in seeds.items()
        for seed in range(count)
        for name in DATASETS
        for way in WAYS.values()
    ]
    report.write_section("search.md", section(searches(jobs, only_known=options.known), seeds))


if __name__ == "__main__":
    main()

"""When searches settle: how well the rule expects what comes, and what it leaves to be gained.

Run with `python -m benchmarks.settling`. It goes on where it stopped, and writes a section of
docs/results/search.md.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from benchmarks import report
from benchmarks.curves.settling import AHEAD, TRIALS, Diary, Job, diaries, true_spread
from benchmarks.curves.tasks import Task
from topk_tune.backends.work import THREADS
from topk_tune.markup.markdown import table

HEADING = "## When a search has settled"
DATASETS = ("emotions", "scene", "yeast", "m_reduced")
WAYS = {
    "asha, one seed": ("TPE, asha", 1),
    "asha, two seeds": ("TPE, asha", 2),
    "median, one seed": ("TPE, median after 3 loops", 1),
    "random, one seed": ("random", 1),
}
"""The searches, by the names that tables show: a method, and the seeds of a trial."""

Found = Mapping[Job, Diary]


class Stop(NamedTuple):
    """What a rule would have done: when, what it expected, and what came instead.

    Losses are multiples of the spread of seeds.
    """

    trials: int
    expected: float
    soon: float
    later: float


def stop_of(diary: Diary, column: int, unit: float) -> Stop | None:
    """When the rule would have stopped a search, if at all."""
    ahead = AHEAD[column]
    gains = diary.gains[:, column]
    fits = np.flatnonzero(gains < diary.spread)
    fits = fits[fits >= 2 * ahead]
    if not len(fits) or fits[0] + ahead > TRIALS:
        return None
    place, best = int(fits[0]), np.fmin.accumulate(diary.best)
    soon, later = best[place] - best[place + ahead], best[place] - best[-1]
    return Stop(place, gains[place] / unit, soon / unit, later / unit)


def stops(found: Found) -> str:
    """A row for each search and number of trials ahead."""
    head = ["search", "N", "stopped", "trials", "expected", "gained by N", "by the end"]
    head += ["more than seeds, by N", "by the end"]
    rows = []
    for name, way in WAYS.items():
        mine = {job: diary for job, diary in found.items() if (job.method, job.seeds) == way}
        for column, ahead in enumerate(AHEAD):
            made = [stop_of(diary, column, _unit(job)) for job, diary in mine.items()]
            known = np.array([each for each in made if each is not None])
            rows.append([name, str(ahead), f"{len(known)} of {len(mine)}", *_cells(known)])
    return table(head, rows)


def _cells(known: np.ndarray) -> list[str]:
    if not len(known):
        return [""] * 6
    trials = np.percentile(known[:, 0], [25, 50, 75])
    means = known[:, 1:].mean(axis=0)
    too_early = (known[:, 2:] > 1).mean(axis=0)
    return [
        "{1:.0f} ({0:.0f} to {2:.0f})".format(*trials),
        *(f"{each:.2f}" for each in means),
        *(f"{each:.0%}" for each in too_early),
    ]


def forecasts(found: Found) -> str:
    """A row for each search and number ahead: means of what was expected and what came."""
    rows = []
    for name, way in WAYS.items():
        mine = [(_unit(j), d) for j, d in found.items() if (j.method, j.seeds) == way]
        for column, ahead in enumerate(AHEAD):
            pairs = np.array([_forecast(diary, column, unit) for unit, diary in mine])
            expected, came = np.nanmean(pairs, axis=0)
            rows.append([name, str(ahead), f"{expected:.2f}", f"{came:.2f}"])
    return table(["search", "N", "expected", "gained"], rows)


def _forecast(diary: Diary, column: int, unit: float) -> tuple[float, float]:
    """The means over a search of what was expected and what came."""
    ahead = AHEAD[column]
    at = np.arange(2 * ahead, TRIALS - ahead + 1)
    best = np.fmin.accumulate(diary.best)
    came = (best[at] - best[at + ahead]) / unit
    return float(np.nanmean(diary.gains[at, column]) / unit), float(came.mean())


def _unit(job: Job) -> float:
    return float(true_spread(job.task) / np.sqrt(job.seeds))


def section(found: Found, seeds: int) -> str:
    """The section."""
    command = " ".join(["python -m benchmarks.settling", *sys.argv[1:]])
    parts = [HEADING, INTRODUCTION, stops(found), FORECASTS, forecasts(found), SAID]
    parts.append(report.provenance(command, f"{seeds} search seeds"))
    return "\n\n".join(parts)


INTRODUCTION = f"""`--settled N` stops when the best of N more trials is expected to gain less than
seeds differ. Searches of the same tables, {TRIALS} trials each on two workers, show when it would
have stopped them and what they gained afterwards. Losses are multiples of the spread of seeds: the
standard deviation between the two seeds of the best third of a table, with two seeds a trial
divided by the root of two. "trials" is the median and the quartiles of when it stopped; "expected"
what it then said of N more trials, "gained by N" what they gained, "by the end" what was gained
until trial {TRIALS}; the last two columns are the shares of stops after which that was more than
the spread of seeds, so that it was too early. Searches that it would have stopped with fewer than
N trials to go are not counted as stopped: with N = 40, only those that stop after 80 are."""

FORECASTS = f"""Its forecasts at every number of trials from 2 N to {TRIALS} - N, stopped or not,
beside what N more trials gained, in the same unit:"""

SAID = """With N = 20, searches stop after 40 to 60 of 120 trials. The next 20 then gain more than
seeds differ in one of ten cases. All later ones together gain 0.6 to 1.0 of the spread on average,
and more than the spread in one of four; with two seeds a trial, hardly anything. N = 10 is too
short: with one seed, half of the searches gain more than the spread later. On average, forecasts
are twice what comes or more, since they are upper bounds. But a search stops when they happen to be
low, so with one seed more came after a stop than was expected: half of the spread, not a quarter.
With one seed, the rule judges by the last loops, which spread less than seeds do; otherwise it
would stop even earlier. Losses are those that a search sees, with the luck of its seeds. The rule
was adjusted once on these tables: trials with fewer seeds count with their loss, and at least five
trials tell the spread. It is off unless it is asked for."""


def main() -> None:
    """Search, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    os.environ.update(THREADS)
    jobs = [
        Job(Task("topada", name), *way, seed)
        for seed in range(options.seeds)
        for way in WAYS.values()
        for name in DATASETS
    ]
    report.write_section("search.md", section(diaries(jobs, options.processes), options.seeds))


if __name__ == "__main__":
    main()

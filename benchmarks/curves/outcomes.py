"""Searches on the tables, kept in a file so that a comparison goes on where it stopped."""

from __future__ import annotations

import json
import multiprocessing
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.curves.collect import RAW
from benchmarks.curves.methods import METHODS, PLAIN
from benchmarks.curves.plain_optuna import search_plainly
from benchmarks.curves.portfolio import portfolio
from benchmarks.curves.search import Known, Outcome, search
from benchmarks.curves.table import TABLES, CurveTable
from benchmarks.curves.tasks import DATASETS, Task

FILE = RAW / "searches.jsonl"
TRIALS = {2: 40, 16: 120, 128: 640}
"""The time of a search by the number of workers, in complete trials."""


class Job(NamedTuple):
    """A search with one method on one task."""

    task: Task
    method: str
    workers: int
    seed: int

    @property
    def key(self) -> str:
        """What the outcome depends on; the table is told by its digest."""
        method = repr(METHODS[self.method]) if self.method in METHODS else self.method
        return json.dumps([*self.task, method, self.workers, self.seed, table_digest(self.task)])


def kept_outcomes(jobs: Sequence[Job], file: Path = FILE) -> dict[Job, Outcome]:
    """What those searches found that were made before."""
    found = dict(_kept(file))
    return {job: found[job.key] for job in jobs if job.key in found}


def outcomes(jobs: Sequence[Job], processes: int, file: Path = FILE) -> dict[Job, Outcome]:
    """What all searches found; those that were not made before are made."""
    found = dict(_kept(file))
    missing = [job for job in jobs if job.key not in found]
    context = multiprocessing.get_context("spawn")
    file.parent.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes, mp_context=context) as pool, file.open("a") as kept:
        running = {pool.submit(searched, job): job for job in missing}
        for future in as_completed(running):
            job, outcome = running[future], future.result()
            found[job.key] = outcome
            kept.write(json.dumps([job.key, *_improvements(outcome)]) + "\n")
            kept.flush()
    return {job: found[job.key] for job in jobs}


def searched(job: Job) -> Outcome:
    """What a search found."""
    known = known_curves(job.task)
    budget = TRIALS[job.workers] * known.trial_seconds
    if job.method == PLAIN:
        return search_plainly(known, job.workers, job.seed, budget)
    method = METHODS[job.method]
    first = _portfolio(job.task, method.first) if method.first else ()
    return search(known, method, job.workers, job.seed, budget, first)


@cache
def known_curves(task: Task) -> Known:
    """The table of a task, with its surrogate."""
    return Known.of(CurveTable.read(TABLES / task.name))


@cache
def _portfolio(task: Task, size: int) -> tuple[dict[str, Any], ...]:
    others = [Task(task.algorithm, name) for name in DATASETS if name != task.dataset]
    known = [known_curves(other) for other in others if (TABLES / other.name).exists()]
    return portfolio(known, known_curves(task).table.space, size)


@cache
def table_digest(task: Task) -> int:
    """A number that changes with the table of a task."""
    return zlib.crc32(CurveTable.read(TABLES / task.name).values.tobytes())


def _kept(file: Path) -> Iterator[tuple[str, Outcome]]:
    lines = file.read_text(encoding="utf-8").splitlines(True) if file.exists() else []
    for line in lines:
        if line.endswith("\n"):
            key, times, best, trials = json.loads(line)
            yield key, Outcome(np.array(times), np.array(best), trials)


def _improvements(outcome: Outcome) -> tuple[list[float], list[float], int]:
    """The improvements only: nothing else is ever read."""
    better = np.flatnonzero(np.diff(outcome.best, prepend=np.inf) < 0)
    times, best = outcome.core_seconds[better], outcome.best[better]
    return times.round(4).tolist(), best.round(7).tolist(), outcome.trials

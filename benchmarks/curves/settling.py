"""Searches on the tables in which a rule only watches: what it expected, and what came after."""

from __future__ import annotations

import inspect
import json
import multiprocessing
import zlib
from collections.abc import Container, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.curves.collect import RAW
from benchmarks.curves.methods import METHODS
from benchmarks.curves.outcomes import known_curves, table_digest
from benchmarks.curves.search import replay
from benchmarks.curves.tasks import Task
from benchmarks.curves.workers import ReplayedWorkers
from topk_tune.engine.settled import expected_gain, expected_minimum, losses, seed_spread
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import TrialRecord
from topk_tune.training.objective import DEFAULT

FILE = RAW / "settling.jsonl"
WORKERS = 2
TRIALS = 120
AHEAD = (10, 20, 40)

Floats = NDArray[np.float64]


class Job(NamedTuple):
    """A search: its task, its method, the seeds of a trial and its own seed."""

    task: Task
    method: str
    seeds: int
    seed: int


class Diary(NamedTuple):
    """What a rule saw: a row for each number of trials, from none on; nan where it knew nothing.

    `gains` has a column for each of `AHEAD`.
    """

    best: Floats
    spread: Floats
    gains: Floats


@dataclass(frozen=True)
class Watching(StopOptions):
    """Ends a search after `TRIALS` and writes down what a rule would see before."""

    rows: dict[int, list[float]] = field(default_factory=dict)

    def reason(
        self, finished: Sequence[TrialRecord], elapsed: float, earlier: Container[int] = ()
    ) -> str | None:
        """Write down what is known after a number of trials, when it is reached."""
        count = len(finished)
        if count not in self.rows and count:
            values, spread = losses(finished), seed_spread(finished)
            best = values.min() if len(values) else np.nan
            gains = [expected_gain(values, ahead) for ahead in AHEAD]
            self.rows[count] = [best, spread.size if spread else np.nan]
            self.rows[count] += [np.nan if gain is None else gain for gain in gains]
        return "watched for long enough" if count >= TRIALS else None


def watched(job: Job) -> list[list[float]]:
    """The rows of a search, by number of trials."""
    known = known_curves(job.task)
    stop = Watching()
    backend = ReplayedWorkers(WORKERS, known.surrogate.curve)
    replay(known, METHODS[job.method], backend, job.seed, stop, seeds=job.seeds)
    nothing = [float("nan")] * (2 + len(AHEAD))
    return [stop.rows.get(count, nothing) for count in range(TRIALS + 1)]


def diaries(jobs: Sequence[Job], processes: int, file: Path = FILE) -> dict[Job, Diary]:
    """What was seen in all searches; those that were not made before are made."""
    found = dict(_kept(file))
    missing = [job for job in jobs if _key(job) not in found]
    context = multiprocessing.get_context("spawn")
    file.parent.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes, mp_context=context) as pool, file.open("a") as kept:
        running = {pool.submit(watched, job): job for job in missing}
        for future in as_completed(running):
            job = running[future]
            found[_key(job)] = rows = future.result()
            kept.write(json.dumps([_key(job), rows]) + "\n")
            kept.flush()
    return {job: _diary(found[_key(job)]) for job in jobs}


def _diary(rows: list[list[float]]) -> Diary:
    columns = np.array(rows)
    return Diary(columns[:, 0], columns[:, 1], columns[:, 2:])


def _key(job: Job) -> str:
    """What the rows depend on; the table and the rule are told by digests."""
    digests = [table_digest(job.task), _rule_digest()]
    return json.dumps([*job.task, repr(METHODS[job.method]), job.seeds, job.seed, *digests])


@cache
def _rule_digest() -> int:
    parts = (losses, expected_gain, expected_minimum, seed_spread)
    return zlib.crc32("".join(inspect.getsource(part) for part in parts).encode())


def _kept(file: Path) -> Iterator[tuple[str, list[list[float]]]]:
    lines = file.read_text(encoding="utf-8").splitlines(True) if file.exists() else []
    for line in lines:
        if line.endswith("\n"):
            key, rows = json.loads(line)
            yield key, rows


@cache
def true_spread(task: Task) -> float:
    """How much the losses of the best third of a table differ between its seeds."""
    ends = known_curves(task).table.of(DEFAULT).min(axis=2)
    better = ends[np.argsort(ends.mean(axis=1))[: -(-len(ends) // 3)]]
    return float(np.sqrt(np.mean(np.var(better, axis=1, ddof=1))))

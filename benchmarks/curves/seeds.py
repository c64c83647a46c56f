"""Searches on the tables in which trials have several seeds, and what their best is worth."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from optuna.trial import FrozenTrial

from benchmarks.curves.collect import RAW
from benchmarks.curves.outcomes import known_curves, table_digest
from benchmarks.curves.search import Known, MemoryStore, Method, replay
from benchmarks.curves.surrogate import Curve
from benchmarks.curves.tasks import Task
from benchmarks.curves.workers import ReplayedWorkers
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import TrialRecord, ranked
from topk_tune.training.objective import DEFAULT

FILE = RAW / "seeds.jsonl"
WORKERS = 2
TRIALS = 80
"""The time of a search, in complete trainings of one seed."""

Floats = NDArray[np.float64]


class Job(NamedTuple):
    """A search: its task, its sampler, its pruner, the seeds of a trial and its own seed."""

    task: Task
    sampler: str
    pruner: str
    seeds: int
    seed: int

    @property
    def key(self) -> str:
        """What the outcome depends on; the table is told by its digest."""
        return json.dumps([*self.task, *self[1:], table_digest(self.task)])


class Shown(NamedTuple):
    """The best so far at some times: what it shows, what it is worth, and its seeds."""

    core_seconds: Floats
    shown: Floats
    worth: Floats
    seeds: Floats


class ManySeeds:
    """The curves of a table with any number of seeds.

    The tables have two seeds. What seeds add is drawn from how the two differ, of any of the better
    configurations and either way; what a configuration is worth is the mean of its two. The worse
    ones have outliers that would make a good one far too good.
    """

    def __init__(self, known: Known) -> None:
        self._surrogate = known.surrogate
        loss = np.log(known.table.of(DEFAULT))
        order = np.argsort(loss.min(axis=2).mean(axis=1))
        loss = loss[order[: -(-len(order) // 3)]]
        # Two seeds differ from their own mean by less than from the true one.
        self._noise = np.sqrt(2) * (loss - loss.mean(axis=1, keepdims=True))
        self._made: dict[str, Curve] = {}

    def expected(self, config: Mapping[str, Any]) -> Curve:
        """The curve without what seeds add."""
        key = json.dumps(config, sort_keys=True)
        if key not in self._made:
            one, other = (self._surrogate.curve(config, seed) for seed in range(2))
            times = (one.seconds + other.seconds) / 2
            self._made[key] = Curve(np.sqrt(one.loss * other.loss), times)
        return self._made[key]

    def curve(self, config: Mapping[str, Any], seed: int) -> Curve:
        """The curve with a seed."""
        curve = self.expected(config)
        drawn = zlib.crc32(json.dumps([config, seed], sort_keys=True).encode())
        noise = self._noise[drawn // 2 % len(self._noise), drawn % 2]
        return Curve(curve.loss * np.exp(noise), curve.seconds)


@dataclass
class Witness(MemoryStore):
    """Writes down the best trial whenever one pauses or ends."""

    workers: ReplayedWorkers = field(kw_only=True)
    curves: ManySeeds = field(kw_only=True)
    rows: list[tuple[float, float, float, float]] = field(default_factory=list)
    known: dict[int, TrialRecord] = field(default_factory=dict)

    def finish(self, record: TrialRecord, frozen: FrozenTrial) -> None:
        """Look at the best."""
        self.pause(record)

    def pause(self, record: TrialRecord) -> None:
        """Look at the best."""
        self.known[record.number] = record
        best = next(iter(ranked(list(self.known.values()))), None)
        if best is not None and best.best_loop and best.value is not None:
            worth = float(self.curves.expected(best.config).loss[best.best_loop - 1])
            self.rows.append((self.workers.now * WORKERS, best.value, worth, best.usable_runs))


def searched(job: Job) -> Shown:
    """What a search showed over time."""
    known = known_curves(job.task)
    curves = ManySeeds(known)
    backend = ReplayedWorkers(WORKERS, curves.curve)
    store = Witness(workers=backend, curves=curves)
    stop = StopOptions(timeout=TRIALS * known.trial_seconds / WORKERS)
    method = Method(job.sampler, job.pruner)
    # Every search draws its own noise: seeds of different searches are far apart.
    replay(known, method, backend, 1000 * job.seed, stop, store, seeds=job.seeds)
    return Shown(*np.array(store.rows).T)


def searches(jobs: Sequence[Job], file: Path = FILE, only_known: bool = False) -> dict[Job, Shown]:
    """What all searches showed; those that were not made before are made."""
    found = dict(_kept(file))
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as kept:
        for job in jobs:
            if job.key not in found and not only_known:
                found[job.key] = searched(job)
                kept.write(json.dumps([job.key, *(x.tolist() for x in found[job.key])]) + "\n")
                kept.flush()
    return {job: found[job.key] for job in jobs if job.key in found}


def _kept(file: Path) -> Iterator[tuple[str, Shown]]:
    lines = file.read_text(encoding="utf-8").splitlines(True) if file.exists() else []
    for line in lines:
        if line.endswith("\n"):
            key, *columns = json.loads(line)
            yield key, Shown(*map(np.array, columns))

"""A search on replayed curves: the real proposer and loop, a store in memory, simulated workers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from optuna.distributions import BaseDistribution
from optuna.trial import FrozenTrial

from benchmarks.curves.surrogate import Surrogate
from benchmarks.curves.table import CurveTable
from benchmarks.curves.workers import ReplayedWorkers
from topk_tune.engine.loop import Tuner
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import TrialRecord
from topk_tune.storage import Store, StoreWriter

T = TypeVar("T")


@dataclass(frozen=True)
class Method:
    """A way to search.

    Parameters
    ----------
    sampler, pruner
        As in the settings of a study.
    loops
        The number of loops of each trial, if not that of the space.
    ahead
        Whether trials are asked for before a worker is free.
    prompt
        Whether a trial that is stopped ends at once, not after one more loop.
    first
        The number of configurations that did well on other data sets, to begin with.
    """

    sampler: str = "tpe"
    pruner: str = "median"
    loops: int | None = None
    ahead: bool = True
    prompt: bool = False
    first: int = 0


class Outcome(NamedTuple):
    """What a search found: its best losses and when, in seconds of all workers."""

    core_seconds: NDArray[np.float64]
    best: NDArray[np.float64]
    trials: int


class Known(NamedTuple):
    """A table with its surrogate."""

    table: CurveTable
    surrogate: Surrogate

    @classmethod
    def of(cls, table: CurveTable) -> Known:
        """Fit the surrogate."""
        return cls(table, Surrogate(table))

    @property
    def trial_seconds(self) -> float:
        """The mean time of a complete trial."""
        return float(self.table.seconds[..., -1].mean())


@dataclass
class MemoryStore:
    """What the loop needs of a store; nothing is kept after the search."""

    shared: bool = False
    driver: str = "simulation"
    _begun: int = field(default=0)

    def begin(
        self,
        config: Mapping[str, Any],
        params: Mapping[str, Any],
        distributions: Mapping[str, BaseDistribution],
        limit: int | None = None,
    ) -> int:
        """Return the number of a new trial."""
        self._begun += 1
        return self._begun - 1

    def finish(self, record: TrialRecord, frozen: FrozenTrial) -> None:
        """Nothing is kept."""

    def pause(self, record: TrialRecord) -> None:
        """Nothing is kept."""

    def claim(self, number: int) -> bool:
        """Return True: there is no other driver."""
        return True

    def give_back(self, number: int) -> None:
        """Nothing is kept."""

    def records(self) -> list[TrialRecord]:
        """Return no earlier trials."""
        return []

    def finished(self) -> list[FrozenTrial]:
        """Return no earlier trials."""
        return []

    def abandoned(self) -> list[int]:
        """Return no earlier trials."""
        return []


class PromptWriter(StoreWriter):
    """Writes at once: with a thread, what is asked ahead would depend on the real time."""

    def later(self, operation: Callable[..., T], *arguments: Any) -> Future[T]:
        """Call an operation now."""
        done: Future[T] = Future()
        done.set_result(operation(*arguments))
        return done


class SimulatedTuner(Tuner):
    """The loop of a study, without threads."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._writer.close()
        self._writer = PromptWriter()


class UnhurriedTuner(SimulatedTuner):
    """Asks for a trial only when a worker is free, so that nothing that is known is left out."""

    def _look_ahead(self) -> None:
        if len(self._queue) < self._backend.free() and self._room():
            self._ask()


def search(
    known: Known,
    method: Method,
    workers: int,
    seed: int,
    budget: float,
    first: tuple[dict[str, Any], ...] = (),
) -> Outcome:
    """Search until the workers have had `budget` seconds, together."""
    backend = ReplayedWorkers(workers, known.surrogate.curve, prompt=method.prompt)
    store, stop = MemoryStore(), StopOptions(timeout=budget / workers)
    replay(known, method, backend, seed, stop, store, first)
    return _outcome(backend, workers, budget, store)


def replay(
    known: Known,
    method: Method,
    backend: ReplayedWorkers,
    seed: int,
    stop: StopOptions,
    store: MemoryStore | None = None,
    first: tuple[dict[str, Any], ...] = (),
    seeds: int = 1,
) -> str:
    """Search until a limit is reached; return the reason why it ended."""
    space = known.table.space
    if method.loops is not None:
        space = space.fixed(loops=method.loops)
        first = tuple({**config, "loops": method.loops} for config in first)
    settings = StudySettings(
        name="simulation",
        dataset="simulation",
        fingerprint="",
        space=space.to_dict(),
        sampler=method.sampler,
        pruner=method.pruner,
        seeds=seeds,
        seed=seed,
        first=first,
    )
    make = SimulatedTuner if method.ahead else UnhurriedTuner
    tuner = make(
        settings,
        Proposer(settings, space),
        cast(Store, store or MemoryStore()),
        backend,
        stop,
        clock=lambda: backend.now,
    )
    return tuner.run()


def _outcome(backend: ReplayedWorkers, workers: int, budget: float, store: MemoryStore) -> Outcome:
    times, losses = np.array(backend.reports).T
    within = times * workers <= budget
    best = np.minimum.accumulate(losses[within])
    return Outcome(times[within] * workers, best, store._begun)

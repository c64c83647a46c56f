"""A trial from the moment it is proposed until its result is told."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from optuna.trial import Trial

from topk_tune.backends.base import Kept, Task
from topk_tune.backends.packages import needed
from topk_tune.records.trials import SeedRun, State, TrialRecord, training_key
from topk_tune.training.objective import Objective
from topk_tune.training.trial import LoopReport, Measure

Known = dict[str, SeedRun]
"""Complete trainings by `training_key`."""


@dataclass
class RunningTrial:
    """A trial in progress.

    Parameters
    ----------
    trial
        Optuna's trial.
    config
        The configuration to train.
    seeds
        The seeds to train it with.
    objective
        The objective of the study.
    given
        Its number, once the storage has assigned one; None if it may not be run.
    batch
        The batch it is told with, in a deterministic study.
    spared
        Whether it is never stopped early, as successors of complete trials are.
    now
        The seeds of its present task.
    """

    trial: Trial
    config: Mapping[str, Any]
    seeds: tuple[int, ...]
    objective: Objective
    given: "Future[int | None]"
    batch: int | None = None
    reports: dict[int, list[LoopReport]] = field(default_factory=dict)
    reused: int = 0
    attempts: int = 0
    host: str | None = None
    hopeless: bool = False
    pausing: bool = False
    began: float = 0.0
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    outcome: TrialRecord | None = None
    kept: Kept | None = None
    spared: bool = False
    now: tuple[int, ...] = ()
    keys: dict[int, str] = field(default_factory=dict, repr=False)
    """The keys of its trainings by seed: a trial in the queue is looked up again and again."""

    def reuse(self, known: Known) -> None:
        """Take over runs that earlier trials have already trained."""
        for seed in self.left:
            if seed not in self.keys:
                self.keys[seed] = training_key(self.config, seed)
            run = known.get(self.keys[seed])
            if run is not None and len(run.reports) >= self.config["loops"]:
                self.reports[seed] = list(run.up_to(self.config["loops"]).reports)
                self.reused += 1

    @property
    def number(self) -> int:
        """Its number, which must have been assigned."""
        number = self.given.result()
        assert number is not None
        return number

    @property
    def left(self) -> tuple[int, ...]:
        """The seeds that still have to be trained."""
        loops = self.config["loops"]
        return tuple(s for s in self.seeds if len(self.reports.get(s, [])) < loops)

    @property
    def task_goes_on(self) -> bool:
        """Whether a seed of its present task still has to be trained."""
        return not set(self.now).isdisjoint(self.left)

    def task(self, measure: Measure, keep: bool, by_seed: bool = False) -> Task:
        """Return the next task for a worker; `keep` if the trial may be paused.

        `by_seed` means that every seed is a task.
        """
        self.now = self.left[:1] if by_seed and not self.spared else self.left
        needs = needed(self.config, self.objective.metric)
        return Task(
            *(self.number, self.config, self.now, measure), needs=needs, keep=keep, start=self.kept
        )

    def add(self, seed: int, report: LoopReport) -> bool:
        """Add a report; return False if it is already known, as after a lost worker."""
        reports = self.reports.setdefault(seed, [])
        if self.hopeless or report.loop <= len(reports):
            return False
        reports.append(report)
        return True

    def go_on(self, trial: Trial, given: "Future[int | None]") -> None:
        """Go on after a pause, with another trial of Optuna, once the storage has agreed."""
        self.trial, self.given = trial, given
        self.pausing, self.attempts, self.outcome = False, 0, None

    def ended(self, state: State, error: str | None = None) -> TrialRecord:
        """Return the record of the trial, which ends now."""
        self.outcome = TrialRecord(
            number=self.number,
            state=state,
            config=self.config,
            runs=tuple(SeedRun(s, tuple(self.reports[s])) for s in self.seeds if s in self.reports),
            params=self.trial.params,
            error=error,
            reused=self.reused,
            attempts=max(self.attempts, 1),
            host=self.host,
            started=self.started,
            ended=datetime.now(UTC),
            objective=self.objective,
        )
        return self.outcome


def beginning(known: Known, config: Mapping[str, Any], seeds: Sequence[int]) -> list[SeedRun]:
    """Return how the trainings of a configuration begin, if that is known of every seed."""
    runs = [known.get(training_key(config, seed)) for seed in seeds]
    return [run for run in runs if run is not None] if all(runs) else []


def known_trainings(records: list[TrialRecord]) -> Known:
    """Return the trainings of complete trials; of two lengths the longer."""
    known: Known = {}
    for record in records:
        if record.state == "complete":
            for run in record.runs:
                key = training_key(record.config, run.seed)
                if key not in known or len(known[key].reports) < len(run.reports):
                    known[key] = run
    return known

"""Records of trials, as storage, tables, tracking and exports share them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

import numpy as np

from topk_tune.training.objective import Key, Objective
from topk_tune.training.trial import LoopReport, can_be_cut

State = Literal["waiting", "running", "paused", "complete", "pruned", "failed"]
FINISHED: tuple[State, ...] = ("complete", "pruned", "failed")


@dataclass(frozen=True)
class SeedRun:
    """One training: a seed and the reports after its loops.

    Parameters
    ----------
    seed, reports
        The seed and its reports.
    extra
        Unknown fields, written by a later version.
    """

    seed: int
    reports: tuple[LoopReport, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)

    def up_to(self, loops: int) -> "SeedRun":
        """Return the reports that a training with fewer loops would have made."""
        return SeedRun(self.seed, self.reports[:loops], self.extra)


@dataclass(frozen=True)
class TrialRecord:
    """A trial of a study.

    Parameters
    ----------
    number
        Its number in the study, from 0.
    state
        "failed" has an `error`; "pruned" was stopped because other trials did better; "paused" may
        still go on.
    config
        `algorithm`, `loops` and the parameters of the booster.
    runs
        One for each seed that was started.
    params
        The searched entries of `config`.
    error
        Why it failed.
    reused
        How many runs were copied from an earlier trial of the same training.
    attempts
        How often it was started: more than once if workers were lost.
    host
        The machine it ran on last.
    started, ended
        The times of its start and end.
    objective
        The objective of the study, by which loops and trials are compared.
    """

    number: int
    state: State
    config: Mapping[str, Any]
    runs: tuple[SeedRun, ...] = ()
    params: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    reused: int = 0
    attempts: int = 1
    host: str | None = None
    started: datetime | None = None
    ended: datetime | None = None
    objective: Objective = field(default_factory=Objective)

    @cached_property
    def curve(self) -> list[float]:
        """The objective after each loop; empty if it was not measured."""
        return self.curve_of(self.objective.metric)

    def curve_of(self, metric: str) -> list[float]:
        """Return a metric after each loop, averaged over the full runs."""
        length = len(self.runs[0].reports) if self.runs else 0
        reports = [run.reports[:length] for run in self.full_runs]
        if not reports or any(metric not in each.metrics for run in reports for each in run):
            return []
        curves = [[each.metrics[metric] for each in run] for run in reports]
        return [float(x) for x in np.mean(curves, axis=0)]

    @cached_property
    def full_runs(self) -> list[SeedRun]:
        """The runs with as many loops as the first; shorter ones are excluded from means."""
        length = len(self.runs[0].reports) if self.runs else 0
        return [run for run in self.runs if len(run.reports) >= length > 0]

    @property
    def usable_runs(self) -> int:
        """How many runs speak for its use; none if a training of its loops would be different."""
        stopped = self.state in ("pruned", "paused") and (can_be_cut(self.config) or self._whole)
        return len(self.full_runs) if stopped or self.state == "complete" else 0

    @property
    def _whole(self) -> bool:
        """Whether the trainings that count have all loops, so that only seeds may be missing."""
        return bool(self.runs) and len(self.runs[0].reports) == self.config["loops"]

    @cached_property
    def best_loop(self) -> int | None:
        """The number of loops with the best value.

        It may be less than the last, unless fewer loops would mean a different training.
        """
        if not self.curve:
            return None
        loops = range(1, len(self.curve) + 1)
        return min(loops, key=lambda n: self._keys[n - 1]) if can_be_cut(self.config) else loops[-1]

    @cached_property
    def _keys(self) -> list[Key]:
        """Return the sort keys of the loops, best first."""
        curves = {name: self.curve_of(name) for name in self.objective.watched}
        known = {name: curve for name, curve in curves.items() if curve}
        rows = zip(*known.values(), strict=True)
        return [self.objective.key(dict(zip(known, row, strict=True))) for row in rows]

    @property
    def value(self) -> float | None:
        """The objective after the best loop, averaged over seeds."""
        return self.curve[self.best_loop - 1] if self.best_loop else None

    @cached_property
    def metrics(self) -> dict[str, float]:
        """All metrics after the best loop, averaged over seeds."""
        if not self.best_loop:
            return {}
        names = self.full_runs[0].reports[self.best_loop - 1].metrics
        return {name: self._mean(name, self.best_loop) for name in names}

    @property
    def key(self) -> Key:
        """The sort key of a trial that has a value, best first."""
        assert self.best_loop is not None
        return self._keys[self.best_loop - 1]

    @property
    def spread(self) -> float | None:
        """The standard deviation over seeds of the objective after the best loop."""
        return self.spread_of(self.objective.metric)

    def spread_of(self, metric: str) -> float | None:
        """The standard deviation over seeds of a metric after the best loop."""
        if self.best_loop is None or len(self.full_runs) < 2:
            return None
        reports = [run.reports[self.best_loop - 1] for run in self.full_runs]
        values = [report.metrics[metric] for report in reports if metric in report.metrics]
        return float(np.std(values, ddof=1)) if len(values) == len(reports) else None

    def _mean(self, metric: str, loop: int) -> float:
        values = [run.reports[loop - 1].metrics.get(metric, np.nan) for run in self.full_runs]
        return float(np.mean(values))

    @property
    def seconds(self) -> float:
        """The training time of all seeds."""
        return sum(run.reports[-1].seconds for run in self.runs if run.reports)

    @property
    def best_config(self) -> dict[str, Any]:
        """The configuration with its best number of loops."""
        return {**self.config, "loops": self.best_loop or self.config["loops"]}


class _Repeats:
    """Trainings with several seeds, measured after their last loop."""

    runs: tuple[SeedRun, ...]
    objective: Objective

    @property
    def metric(self) -> str:
        """The metric that counts: the objective, or shown loss if these rows do not have it."""
        if not self.runs:
            raise ValueError("at least one metric must have been measured on these rows")
        measured = set.intersection(*(set(run.reports[-1].metrics) for run in self.runs))
        wanted = (self.objective.metric, f"frozen/{self.objective.metric}", "shown_loss")
        return next((name for name in wanted if name in measured), "greedy_loss")

    @property
    def values(self) -> list[float]:
        """The values of that metric, one for each seed."""
        return self.values_of(self.metric)

    @property
    def value(self) -> float:
        """Its mean."""
        return float(np.mean(self.values))

    @property
    def spread(self) -> float | None:
        """The standard deviation of these values."""
        return self.spread_of(self.metric)

    @property
    def metrics(self) -> dict[str, float]:
        """The means of all metrics that were measured with every seed."""
        names = [
            name
            for name in self.runs[0].reports[-1].metrics
            if all(name in run.reports[-1].metrics for run in self.runs)
        ]
        return {name: float(np.mean(self.values_of(name))) for name in names}

    @property
    def seeds(self) -> list[int]:
        """The seeds."""
        return [run.seed for run in self.runs]

    @property
    def key(self) -> Key:
        """The sort key, best first."""
        return self.objective.judged_by(self.metric).key(self.metrics)

    def values_of(self, metric: str) -> list[float]:
        """Return the values of a metric, one for each seed."""
        return [run.reports[-1].metrics[metric] for run in self.runs]

    def spread_of(self, metric: str) -> float | None:
        """Return the standard deviation of a metric over the seeds."""
        return float(np.std(self.values_of(metric), ddof=1)) if len(self.runs) > 1 else None


@dataclass(frozen=True)
class Repeats(_Repeats):
    """Trainings of one configuration with several seeds, measured on the same kind of rows."""

    runs: tuple[SeedRun, ...]
    objective: Objective = field(default_factory=Objective)

    def __bool__(self) -> bool:
        """Whether there are any runs."""
        return bool(self.runs)


@dataclass(frozen=True)
class Confirmation(_Repeats):
    """A configuration trained with fresh seeds. Its own metrics are those of the test rows.

    Parameters
    ----------
    trial
        The number of the trial that found it.
    config
        The configuration with the best number of loops.
    runs
        One per seed, each with the report after the last loop, measured on the test rows. If
        configurations were ranked again, only the best one has any.
    objective
        The objective of the study.
    held_runs
        The same on held-out training rows, by which configurations were ranked again.
    holdout
        The rule by which these rows were held out.
    extra
        Unknown fields, written by a later version.
    """

    trial: int
    config: dict[str, Any]
    runs: tuple[SeedRun, ...]
    objective: Objective = field(default_factory=Objective)
    held_runs: tuple[SeedRun, ...] = ()
    holdout: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def held(self) -> Repeats:
        """The runs on held-out rows."""
        return Repeats(self.held_runs, self.objective)

    @property
    def place(self) -> tuple[int, Key, int]:
        """The sort key of confirmations, best first: by held-out rows if there are any.

        Only runs with the same seeds can be compared, so those with fewer seeds come later.
        """
        return -len(self.held_runs), (self.held or self).key, self.trial


def training_key(config: Mapping[str, Any], seed: int) -> str:
    """Return a key that trainings share if one is the beginning of the other.

    It omits the number of loops if, for example, ten loops are the first half of twenty.
    """
    parts = {name: value for name, value in config.items() if name != "loops"}
    if not can_be_cut(config):
        parts["loops"] = config["loops"]
    text = json.dumps([parts, seed], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def ranked(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """Return the trials that can be used, best first; ties go to the earlier trial.

    These are the complete ones, and those that were stopped after fewer loops if that is what a
    shorter training would have been. Those that were trained with fewer seeds come later.
    """
    usable = (r for r in records if r.usable_runs and r.value is not None)
    return sorted(usable, key=lambda r: (-r.usable_runs, r.key, r.number))


def comparable(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """Return the ranked trials without those that were trained with fewer seeds than the best."""
    usable = ranked(records)
    return [record for record in usable if record.usable_runs == usable[0].usable_runs]


def pareto(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """Return the usable trials that no other beats in both objective and time, best first.

    If some trials meet the bound, those that exceed it are excluded.
    """
    front: list[TrialRecord] = []
    ordered = sorted(comparable(records), key=lambda r: (r.key, r.seconds))
    for record in ordered:
        if ordered[0].key[0] < record.key[0]:
            break
        if not front or record.seconds < front[-1].seconds:
            front.append(record)
    return front

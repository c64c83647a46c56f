"""What is known of a trial: the form that storage, tables, tracking and exports share."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cached_property
from typing import Any, Literal

import numpy as np

from topk_tune.trial import LoopReport

State = Literal["waiting", "running", "complete", "pruned", "failed"]
FINISHED: tuple[State, ...] = ("complete", "pruned", "failed")


@dataclass(frozen=True)
class SeedRun:
    """One training: a seed and what was reported after its loops."""

    seed: int
    reports: tuple[LoopReport, ...]

    def up_to(self, loops: int) -> "SeedRun":
        """What a training of fewer loops would have reported: the same, cut short."""
        return SeedRun(self.seed, self.reports[:loops])

    def columns(self) -> dict[str, Any]:
        """A list a field, which is a third of the size of a mapping a report."""
        names = [f.name for f in fields(LoopReport)]
        return {"seed": self.seed} | {n: [getattr(r, n) for r in self.reports] for n in names}

    @classmethod
    def of_columns(cls, columns: Mapping[str, Any]) -> "SeedRun":
        """The inverse of `columns`."""
        names = [f.name for f in fields(LoopReport)]
        rows = zip(*(columns[name] for name in names), strict=True)
        return cls(columns["seed"], tuple(LoopReport(*row) for row in rows))


@dataclass(frozen=True)
class TrialRecord:
    """A trial of a study.

    Parameters
    ----------
    number
        Its number in the study, from 0.
    state
        "failed" has an `error`; "pruned" was stopped because others did better by then.
    config
        `algorithm`, `loops` and the parameters of the booster.
    runs
        One for each seed that was reached.
    params
        Those entries of `config` that were searched.
    error
        Why it failed.
    reused
        How many of the runs were taken over from an earlier trial of the same training.
    attempts
        How often it was started: more than once when workers were lost.
    host
        Where it ran last.
    started, ended
        When.
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

    @cached_property
    def curve(self) -> list[float]:
        """The loss after each loop, averaged over the seeds that got that far with all others."""
        return _mean_curve([[r.loss for r in run.reports] for run in self.runs])

    @property
    def best_loop(self) -> int | None:
        """The number of loops with the least loss: an earlier one may beat the last."""
        return int(np.argmin(self.curve)) + 1 if self.curve else None

    @property
    def loss(self) -> float | None:
        """The mean over seeds of the loss after the best loop."""
        return min(self.curve) if self.curve else None

    @property
    def spread(self) -> float | None:
        """The standard deviation over seeds of the loss after the best loop."""
        if self.best_loop is None or len(self._full_runs) < 2:
            return None
        losses = [run.reports[self.best_loop - 1].loss for run in self._full_runs]
        return float(np.std(losses, ddof=1))

    @property
    def seconds(self) -> float:
        """The time that the training of all seeds took."""
        return sum(run.reports[-1].seconds for run in self.runs if run.reports)

    @property
    def best_config(self) -> dict[str, Any]:
        """The configuration with its best number of loops."""
        return {**self.config, "loops": self.best_loop or self.config["loops"]}

    @property
    def _full_runs(self) -> list[SeedRun]:
        return [run for run in self.runs if len(run.reports) >= len(self.curve) > 0]


def _mean_curve(curves: Sequence[Sequence[float]]) -> list[float]:
    """The mean over curves, as far as the first goes; those cut shorter do not take part."""
    if not curves or not curves[0]:
        return []
    length = len(curves[0])
    return [float(x) for x in np.mean([c for c in curves if len(c) >= length], axis=0)]


def training_key(config: Mapping[str, Any], seed: int) -> str:
    """What two trainings have in common when one is the beginning of the other.

    The number of loops is left out: ten loops are the first half of twenty.
    """
    parts = {name: value for name, value in config.items() if name != "loops"}
    text = json.dumps([parts, seed], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def ranked(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """The complete trials, best first; of equals the earlier."""
    complete = [r for r in records if r.state == "complete" and r.loss is not None]
    return sorted(complete, key=lambda r: (r.loss, r.number))

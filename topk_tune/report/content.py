"""The content of a report, collected once for all formats."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import FINISHED, Confirmation, TrialRecord, pareto, ranked
from topk_tune.spaces import Fixed, Parameter, Space
from topk_tune.storage.quiet_optuna import unannounced
from topk_tune.study.confirm import confirmations
from topk_tune.study.context import Context, context_of
from topk_tune.study.study import Study
from topk_tune.tracking.plots import ENOUGH
from topk_tune.training.metrics import Direction

if TYPE_CHECKING:
    from optuna.trial import FrozenTrial

_ANALYSED = 2000
"""The number of latest trials for importances: more would only take longer."""


@dataclass(frozen=True)
class Content:
    """The content of a report.

    Parameters
    ----------
    settings
        The settings of the study.
    records
        Its trials by number.
    confirmed
        The confirmations on fresh seeds, best first.
    importances
        A share for each searched parameter, the largest first; empty if there are too few trials.
    budget
        The number of trials that the study was last run for, if that was its limit.
    context
        The baselines and caveats.
    """

    settings: StudySettings
    records: Sequence[TrialRecord]
    confirmed: Sequence[Confirmation] = ()
    importances: Mapping[str, float] | None = None
    budget: int | None = None
    context: Context = field(default_factory=Context)

    @classmethod
    def of(cls, study: Study, baselines: bool = False) -> Content:
        """The current content of a study; `baselines` adds the slow baselines."""
        finished, confirmed = study.store.finished(), confirmations(study)
        tested = any(each.runs for each in confirmed[:1])
        return cls(
            settings=study.settings,
            records=study.records(),
            confirmed=confirmed,
            context=context_of(study, test=tested, more=baselines),
            importances=importances(finished, study.settings.directions),
            budget=study.budget.get("trials"),
        )

    @property
    def metric(self) -> str:
        """The name of the objective's metric."""
        return self.settings.goal.words

    @cached_property
    def ranked(self) -> list[TrialRecord]:
        """The complete trials with a finite value, best first."""
        return [record for record in ranked(self.records) if has_value(record)]

    @property
    def best(self) -> TrialRecord | None:
        """The best complete trial."""
        return self.ranked[0] if self.ranked else None

    @cached_property
    def front(self) -> list[TrialRecord]:
        """The complete trials that no other beats in both objective and time, fastest first."""
        return pareto(self.ranked)[::-1]

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of trials in each state, finished states first."""
        found = Counter(record.state for record in self.records)
        order = [*FINISHED, "running", "waiting"]
        return {state: found[state] for state in order if found[state]}

    @cached_property
    def searched(self) -> dict[str, Parameter]:
        """The parameters that are searched over."""
        space = Space.from_dict(self.settings.space).parameters
        return {name: p for name, p in space.items() if not isinstance(p, Fixed)}

    @property
    def seconds(self) -> float:
        """The time that all training took."""
        return sum(record.seconds for record in self.records)

    @property
    def period(self) -> tuple[datetime, datetime] | None:
        """When the first trial started and the last ended."""
        starts = [record.started for record in self.records if record.started]
        ends = [record.ended for record in self.records if record.ended]
        return (min(starts), max(ends)) if starts and ends else None

    @property
    def best_config(self) -> dict[str, Any]:
        """The confirmed best configuration, or that of the best trial."""
        if self.confirmed:
            return dict(self.confirmed[0].config)
        return self.best.best_config if self.best else {}


def value_of(record: TrialRecord) -> float:
    """The objective of a trial; nan if it has no value."""
    return math.nan if record.value is None else record.value


def has_value(record: TrialRecord) -> bool:
    """Whether a trial has a value that can be drawn."""
    return math.isfinite(value_of(record))


def importances(
    finished: Sequence[FrozenTrial], directions: Sequence[Direction]
) -> dict[str, float]:
    """How much each parameter decides whether a trial is among the best tenth, by PED-ANOVA."""
    import optuna

    if sum(trial.state == optuna.trial.TrialState.COMPLETE for trial in finished) < ENOUGH:
        return {}
    with unannounced(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # if all trials are equal, all shares are equal
        copy = optuna.create_study(directions=list(directions))
        copy.add_trials(list(finished)[-_ANALYSED:])
        return dict(
            optuna.importance.get_param_importances(copy, target=lambda trial: trial.values[0])
        )

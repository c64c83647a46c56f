"""The results of a study, for charts and reports."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import FINISHED, Confirmation, TrialRecord, pareto, ranked
from topk_tune.spaces import Fixed, Parameter, Space


@dataclass(frozen=True)
class Results:
    """The results of a study.

    Parameters
    ----------
    settings
        The settings of the study.
    records
        Its trials by number.
    confirmed
        The confirmations with fresh seeds, best first.
    importances
        The share of each searched parameter, largest first; empty if there are too few trials.
    """

    settings: StudySettings
    records: Sequence[TrialRecord]
    confirmed: Sequence[Confirmation] = ()
    importances: Mapping[str, float] = field(default_factory=dict)

    @property
    def metric(self) -> str:
        """The metric of the objective, as text."""
        return self.settings.goal.words

    @cached_property
    def ranked(self) -> list[TrialRecord]:
        """The usable trials with a finite value, best first."""
        return [record for record in ranked(self.records) if has_value(record)]

    @cached_property
    def stopped(self) -> list[TrialRecord]:
        """The pruned trials that cannot be used, with the value of their last loop."""
        return [
            record
            for record in self.records
            if record.state == "pruned" and not record.usable_runs and has_value(record)
        ]

    @property
    def best(self) -> TrialRecord | None:
        """The best trial."""
        return self.ranked[0] if self.ranked else None

    @cached_property
    def front(self) -> list[TrialRecord]:
        """The usable trials that no other beats in both objective and time, fastest first."""
        return pareto(self.ranked)[::-1]

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of trials in each state that occurs, the finished states first."""
        found = Counter(record.state for record in self.records)
        order = [*FINISHED, "running", "paused", "waiting"]
        return {state: found[state] for state in order if found[state]}

    @cached_property
    def searched(self) -> dict[str, Parameter]:
        """The searched parameters."""
        return searched(self.settings)


def searched(settings: StudySettings) -> dict[str, Parameter]:
    """Return the searched parameters of a study."""
    space = Space.from_dict(settings.space).parameters
    return {name: p for name, p in space.items() if not isinstance(p, Fixed)}


def value_of(record: TrialRecord) -> float:
    """Return the objective of a trial; nan if it has no value."""
    return math.nan if record.value is None else record.value


def has_value(record: TrialRecord) -> bool:
    """Whether a trial has a value that can be drawn."""
    return math.isfinite(value_of(record))

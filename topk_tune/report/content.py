"""The content of a report, collected once for all formats."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from topk_tune.charts.importances import shares
from topk_tune.charts.results import Results
from topk_tune.study.confirm import confirmations
from topk_tune.study.context import Context, context_of
from topk_tune.study.study import Study


@dataclass(frozen=True)
class Content(Results):
    """The content of a report: the results of a study, and their context.

    Parameters
    ----------
    budget
        The number of trials that the study was last run for, if that was its limit.
    context
        The baselines and caveats.
    ended
        Why the last run ended, if it did.
    """

    budget: int | None = None
    context: Context = field(default_factory=Context)
    ended: str | None = None

    @classmethod
    def of(cls, study: Study, baselines: bool = False) -> Content:
        """The current content of a study; `baselines` adds the slow baselines."""
        records, confirmed = study.records(), confirmations(study)
        tested = any(each.runs for each in confirmed[:1])
        return cls(
            settings=study.settings,
            records=records,
            confirmed=confirmed,
            context=context_of(study, test=tested, more=baselines),
            importances=shares(study.settings, records),
            budget=study.budget.get("trials"),
            ended=study.ended,
        )

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

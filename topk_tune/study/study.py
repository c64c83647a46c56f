"""Studies: made, run, resumed and read."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import booster
from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import Dataset, load
from topk_tune.engine.events import Observer
from topk_tune.engine.loop import Tuner
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.settings import StudySettings
from topk_tune.records.table import row
from topk_tune.records.trials import TrialRecord, pareto, ranked
from topk_tune.spaces import Space
from topk_tune.storage import Location, Store
from topk_tune.study.rows import tuning_rows
from topk_tune.training.trial import SplitRows

if TYPE_CHECKING:
    import pandas as pd

    from topk_tune.study.plan import Plan

logger = logging.getLogger("topk_tune")

_BUDGET = "budget"


@dataclass(frozen=True)
class Study:
    """A study, to be run or read.

    Parameters
    ----------
    store
        Where it is kept.
    settings
        What makes it what it is.
    """

    store: Store
    settings: StudySettings

    @classmethod
    def create(cls, location: Location, plan: Plan) -> Study:
        """Make a study as planned."""
        return cls(Store.create(location, plan.settings), plan.settings)

    @classmethod
    def open(cls, location: Location, name: str) -> Study:
        """Open a study that exists."""
        store = Store.open(location, name)
        return cls(store, store.settings)

    @classmethod
    def reopen(cls, location: Location, settings: StudySettings) -> Study:
        """Open a study that exists, and that was made with these settings."""
        study = cls.open(location, settings.name)
        there, given = (each.model_dump(mode="json") for each in (study.settings, settings))
        other = [key for key in given if given[key] != there[key]]
        if other:
            raise ValueError(
                f"study {settings.name!r} was made with other settings ({', '.join(other)}): "
                f"go on with its own by `topk-tune resume {settings.name}{location.option}`, or "
                "choose another name"
            )
        return study

    @property
    def space(self) -> Space:
        """Where it searches."""
        return Space.from_dict(self.settings.space, source=f"study {self.settings.name}")

    def data(self) -> Dataset:
        """Its data set, which must be the one that it began with."""
        settings = self.settings
        data = load(settings.dataset, labels=settings.labels, split=settings.split)
        if data.fingerprint != settings.fingerprint:
            raise ValueError(
                f"study {settings.name!r} was made with other data: the fingerprint of "
                f"{settings.dataset} must be {settings.fingerprint[:12]}, but got "
                f"{data.fingerprint[:12]}"
            )
        return data

    def with_space(self, space: Space) -> Study:
        """The study with a wider space."""
        space.widens(self.space)
        settings = self.settings.model_copy(update={"space": space.to_dict()})
        check(settings, space, self.data())
        self.store.replace_settings(settings)
        return replace(self, settings=settings)

    def proposer(self) -> Proposer:
        """What searches; a ValueError says what it needs that is not here."""
        return Proposer(self.settings, self.space)

    def run(
        self,
        stop: StopOptions,
        resources: ResourceOptions,
        observers: Sequence[Observer] = (),
        data: Dataset | None = None,
    ) -> str:
        """Run until a limit is met; returns why it ended."""
        proposer = self.proposer()  # first: it knows what is missing here
        rows = tuning_rows(data or self.data(), self.settings)
        _warn_of_order(rows.of(self.settings.seed))
        self.store.note(_BUDGET, stop.kept())  # first, for whoever resumes what is killed here
        booster.warm_up(load=False)
        backend = resources.make(self.space, rows)
        tuner = Tuner(self.settings, proposer, self.store, backend, stop, resources, observers)
        try:
            tuner.start(rows)
            return tuner.run()
        finally:
            backend.close()

    @property
    def budget(self) -> dict[str, Any]:
        """The limits that it was last run with; see `StopOptions.kept`."""
        return dict(self.store.notes().get(_BUDGET, {}))

    def records(self) -> list[TrialRecord]:
        """All trials by number."""
        return self.store.records()

    def best(self) -> TrialRecord | None:
        """The complete trial that the objective puts first, as it was found; see `confirm`."""
        return next(iter(ranked(self.records())), None)

    def pareto(self) -> list[TrialRecord]:
        """The complete trials that no other beats in both objective and time, best first."""
        return pareto(self.records())

    def dataframe(self) -> pd.DataFrame:
        """The trials as a table, a row each."""
        import pandas as pd

        return pd.DataFrame([row(record) for record in self.records()])


def check(settings: StudySettings, space: Space, data: Dataset) -> None:
    """Raise a ValueError for anything that could go wrong with a study before it starts."""
    space.check(data.n_features, data.n_labels)
    for config in settings.first:
        space.contains(config)
    tuning_rows(data, settings)
    Proposer(settings, space)


def _warn_of_order(rows: SplitRows) -> None:
    """Say so if no training could rank what is measured."""
    missing = int((rows.Y_measure.any(axis=0) & ~rows.Y.any(axis=0)).sum())
    if missing > rows.Y.shape[1] // 10:
        logger.warning(
            "%d of %d labels are relevant in the measuring rows but never in the training rows: "
            "rows that are sorted want --holdout random:0.25:0",
            missing,
            rows.Y.shape[1],
        )

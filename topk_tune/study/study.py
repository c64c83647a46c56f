"""Studies: created, run, resumed and read."""

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
    """A study, to run or to read.

    Parameters
    ----------
    store
        Its storage.
    settings
        Its settings.
    """

    store: Store
    settings: StudySettings

    @classmethod
    def create(cls, location: Location, plan: Plan) -> Study:
        """Create a study as planned."""
        return cls(Store.create(location, plan.settings), plan.settings)

    @classmethod
    def open(cls, location: Location, name: str) -> Study:
        """Open an existing study."""
        store = Store.open(location, name)
        return cls(store, store.settings)

    @classmethod
    def reopen(cls, location: Location, settings: StudySettings) -> Study:
        """Open an existing study that was created with these settings."""
        study = cls.open(location, settings.name)
        there, given = (each.model_dump(mode="json") for each in (study.settings, settings))
        other = [key for key in given if given[key] != there[key]]
        if other:
            raise ValueError(
                f"study {settings.name!r} was created with other settings ({', '.join(other)}): "
                f"continue with its own by `topk-tune resume {settings.name}{location.option}`, or "
                "choose another name"
            )
        return study

    @property
    def space(self) -> Space:
        """Its search space."""
        return Space.from_dict(self.settings.space, source=f"study {self.settings.name}")

    def data(self) -> Dataset:
        """Return its data set, which must be the one it was created with."""
        settings = self.settings
        data = load(settings.dataset, labels=settings.labels, split=settings.split)
        if not data.matches(settings.fingerprint):
            raise ValueError(
                f"study {settings.name!r} was created with other data: the fingerprint of "
                f"{settings.dataset} must be {settings.fingerprint[:12]}, but got "
                f"{data.fingerprint[:12]}"
            )
        return data

    def with_space(self, space: Space) -> Study:
        """Return the study with a wider space."""
        space.widens(self.space)
        settings = self.settings.model_copy(update={"space": space.to_dict()})
        check(settings, space, self.data())
        self.store.replace_settings(settings)
        return replace(self, settings=settings)

    def proposer(self) -> Proposer:
        """Return its search; raises a ValueError if a package that it needs is missing."""
        return Proposer(self.settings, self.space)

    def run(
        self,
        stop: StopOptions,
        resources: ResourceOptions,
        observers: Sequence[Observer] = (),
        data: Dataset | None = None,
    ) -> str:
        """Run until a limit is reached; return the reason why it ended."""
        proposer = self.proposer()  # first, because it fails if a package is missing
        rows = tuning_rows(data or self.data(), self.settings)
        _warn_of_order(rows.of(self.settings.seed))
        self.store.note(_BUDGET, stop.kept())  # first, so that a killed run can be resumed
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
        """Return the limits of the last run; see `StopOptions.kept`."""
        return dict(self.store.notes().get(_BUDGET, {}))

    def records(self) -> list[TrialRecord]:
        """Return all trials by number."""
        return self.store.records()

    def best(self) -> TrialRecord | None:
        """Return the best complete trial as the search found it; see `confirm`."""
        return next(iter(ranked(self.records())), None)

    def pareto(self) -> list[TrialRecord]:
        """Return the complete trials that no other beats in both objective and time, best first."""
        return pareto(self.records())

    def dataframe(self) -> pd.DataFrame:
        """Return the trials as a table, one row each."""
        import pandas as pd

        return pd.DataFrame([row(record) for record in self.records()])


def check(settings: StudySettings, space: Space, data: Dataset) -> None:
    """Raise a ValueError for anything that could go wrong with a study, before it starts."""
    space.check(data.n_features, data.n_labels)
    for config in settings.first:
        space.contains(config)
    tuning_rows(data, settings)
    Proposer(settings, space)


def _warn_of_order(rows: SplitRows) -> None:
    """Warn if measuring rows have labels that no training could learn."""
    missing = int((rows.Y_measure.any(axis=0) & ~rows.Y.any(axis=0)).sum())
    if missing > rows.Y.shape[1] // 10:
        logger.warning(
            "%d of %d labels are relevant in the measuring rows but never in the training rows: "
            "for sorted rows use --holdout random:0.25:0",
            missing,
            rows.Y.shape[1],
        )

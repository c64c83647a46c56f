"""Studies: created, run, resumed and read."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import booster
from topk_tune.backends.base import Backend
from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import Dataset, load
from topk_tune.data.catalog import absolute
from topk_tune.engine.events import Observer
from topk_tune.engine.loop import Tuner
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.settings import StudySettings
from topk_tune.records.table import row
from topk_tune.records.trials import TrialRecord, pareto, ranked
from topk_tune.spaces import Space
from topk_tune.storage import Location, Store
from topk_tune.study.logs import check_enough, check_learners
from topk_tune.study.rows import tuning_rows
from topk_tune.training.trial import SplitRows

if TYPE_CHECKING:
    import pandas as pd

    from topk_tune.study.plan import Plan

logger = logging.getLogger("topk_tune")

_BUDGET = "budget"
_ENDED = "ended"

_PLACE = ("dataset", "labels", "split")
"""The settings that say where the data set is, which is known by its fingerprint."""


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
        there, given = study.settings.asked_for, settings.asked_for
        # Studies of earlier versions lack some settings. The same data may be at another place.
        known = study.settings.model_fields_set
        same = _PLACE if there["fingerprint"] == given["fingerprint"] else ()
        other = [k for k in given if k in known and k not in same and given[k] != there[k]]
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
        try:
            data = load(self.data_place(), labels=settings.labels, split=settings.split)
        except FileNotFoundError as error:
            raise FileNotFoundError(
                f"study {settings.name!r}: {error}: if the data set has moved, say where it is now "
                "with --dataset PATH"
            ) from None
        if not data.matches(settings.fingerprint):
            raise ValueError(
                f"study {settings.name!r} was created with other data: the fingerprint of "
                f"{settings.dataset} must be {settings.fingerprint[:12]}, but got "
                f"{data.fingerprint[:12]}"
            )
        return data

    def data_place(self) -> str:
        """Return where its data set is; a copy of rows from memory moves with the study."""
        dataset = self.settings.dataset
        beside = self.store.location.folder(self.settings.name) / Path(dataset).name
        return str(beside) if beside.is_file() and not Path(dataset).exists() else dataset

    def moved(self, dataset: str) -> Study:
        """Return the study with its data set, which must be the same, at another place."""
        settings = self.settings.model_copy(update={"dataset": absolute(dataset)})
        study = replace(self, settings=settings)
        study.data()
        return study

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
        elapsed: Callable[[], float] | None = None,
        prepared: Backend | None = None,
    ) -> str:
        """Run until a limit is reached; return the reason why it ended.

        `elapsed` returns the seconds that count for the time limit, by default those since now.
        `prepared` are workers that were started before; see `ResourceOptions.prepared`.
        """
        began = time.monotonic()
        proposer = self.proposer()  # first, because it fails if a package is missing
        rows = tuning_rows(data or self.data(), self.settings)
        _warn_of_order(rows.of(self.settings.seed))
        self.store.note(_BUDGET, stop.kept())  # first, so that a killed run can be resumed
        if self.ended is not None:
            self.store.note(_ENDED, None)
        booster.warm_up(load=False)
        backend = prepared or resources.make(self.space, rows)
        tuner = Tuner(
            self.settings,
            proposer,
            self.store,
            backend,
            stop,
            resources,
            observers,
            elapsed=elapsed or (lambda: time.monotonic() - began),
        )
        try:
            tuner.start(rows)
            reason = tuner.run()
            self.store.note(_ENDED, reason)
            return reason
        finally:
            backend.close()

    @property
    def budget(self) -> dict[str, Any]:
        """Return the limits of the last run; see `StopOptions.kept`."""
        return dict(self.store.notes().get(_BUDGET, {}))

    @property
    def ended(self) -> str | None:
        """Return why the last run ended; None if it runs or was killed."""
        reason: str | None = self.store.notes().get(_ENDED)
        return reason

    def records(self) -> list[TrialRecord]:
        """Return all trials by number."""
        return self.store.records()

    def best(self) -> TrialRecord | None:
        """Return the best trial as the search found it; see `confirm`."""
        return next(iter(ranked(self.records())), None)

    def pareto(self) -> list[TrialRecord]:
        """Return the usable trials that no other beats in both objective and time, best first."""
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
    rows = tuning_rows(data, settings)
    if data.is_log:
        check_learners(space)
        check_enough(rows.of(settings.seed))
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

"""Runs a cell: the search, the ranking of the best, and the test of the winner."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from topk_tune.backends.resources import ResourceOptions
from topk_tune.engine.events import Notice, TrialEnded
from topk_tune.engine.loop import INTERRUPTED
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.settings import Protocol
from topk_tune.records.trials import FINISHED, Confirmation, TrialRecord
from topk_tune.reproduce.cells import Cell
from topk_tune.reproduce.effort import Effort
from topk_tune.reproduce.first_configs import starts
from topk_tune.session import confirm_tracked, run_tracked
from topk_tune.spaces import Space
from topk_tune.storage import Location
from topk_tune.storage.store import names
from topk_tune.study.confirm import confirmations
from topk_tune.study.options import SearchOptions
from topk_tune.study.plan import Plan, make_plan
from topk_tune.study.study import Study
from topk_tune.tracking import TrackingConfig
from topk_tune.training.objective import DEFAULT

HOLDOUT = "folds:4:0"
"""The folds of a search that has as many seeds: a quarter of Emotions is only 98 rows, on which
results are mostly luck."""

_TESTED = "tested"
"""The key of the note that the winner of a search was tested and sent to MLflow."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Outcome:
    """The result of a cell.

    Parameters
    ----------
    cell, protocol
        The cell, and the loss that it was searched by.
    confirmation
        The winner on fresh seeds and on the test rows.
    trials
        The number of trials of the search.
    """

    cell: Cell
    protocol: Protocol
    confirmation: Confirmation
    trials: int

    @property
    def shown(self) -> float | None:
        """The mean loss of what is shown on the test rows; None if it was not measured."""
        return self.confirmation.metrics.get("shown_loss")

    @property
    def seconds(self) -> float:
        """The mean time of a training."""
        return float(np.mean([run.reports[-1].seconds for run in self.confirmation.runs]))

    @property
    def bytes(self) -> int:
        """The maximum memory of the trees."""
        return max(run.reports[-1].bytes for run in self.confirmation.runs)


@dataclass(frozen=True)
class Bench:
    """Runs cells.

    Parameters
    ----------
    location
        Where studies are stored.
    resources, tracking
        The machines, and the tracking configuration; None for no tracking.
    prefix
        The prefix of the studies' names.
    """

    location: Location
    resources: ResourceOptions
    tracking: TrackingConfig | None
    prefix: str = "paper-"

    def outcome(
        self, cell: Cell, protocol: Protocol, effort: Effort, progress: Progress
    ) -> Outcome:
        """Run a cell, or continue where it stopped; finished parts are not repeated."""
        space = cell.space(effort.loops)
        winner, trials = self.confirmed(
            self.prefix + cell.study(protocol),
            cell.dataset,
            effort,
            progress,
            space=space,
            first=starts(cell, space),
            protocol=protocol,
        )
        return Outcome(cell, protocol, winner, trials)

    def confirmed(
        self,
        name: str,
        dataset: str,
        effort: Effort,
        progress: Progress,
        *,
        space: Space,
        first: Sequence[Mapping[str, Any]],
        protocol: Protocol = "validation",
    ) -> tuple[Confirmation, int]:
        """The winner of a search, tested, and the number of trials."""
        search = self.study(
            name,
            dataset,
            effort.trials,
            progress,
            space=space,
            protocol=protocol,
            holdout=HOLDOUT,
            seeds=effort.seeds,
            first=first,
            pruner=effort.pruner,
        )
        self._test(search, effort, progress)
        return confirmations(search)[0], len(search.records())

    def _test(self, search: Study, effort: Effort, progress: Progress) -> None:
        """Rank the best of a search again and test the winner, unless that is done."""
        if search.store.notes().get(_TESTED) == effort.fresh:
            return
        search.store.drive()
        confirm_tracked(
            search,
            effort.finalists,
            effort.fresh,
            self.resources,
            progress,
            self.tracking,
        )
        search.store.note(_TESTED, effort.fresh)
        search.store.close()

    def study(
        self,
        name: str,
        dataset: str,
        trials: int,
        progress: Progress,
        *,
        space: Space,
        **settings: Any,
    ) -> Study:
        """A study that has at least this number of finished trials."""
        stop = StopOptions(trials=trials)
        study, plan = self._opened(name, dataset, space, settings, stop)
        if _finished(study.records()) < trials:
            self._run(study, plan, trials, progress)
        study.store.close()
        return Study.open(self.location, name)

    def _opened(
        self,
        name: str,
        dataset: str,
        space: Space,
        settings: Mapping[str, Any],
        stop: StopOptions,
    ) -> tuple[Study, Plan]:
        if name in names(self.location):
            study = Study.open(self.location, name)
            self._check_same(study, space, settings)
            study.store.drive()
            return study, Plan.resumed(study, stop, self.resources)
        search = SearchOptions(dataset=dataset, space=space, name=name, like="none", **settings)
        plan = make_plan(search, stop, self.resources)
        return Study.create(self.location, plan), plan

    def _check_same(self, study: Study, space: Space, settings: Mapping[str, Any]) -> None:
        """Raise a ValueError if an existing study has another objective or space."""
        wanted = settings.get("objective", DEFAULT)
        found = study.settings.objective
        if found != wanted:
            different = f"searches by {found} instead of {wanted}"
        elif study.space != space:
            different = "has another search space"
        else:
            return
        raise ValueError(
            f"study {study.settings.name!r} in {self.location.printable} {different}: use another "
            "--storage, or remove it"
        )

    def _run(self, study: Study, plan: Plan, trials: int, progress: Progress) -> None:
        done = _finished(study.records())

        def watch(notice: Notice) -> None:
            nonlocal done
            if isinstance(notice, TrialEnded):
                done += 1
                progress(done, trials)

        reason = run_tracked(study, plan, [watch], self.tracking)
        if reason == INTERRUPTED:
            study.store.close()
            raise KeyboardInterrupt


def _finished(records: Sequence[TrialRecord]) -> int:
    return sum(record.state in FINISHED for record in records)

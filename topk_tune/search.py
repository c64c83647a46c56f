"""Which configuration to try next: Optuna's samplers and pruners, asked on a study in memory.

The durable storage is written behind it (see `topk_tune.storage`): asking and pruning there
would cost a hundred times as much.
"""

import copy
from collections.abc import Iterable, Mapping
from typing import Any

import optuna
from optuna.pruners import BasePruner
from optuna.samplers import BaseSampler
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, Trial, TrialState

from topk_tune.records import TrialRecord
from topk_tune.samplers import make_pruner, make_sampler
from topk_tune.settings import StudySettings
from topk_tune.spaces import Space

_STATES = {
    "complete": TrialState.COMPLETE,
    "pruned": TrialState.PRUNED,
    "failed": TrialState.FAIL,
}


class Search:
    """Asks for configurations, hears how they do.

    Parameters
    ----------
    settings
        The sampler, the pruner and the seed.
    space
        Where to look.
    """

    def __init__(self, settings: StudySettings, space: Space) -> None:
        self._settings = settings
        self._space = space
        self._grid = iter(space.grid()) if settings.sampler == "grid" else None
        self._loops = int(space.largest("loops"))
        directions = [StudyDirection.MINIMIZE] * (2 if settings.runtime_objective else 1)
        self._study = optuna.create_study(
            study_name=settings.name,
            directions=directions,
            sampler=self._sampler(""),
            pruner=self._pruner(),
        )

    def ask(self, turn: str) -> tuple[Trial, dict[str, Any]] | None:
        """A new trial and its configuration; None when a grid has no more.

        The choice depends on the finished trials and on `turn` alone, which says whose and the
        how manieth it is.
        """
        if self._grid is not None:
            point = next(self._grid, None)
            return None if point is None else self.again(point)
        self._study.sampler = self._sampler(turn)
        trial = self._study.ask()
        return trial, self._space.suggest(trial)

    def again(self, config: dict[str, Any]) -> tuple[Trial, dict[str, Any]]:
        """A trial of a given configuration."""
        self._study.enqueue_trial(config)
        trial = self._study.ask()
        return trial, self._space.suggest(trial)

    def skip(self, configs: Iterable[Mapping[str, Any]]) -> None:
        """Leave out points of a grid that were tried."""
        if self._grid is not None:
            tried = list(configs)
            self._grid = iter([point for point in self._space.grid() if point not in tried])

    def hopeless(self, trial: Trial, repeat: int, reports: list[float], done: bool) -> bool:
        """Whether to stop a trial, given the losses of its run on the seed number `repeat`.

        A seed's loops follow those of the seed before it, so that trials are compared at the
        same loop of the same seed. Wilcoxon's test compares whole runs.
        """
        if self._settings.pruner == "none" or self._settings.runtime_objective:
            return False
        if self._settings.pruner == "wilcoxon":
            if not done:
                return False
            trial.report(min(reports), repeat)
        else:
            trial.report(reports[-1], repeat * self._loops + len(reports))
        return trial.should_prune()

    def outcome(self, trial: Trial, record: TrialRecord) -> FrozenTrial:
        """A finished trial as Optuna keeps it."""
        frozen = copy.copy(self._study.get_trials(deepcopy=False)[trial.number])
        frozen.state = _STATES[record.state]
        frozen.values = self._values(record)
        return frozen

    def tell(self, trial: Trial, record: TrialRecord) -> None:
        """Hear how a trial ended."""
        self._study.tell(trial, self._values(record), state=_STATES[record.state])

    def _values(self, record: TrialRecord) -> list[float] | None:
        if record.state != "complete":
            return None
        assert record.loss is not None
        return [record.loss, record.seconds][: len(self._study.directions)]

    def learn(self, trials: Iterable[FrozenTrial]) -> None:
        """Take over finished trials of an earlier run, or of another driver."""
        for trial in trials:
            if self._settings.sampler == "qmc" and self._study.get_trials(deepcopy=False):
                # Its place in the sequence: only the first trial has none.
                self._study.sampler.sample_relative(self._study, trial, trial.distributions)
            self._study.add_trial(trial)

    def _sampler(self, turn: str) -> BaseSampler:
        return make_sampler(self._settings.sampler, self._settings.seed, turn)

    def _pruner(self) -> BasePruner:
        return make_pruner(self._settings.pruner, self._loops * self._settings.seeds)

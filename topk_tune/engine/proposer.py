"""Proposes configurations with Optuna's samplers and pruners, on a study in memory.

The durable storage is written behind it (see `topk_tune.storage`), because asking and pruning
there would cost a hundred times as much.
"""

import copy
import math
from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

import optuna
from optuna.pruners import BasePruner, NopPruner
from optuna.samplers import BaseSampler
from optuna.trial import FrozenTrial, Trial, TrialState

from topk_tune.engine import rules
from topk_tune.engine.halving import Halving
from topk_tune.engine.median import KnownMedian
from topk_tune.engine.optuna_pruners import make_pruner
from topk_tune.engine.optuna_samplers import Distributions, draw_many, make_sampler
from topk_tune.engine.pruners import PAUSING, PRUNERS, SEED_BY_SEED, WHOLE_RUNS
from topk_tune.engine.running_trial import RunningTrial
from topk_tune.engine.samplers import BATCHES, COUNTING, FORGETFUL, GRID, SAMPLERS, SEQUENCE
from topk_tune.engine.thawing import Thawing
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import TrialRecord, training_key
from topk_tune.spaces import Fixed, Space
from topk_tune.storage.quiet_optuna import unannounced
from topk_tune.training.trial import LoopReport, can_be_cut

_STATES = {
    "complete": TrialState.COMPLETE,
    "pruned": TrialState.PRUNED,
    "failed": TrialState.FAIL,
}

Runs = Sequence[LoopReport]

_BOUND = "exploration_cost"
"""Optuna's name for the bound of the objective."""

# At 10,000 trials an ask would otherwise take 0.2 s; TPE's good group has at most 25 trials.
_FIRST_FORGET = 2000
_FORGET_EVERY = 1000
_KEPT_BEST = 250
_KEPT_LATEST = 750


class Proposer:
    """Asks for configurations and is told their results.

    Parameters
    ----------
    settings
        The sampler, the pruner and the seed.
    space
        The search space.
    """

    def __init__(self, settings: StudySettings, space: Space) -> None:
        rules.check(settings)
        self._settings = settings
        self._traits = SAMPLERS[settings.sampler].traits | PRUNERS[settings.pruner].traits
        self._goal = settings.goal
        self._space = space
        self._grid = iter(space.grid()) if GRID in self._traits else None
        self._loops = int(space.largest("loops"))
        self._pausing: Halving | Thawing | None = None
        if PAUSING in self._traits:
            self._pausing = PRUNERS.load(settings.pruner)(self._loops, settings.seeds)
        self.by_seed = SEED_BY_SEED in self._traits
        self._told = 0
        self.exhausted = False
        self._whole: Distributions | None = None
        self._drawn: deque[dict[str, Any]] = deque()
        self._searched = {name for name, p in space.parameters.items() if not isinstance(p, Fixed)}
        self._uniform = not any(parameter.when for parameter in space.parameters.values())
        self._study = self._empty()

    def _empty(self) -> optuna.Study:
        with unannounced():
            study = optuna.create_study(
                study_name=self._settings.name,
                directions=self._settings.directions,
                sampler=self._sampler(""),
                pruner=self._pruner(),
            )
        # Exhausted samplers call `stop` to end Optuna's own loop, which is not used here.
        study.stop = self._exhaust  # type: ignore[method-assign]
        return study

    def _exhaust(self) -> None:
        self.exhausted = True

    def ask(self, turn: str, ahead: int = 1) -> tuple[Trial, dict[str, Any]] | None:
        """Return a new trial and its configuration; None if every point was tried.

        The choice depends only on the finished trials and on `turn`, which identifies the driver
        and the number of its request; and on earlier calls if `ahead` is above 1: so many may be
        chosen together, because a choice takes longer than a trial where there are many workers.
        """
        point = next(self._grid, None) if self._grid is not None else None
        self.exhausted |= self._grid is not None and point is None
        if self.exhausted:
            return None
        if point is not None:
            return self.again(point)
        if not self._drawn and ahead > 1 and BATCHES in self._traits and self._whole:
            seed = self._settings.seed
            self._drawn += draw_many(self._study, seed, turn, self._whole, ahead)
        if self._drawn:
            return self.again(self._drawn.popleft())
        self._study.sampler = self._sampler(turn)
        trial = self._study.ask()
        config = self._space.suggest(trial)
        self._whole = trial.distributions if self._uniform else None
        return trial, config

    def again(
        self, config: dict[str, Any], reports: Mapping[int, float] | None = None
    ) -> tuple[Trial, dict[str, Any]]:
        """Return a trial of a given configuration, with its earlier reports."""
        self._study.enqueue_trial(config)
        trial = self._study.ask()
        if COUNTING in self._traits:
            # Draw parameters although they are given: sequences and populations count the draws.
            _ = trial.relative_params
        config = self._space.suggest(trial)
        for step, value in (reports or {}).items():
            trial.report(value, step)
        return trial, config

    def skip(self, configs: Iterable[Mapping[str, Any]]) -> None:
        """Mark points of a grid as tried."""
        if self._grid is not None:
            tried = list(configs)
            self._grid = iter([point for point in self._space.grid() if point not in tried])

    def hopeless(self, run: RunningTrial, seed: int) -> bool:
        """Whether to stop a trial after its last report, which is of this seed.

        The loops of a seed follow those of the seed before it, so that trials are compared at the
        same loop of the same seed. Wilcoxon's test compares whole runs.
        """
        if self._settings.runtime_objective:  # Optuna accepts no reports with two objectives
            return False
        repeat, reports = run.seeds.index(seed), run.reports[seed]
        if WHOLE_RUNS in self._traits:
            if len(reports) < run.config["loops"]:
                return False
            run.trial.report(self._mean(run.config, [reports]), repeat)
            return run.trial.should_prune()
        news = self._after(run.config, [run.reports[each] for each in run.seeds[: repeat + 1]])
        for step, value in news.items():
            run.trial.report(value, step)
        if self._pausing is not None:
            return self._note(run.number, news)
        return run.trial.should_prune()

    def _note(self, number: int, values: Mapping[int, float]) -> bool:
        """Note the values of a trial by step; return whether it pauses after one of them."""
        assert self._pausing is not None
        signed = {step: self._goal.signed(value) for step, value in values.items()}
        return any([self._pausing.pauses(number, step, value) for step, value in signed.items()])

    def _after(self, config: Mapping[str, Any], runs: Sequence[Runs]) -> dict[int, float]:
        """Return the value of the last report by its step, counted over all seeds.

        If seeds are bought one by one, the step after a seed has the mean over the seeds so far,
        which are the same for all trials.
        """
        before, report = self._loops * (len(runs) - 1), runs[-1][-1]
        found = {before + report.loop: self._goal.guide(report.metrics)}
        if self.by_seed and report.loop == config["loops"]:
            found[before + self._loops] = self._mean(config, runs)
        return found

    def _mean(self, config: Mapping[str, Any], runs: Sequence[Runs]) -> float:
        """Return the value of complete trainings, of one seed each."""
        loops = zip(*runs, strict=True)
        values = [fmean(self._goal.guide(each.metrics) for each in loop) for loop in loops]
        return self._goal.best(values) if can_be_cut(config) else values[-1]

    @property
    def pauses(self) -> bool:
        """Whether trials that are stopped may go on later."""
        return self._pausing is not None

    def next_paused(self, paused: Container[int], last: bool) -> int | None:
        """Return the paused trial that should go on now; `last` if no new trials will come."""
        return None if self._pausing is None else self._pausing.next(paused, last)

    def of_today(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Return a stored configuration with the fixed values that the space has today."""
        parameters = self._space.parameters.items()
        fixed = {n: p.value for n, p in parameters if isinstance(p, Fixed) and n in config}
        return {**config, **fixed}

    def may_go_on(self, record: TrialRecord) -> bool:
        """Whether a trial is paused, and would begin today as it began."""
        keys = (training_key(c, 0) for c in (record.config, self.of_today(record.config)))
        return record.state == "paused" and len(set(keys)) == 1

    def pause(self, trial: Trial, record: TrialRecord) -> None:
        """Record that a trial has paused: until it goes on, it counts as pruned."""
        self._constrain(trial, record)
        self._study.tell(trial, state=TrialState.PRUNED)

    def go_on(self, run: RunningTrial) -> Trial:
        """Return the trial of Optuna that replaces a paused one: a finished one cannot go on."""
        paused = self._study.get_trials(deepcopy=False)[run.trial.number]
        paused.state = TrialState.FAIL  # which samplers ignore
        return self.again(dict(run.config), self.steps(run.config, run.reports.values()))[0]

    def steps(self, config: Mapping[str, Any], runs: Iterable[Runs]) -> dict[int, float]:
        """Return the values of the reports of all seeds by step."""
        found: dict[int, float] = {}
        before: list[Runs] = []
        for reports in runs:
            for count in range(1, len(reports) + 1):
                found.update(self._after(config, [*before, reports[:count]]))
            before.append(reports)
        return found

    def in_steps(self, trial: FrozenTrial, record: TrialRecord) -> FrozenTrial:
        """Return a stored trial with its reports at the steps of today.

        The steps of the second seed follow the loops of the first, and a study may have got more
        loops since the trial was stored.
        """
        if WHOLE_RUNS in self._traits or not trial.intermediate_values:
            return trial
        stepped = copy.copy(trial)
        stepped.intermediate_values = self._steps_of(record)
        return stepped

    def recall(self, record: TrialRecord) -> None:
        """Note how a trial of an earlier run did at the rungs."""
        if self._pausing is not None:
            self._note(record.number, self._steps_of(record))

    def _steps_of(self, record: TrialRecord) -> dict[int, float]:
        return self.steps(record.config, (run.reports for run in record.runs))

    def outcome(self, trial: Trial, record: TrialRecord) -> FrozenTrial:
        """Return a finished trial in Optuna's form."""
        self._constrain(trial, record)
        frozen = copy.copy(self._study.get_trials(deepcopy=False)[trial.number])
        frozen.state = _STATES[record.state]
        frozen.values = self._values(record)
        return frozen

    def tell(self, trial: Trial, record: TrialRecord) -> None:
        """Record how a trial ended."""
        self._constrain(trial, record)
        self._inform(self._study.tell(trial, self._values(record), state=_STATES[record.state]))
        self._told += 1

    def _constrain(self, trial: Trial, record: TrialRecord) -> None:
        """Tell Optuna by how much a trial exceeds the bound of the objective."""
        bound = self._goal.bound
        if bound is not None and record.value is not None and _BOUND not in trial.constraints:
            excess = bound.excess(record.metrics)
            trial.set_constraint(_BOUND, math.inf if math.isnan(excess) else excess)

    def forget(self, underway: Iterable[RunningTrial]) -> None:
        """From time to time, drop trials that no longer affect the next choice.

        The time of an ask grows with the number of trials, but the thousandth bad trial teaches
        nothing. When and what to drop depends only on the finished trials, so that a resumed
        study continues as if it had not stopped.
        """
        due = self._told >= _FIRST_FORGET and self._told % _FORGET_EVERY == 0
        if not due or FORGETFUL not in self._traits or self._settings.runtime_objective:
            return
        trials = self._study.get_trials(deepcopy=False)
        finished = [trial for trial in trials if trial.state.is_finished()]
        complete = [trial for trial in finished if trial.state == TrialState.COMPLETE]
        best = sorted(complete, key=self._place)[:_KEPT_BEST]
        kept = {trial.number for trial in [*best, *finished[-_KEPT_LATEST:]]}
        self._study = self._empty()
        for trial in finished:
            if trial.number in kept:
                self._add(trial)
        for run in underway:
            run.trial = self._carried_over(trials[run.trial.number])

    def _carried_over(self, trial: FrozenTrial) -> Trial:
        """Return a running trial of another study as one of this."""
        self._study.add_trial(trial)
        return Trial(self._study, self._study.get_trials(deepcopy=False)[-1]._trial_id)

    def _place(self, trial: FrozenTrial) -> tuple[float, float, int]:
        """Return the sort key of a complete trial, best first."""
        exceeded = max(0.0, trial.constraints.get(_BOUND, 0.0))
        assert trial.value is not None
        return exceeded, self._goal.signed(trial.value), trial.number

    def _values(self, record: TrialRecord) -> list[float] | None:
        if record.state != "complete":
            return None
        assert record.value is not None
        return [record.value, record.seconds][: len(self._study.directions)]

    def learn(self, trials: Iterable[FrozenTrial]) -> None:
        """Add finished trials of an earlier run or of another driver."""
        for trial in trials:
            if SEQUENCE in self._traits and self._study.get_trials(deepcopy=False):
                # Its place in the sequence; only the first trial has none.
                self._study.sampler.sample_relative(self._study, trial, trial.distributions)
            self._add(trial)
            self._uniform = self._uniform and set(trial.params) == self._searched
            self._told += 1
            self.forget([])

    def _add(self, trial: FrozenTrial) -> None:
        self._study.add_trial(trial)
        self._inform(trial)

    def _inform(self, trial: FrozenTrial) -> None:
        """Tell a pruner that does not look through the study of a finished trial."""
        if isinstance(self._study.pruner, KnownMedian):
            self._study.pruner.learn(trial)

    def _sampler(self, turn: str) -> BaseSampler:
        return make_sampler(self._settings.sampler, self._settings.seed, turn, self._whole)

    def _pruner(self) -> BasePruner:
        if PAUSING in self._traits:
            return NopPruner()
        return make_pruner(self._settings.pruner, self._loops * self._settings.seeds)

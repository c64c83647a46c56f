"""Estimates what a study would take, without running it."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import booster
from topk_tune.backends.memory import largest_memory
from topk_tune.engine.proposer import Proposer
from topk_tune.study.context import make_context
from topk_tune.study.plan import Plan
from topk_tune.study.rows import tuning_rows
from topk_tune.training.baselines import Baseline
from topk_tune.training.trial import TrialConfig, run_trial

_SAMPLES = 3
_DRAWN = 30
"""Configurations whose cost is averaged: the search draws its first ones at random."""


@dataclass(frozen=True)
class DryRun:
    """The estimate.

    Parameters
    ----------
    samples
        Some configurations that the search would try.
    timed
        The configuration whose loop was timed.
    loop_seconds
        The duration of that loop.
    seconds
        The duration of the study without pruning; None if it has no number of trials.
    workers
        The number of workers.
    memory
        The most bytes that a trial can take, without the rows.
    baselines
        The baselines on the trials' measuring rows.
    """

    samples: Sequence[Mapping[str, Any]]
    timed: Mapping[str, Any]
    loop_seconds: float
    seconds: float | None
    workers: int
    memory: int
    baselines: Sequence[Baseline]

    @property
    def cpu_hours(self) -> float:
        """The total time of one processor, in hours."""
        return (self.seconds or 0.0) * self.workers / 3600


def estimate(plan: Plan, more: bool = False) -> DryRun:
    """Draw configurations, time one loop, and estimate the duration of the study.

    The time of a loop is assumed to be proportional to the number of learners, which is nearly
    true.
    """
    settings, workers, trials = plan.settings, plan.resources.count, plan.stop.trials
    proposer = Proposer(settings, plan.space)
    asked = [proposer.ask(str(turn)) for turn in range(_DRAWN)]
    configs = [config for _, config in filter(None, asked)]
    middle = sorted(configs, key=_learners)[len(configs) // 2]
    booster.warm_up()
    rows = tuning_rows(plan.data, settings)
    once = TrialConfig.of({**middle, "loops": 1})
    loop = next(iter(run_trial(once, settings.seed, rows, settings.measure))).seconds
    costs = [loop * _learners(c) / _learners(middle) * c["loops"] for c in configs]
    each = statistics.mean(costs) * settings.seeds
    seconds = None if trials is None else each * trials / workers
    others = make_context(settings, plan.data, more=more).tuning
    memory = largest_memory(plan.space, rows)
    return DryRun(configs[:_SAMPLES], middle, loop, seconds, workers, memory, others)


def _learners(config: Mapping[str, Any]) -> int:
    return int(config.get("n_learners", booster.Booster.n_learners))

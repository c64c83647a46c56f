"""Estimates what a study would take, without running it."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, NamedTuple

import booster
from topk_tune.backends.memory import largest_memory
from topk_tune.engine.proposer import Proposer
from topk_tune.study.context import make_context
from topk_tune.study.plan import Plan
from topk_tune.study.rows import tuning_rows
from topk_tune.training.baselines import Baseline
from topk_tune.training.training import run_trial
from topk_tune.training.trial import TrialConfig, TrialRows

_SAMPLES = 3
_DRAWN = 30
"""Configurations whose cost is averaged: the search draws its first ones at random."""
_PLACES = (0.5, 1.0, 0.0, 0.75, 0.25)
"""Which of them are timed, in the order of their number of learners: the ends, and between."""
_PATIENCE = 20.0
"""Seconds of timing after which no further configuration is begun."""
_LOOPS = 2
"""Loops that are timed: trees grow, so the second takes longer than the first."""
_PRUNED = 0.35
"""The least share of the loops that a search with pruning has trained in our studies."""
_SENT = 0.4
"""Seconds that MLflow takes for a trial with its files, while other trials run."""


class Span(NamedTuple):
    """A range of seconds."""

    low: float
    high: float

    def __add__(self, other: object) -> "Span":
        """Return both, one after the other."""
        assert isinstance(other, Span)
        return Span(self.low + other.low, self.high + other.high)


_START = {False: Span(2.0, 6.0), True: Span(6.0, 15.0)}
"""Until the first trial: in processes of this machine, and with a Ray that is started or joined."""
_REPORT = Span(1.0, 4.0)


@dataclass(frozen=True)
class Timed:
    """A configuration, and the seconds of its first and its second loop."""

    config: Mapping[str, Any]
    first: float
    second: float

    def trial(self) -> float:
        """The seconds of a trial with all its loops, without pruning."""
        later = int(self.config["loops"]) - 1
        return self.first + later * max(self.first, self.second)


@dataclass(frozen=True)
class DryRun:
    """The estimate.

    Parameters
    ----------
    samples
        Some configurations that the search would try.
    timed
        The configurations that were timed.
    start, trials, end
        Seconds until the first trial, for the trials, and for what comes after them; `trials` is
        None if their number is unknown.
    workers
        The number of workers.
    memory
        The most bytes that a trial can take, without the rows.
    baselines
        The baselines on the trials' measuring rows.
    """

    samples: Sequence[Mapping[str, Any]]
    timed: Sequence[Timed]
    start: Span
    trials: Span | None
    end: Span
    workers: int
    memory: int
    baselines: Sequence[Baseline]

    @property
    def total(self) -> Span | None:
        """The seconds of the whole run."""
        return None if self.trials is None else self.start + self.trials + self.end

    @property
    def cpu_hours(self) -> Span:
        """The total time of processors, in hours."""
        low, high = self.trials or Span(0.0, 0.0)
        return Span(low * self.workers / 3600, high * self.workers / 3600)


def estimate(plan: Plan, more: bool = False, tracked: bool = True) -> DryRun:
    """Draw configurations, time some of them, and estimate the duration of the study.

    The time of a loop is taken to be proportional to the number of learners; the ratio differs
    between the configurations that are timed, which gives the range.
    """
    settings, workers = plan.settings, plan.resources.count
    proposer = Proposer(settings, plan.space)
    asked = [proposer.ask(str(turn)) for turn in range(_DRAWN)]
    configs = [config for _, config in filter(None, asked)]
    booster.warm_up()
    rows = tuning_rows(plan.data, settings)
    timed = list(_timings(configs, rows, plan))
    each = _trial_seconds(configs, timed, settings.seeds, prunes=settings.pruner != "none")
    count = plan.stop.trials
    trials = None if count is None else Span(*(part * count / workers for part in each))
    end = _end(each, trials, count or 0) if tracked else _REPORT
    return DryRun(
        samples=configs[:_SAMPLES],
        timed=timed,
        start=_START[plan.resources.takes_clusters],
        trials=trials,
        end=end,
        workers=workers,
        memory=largest_memory(plan.space, rows),
        baselines=make_context(settings, plan.data, more=more).tuning,
    )


def _timings(configs: Sequence[Mapping[str, Any]], rows: TrialRows, plan: Plan) -> Iterator[Timed]:
    """Time two loops of the smallest, the largest and some other configurations."""
    ordered = sorted(configs, key=_learners)
    chosen = dict.fromkeys(round(place * (len(ordered) - 1)) for place in _PLACES)
    began = time.monotonic()
    for at in chosen:
        loops = min(_LOOPS, ordered[at]["loops"])
        short = TrialConfig.of({**ordered[at], "loops": loops})
        reports = list(run_trial(short, plan.settings.seed, rows, plan.settings.measure))
        first = reports[0].seconds
        yield Timed(ordered[at], first, reports[-1].seconds - first if loops > 1 else first)
        if time.monotonic() - began > _PATIENCE:
            return


def _trial_seconds(
    configs: Sequence[Mapping[str, Any]], timed: Sequence[Timed], seeds: int, prunes: bool
) -> Span:
    """The mean seconds of a trial: at the lowest and at the highest rate that was measured."""
    rates = [each.trial() / _size(each.config) for each in timed]
    size = mean(map(_size, configs)) * seeds
    # The mean rate of all configurations lies between those of single ones.
    low, high = ((mean(rates) + end) / 2 for end in (min(rates), max(rates)))
    return Span(size * low * (_PRUNED if prunes else 1.0), size * high)


def _end(each: Span, trials: Span | None, count: int) -> Span:
    """The seconds to report, to train the best booster, and to send what MLflow lacks."""
    behind = max(count * _SENT - (trials.low if trials else 0.0), 1.0)
    return _REPORT + Span(each.low, 2 * each.high) + Span(1.0, behind)


def _size(config: Mapping[str, Any]) -> int:
    """The number of learners that are trained, loop by loop."""
    return int(_learners(config) * config["loops"])


def _learners(config: Mapping[str, Any]) -> int:
    return int(config.get("n_learners", booster.Booster.n_learners))

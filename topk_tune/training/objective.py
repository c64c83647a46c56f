"""What a search is after: a metric, whether less or more of it is better, perhaps a bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from topk_tune.plugins.names import one_of
from topk_tune.training.metrics import METRICS, Direction, metric, words

DEFAULT = "shown_loss"

Key = tuple[float, float]
"""What sorts: how far the bound is exceeded, then the value, the better the smaller."""


@dataclass(frozen=True)
class Bound:
    """At most so much of the loss of what is shown may be the cost of exploration."""

    limit: float

    watched: ClassVar[tuple[str, ...]] = ("shown_loss", "greedy_loss", "ties")

    def excess(self, metrics: Mapping[str, float]) -> float:
        """How far it is exceeded; at most 0 if it is kept, not a number if it is unknown.

        The greedy loss counts pairs that tie as wrong, but what is shown has some of them right.
        With all of them counted as right the cost is never taken for less than it is.
        """
        if any(name not in metrics for name in self.watched):
            return math.nan
        shown, greedy, ties = (metrics[name] for name in self.watched)
        return shown - (greedy - ties) - self.limit


@dataclass(frozen=True)
class Objective:
    """What a search is after.

    Parameters
    ----------
    metric
        The name of the metric that decides.
    direction
        Whether less or more of it is better.
    bound
        What a configuration must keep to; those that do come before all that do not.
    """

    metric: str = DEFAULT
    direction: Direction = "minimize"
    bound: Bound | None = None

    @classmethod
    def of(
        cls, name: str, exploration_cost: float | None = None, direction: Direction | None = None
    ) -> Objective:
        """By the name of a metric; the cost of exploration may be bounded.

        With a direction it need not be a metric that is known here.
        """
        bound = None if exploration_cost is None else Bound(exploration_cost)
        if direction is None:
            direction = metric(one_of("objective", name, METRICS)).direction
        return cls(name, direction, bound)

    def judged_by(self, name: str) -> Objective:
        """The same where the metric has a prefix, or another metric stands in for it."""
        bare = name.rpartition("/")[2]
        direction = self.direction if bare == self.metric else metric(bare).direction
        return replace(self, metric=name, direction=direction)

    @property
    def words(self) -> str:
        """The metric in prose and on charts."""
        return words(self.metric)

    @property
    def watched(self) -> tuple[str, ...]:
        """The metrics that it looks at."""
        return tuple(dict.fromkeys((self.metric, *(self.bound.watched if self.bound else ()))))

    @property
    def superlative(self) -> str:
        """What the best value is, in a word."""
        return "least" if self.direction == "minimize" else "greatest"

    def value(self, metrics: Mapping[str, float]) -> float:
        """The value of a report; not a number if the metric was not measured."""
        return metrics.get(self.metric, math.nan)

    def key(self, metrics: Mapping[str, float]) -> Key:
        """What sorts reports, best first: those within the bound, then by value."""
        excess = 0.0 if self.bound is None else self.bound.excess(metrics)
        return _least(max(excess, 0.0)), self.signed(self.value(metrics))

    def guide(self, metrics: Mapping[str, float]) -> float:
        """The value that trials are pruned by: worse by as much as the bound is exceeded."""
        excess, value = self.key(metrics)
        penalised = value + excess
        return penalised if self.direction == "minimize" else -penalised

    def signed(self, value: float) -> float:
        """A value such that smaller is better; infinite if it is no number."""
        return _least(value if self.direction == "minimize" else -value)

    def best(self, values: Sequence[float]) -> float:
        """The best of some values."""
        return min(values, key=self.signed)


def _least(value: float) -> float:
    return math.inf if math.isnan(value) else value

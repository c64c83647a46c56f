"""The objective of a search: a metric, its direction, and optionally a bound."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from topk_tune.plugins.names import one_of
from topk_tune.training.metrics import METRICS, Direction, metric, words

DEFAULT = "shown_loss"

Key = tuple[float, float]
"""A sort key: how far the bound is exceeded, then the value, smaller being better."""


@dataclass(frozen=True)
class Bound:
    """An upper limit on the cost of exploration: the shown loss minus the greedy loss."""

    limit: float

    watched: ClassVar[tuple[str, ...]] = ("shown_loss", "greedy_loss", "ties")

    def excess(self, metrics: Mapping[str, float]) -> float:
        """Return by how much it is exceeded: at most 0 if it is met, nan if it is unknown.

        The greedy loss counts ties as wrong, but some of them are right in the shown ranking.
        Counting all ties as right ensures that the cost is never underestimated.
        """
        if any(name not in metrics for name in self.watched):
            return math.nan
        shown, greedy, ties = (metrics[name] for name in self.watched)
        return shown - (greedy - ties) - self.limit


@dataclass(frozen=True)
class Objective:
    """The objective of a search.

    Parameters
    ----------
    metric
        The name of the metric.
    direction
        Whether lower or higher is better.
    bound
        A constraint; configurations that meet it rank before all others.
    """

    metric: str = DEFAULT
    direction: Direction = "minimize"
    bound: Bound | None = None

    @classmethod
    def of(
        cls, name: str, exploration_cost: float | None = None, direction: Direction | None = None
    ) -> Objective:
        """Make an objective from the name of a metric, optionally with a bound.

        If the direction is given, the metric need not be installed.
        """
        bound = None if exploration_cost is None else Bound(exploration_cost)
        if direction is None:
            direction = metric(one_of("objective", name, METRICS)).direction
        return cls(name, direction, bound)

    def judged_by(self, name: str) -> Objective:
        """Return the same objective with another metric, for example one with a prefix."""
        bare = name.rpartition("/")[2]
        direction = self.direction if bare == self.metric else metric(bare).direction
        return replace(self, metric=name, direction=direction)

    @property
    def words(self) -> str:
        """The metric as text for sentences and charts."""
        return words(self.metric)

    @property
    def watched(self) -> tuple[str, ...]:
        """The metrics it depends on."""
        return tuple(dict.fromkeys((self.metric, *(self.bound.watched if self.bound else ()))))

    @property
    def superlative(self) -> str:
        """The word for the best value: "least" or "greatest"."""
        return "least" if self.direction == "minimize" else "greatest"

    def value(self, metrics: Mapping[str, float]) -> float:
        """Return the value of a report; nan if the metric was not measured."""
        return metrics.get(self.metric, math.nan)

    def key(self, metrics: Mapping[str, float]) -> Key:
        """Return the sort key of a report, best first: reports within the bound, then by value."""
        excess = 0.0 if self.bound is None else self.bound.excess(metrics)
        return _least(max(excess, 0.0)), self.signed(self.value(metrics))

    def guide(self, metrics: Mapping[str, float]) -> float:
        """Return the value used for pruning: worse by as much as the bound is exceeded."""
        excess, value = self.key(metrics)
        penalised = value + excess
        return penalised if self.direction == "minimize" else -penalised

    def signed(self, value: float) -> float:
        """Return the value with its sign chosen so that smaller is better; inf instead of nan."""
        return _least(value if self.direction == "minimize" else -value)

    def best(self, values: Sequence[float]) -> float:
        """Return the best of some values."""
        return min(values, key=self.signed)


def _least(value: float) -> float:
    return math.inf if math.isnan(value) else value

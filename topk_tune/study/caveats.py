"""Warnings to show beside the result of a study."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from topk_tune.spaces import DataKind, Float, Int, Space, SpaceError
from topk_tune.spaces.reading import OBSERVER
from topk_tune.spaces.values import is_number

_NEAR = 0.01
"""The share of a range that counts as its edge."""

_BEYOND = 0.05
"""The share of its length by which a range is extended to test whether values beyond are legal."""


N_COVARIATES = "n_covariates"
"""What only boosters with trees have, which observe."""


class Shape(NamedTuple):
    """The shape of the data, which limits the legal parameter values."""

    n_features: int
    n_labels: int


@dataclass(frozen=True)
class Edge:
    """A value at the end of the range that was searched."""

    name: str
    value: float
    parameter: Int | Float
    end: Literal["low", "high"]

    def __str__(self) -> str:
        """Return a sentence with a hint to widen the range."""
        upper = self.end == "high"
        scale = " on a logarithmic scale" if self.parameter.log else ""
        return (
            f"{self.name} = {self.value:.4g} is at the {'upper' if upper else 'lower'} end of "
            f"its range, {self.parameter.low:.4g} to {self.parameter.high:.4g}{scale}: "
            f"{'larger' if upper else 'smaller'} values may do better"
        )


def above_label_frequency(loss: float, frequency: float) -> str | None:
    """Return a warning if a loss is not better than ranking by label frequency."""
    if loss < frequency:
        return None
    return (
        f"the loss of {loss:.4f} is not below that of label frequency, {frequency:.4f}: one "
        "ranking for all rows, the most frequent labels first, would do no worse"
    )


def slow_observer(space: Space, kind: DataKind) -> str | None:
    """Return a warning if trees would observe every feature of rows that are mostly zero."""
    named = space.parameters.keys()
    if not kind.sparse or N_COVARIATES not in named or named & {OBSERVER, "learner"}:
        return None
    return (
        f"{space.source} names no observer, so trees observe all features of rows that are mostly "
        f"zero, which takes many times the time and memory: add `{OBSERVER}: {kind.observer}`, or "
        f"a block `sparse:`, with which it is chosen from the data"
    )


def edges(config: Mapping[str, Any], space: Space, shape: Shape | None = None) -> list[Edge]:
    """Return the values of a configuration that lie at the edge of their range.

    Choices have no edge, and neither does an end beyond which no value is legal. With `shape`,
    the boosters themselves are asked.
    """
    found = (_edge(name, value, space) for name, value in config.items())
    return [edge for edge in found if edge and (shape is None or _can_widen(edge, space, shape))]


def _edge(name: str, value: Any, space: Space) -> Edge | None:
    parameter = space.parameters.get(name)
    if not isinstance(parameter, Int | Float) or not is_number(value):
        return None
    low, high = parameter.low, parameter.high
    # A number of loops below the upper end is no edge: the trial has passed through it.
    if not low <= value <= high or low == high:
        return None
    scale = math.log if parameter.log else float
    place = (scale(value) - scale(low)) / (scale(high) - scale(low))
    if place <= _NEAR:
        return Edge(name, value, parameter, "low")
    return Edge(name, value, parameter, "high") if place >= 1 - _NEAR else None


def _can_widen(edge: Edge, space: Space, shape: Shape) -> bool:
    try:
        space.fixed(**{edge.name: _beyond(edge)}).check(*shape)
    except SpaceError:
        return False
    return True


def _beyond(edge: Edge) -> float:
    """Return a value beyond the end of a range."""
    parameter, upper = edge.parameter, edge.end == "high"
    low, high = parameter.low, parameter.high
    if isinstance(parameter, Int):
        return high + parameter.step if upper else low - parameter.step
    if parameter.log:
        factor = math.exp(_BEYOND * math.log(high / low))
        return high * factor if upper else low / factor
    if upper:
        return high + _BEYOND * (high - low)
    lower = low - _BEYOND * (high - low)
    return lower if lower > 0 or low <= 0 else low / 2

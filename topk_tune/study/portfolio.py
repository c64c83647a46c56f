"""Which configurations to begin with: few, of which some should do well on a new data set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topk_tune.spaces import Choice, Fixed, Parameter, Space

Config = dict[str, Any]
Floats = NDArray[np.float64]

_APART = 0.1
"""The distance of configurations that are worth trying both; random ones are 0.4 apart."""

_FAR = 0.15
"""The distance at which a result says about half as much about another configuration."""

_TOP = 25
"""How many of the best on a data set are candidates."""

_EACH = 0.5
"""The weight of how a configuration does by itself, next to what it adds to those chosen."""


@dataclass(frozen=True)
class Evidence:
    """The results on one data set, in terms of the space to search.

    Parameters
    ----------
    name
        Whose results they are.
    configs, ranks
        The configurations, best first, and how they did: from 0, the best, to 1.
    weight
        How much they count.
    """

    name: str
    configs: Sequence[Config]
    ranks: Sequence[float]
    weight: float = 1.0


def portfolio(
    evidence: Sequence[Evidence], space: Space, most: int
) -> list[tuple[Config, Evidence]]:
    """Choose configurations one by one, each with the evidence that speaks for it most.

    The next one has the least sum of ranks over data sets, where the best that was chosen for a
    data set counts as well as the configuration itself.
    """
    evidence = [each for each in evidence if each.configs]
    if not evidence:
        return []
    points = Points(space)
    candidates = _spread([config for each in evidence for config in each.configs[:_TOP]], points)
    ranks = np.array([_believed(each, candidates, points) for each in evidence])
    weights = np.array([[each.weight] for each in evidence])
    best = np.ones((len(evidence), 1))
    chosen: list[int] = []
    for _ in range(min(most, len(candidates))):
        sums = (weights * (np.minimum(best, ranks) + _EACH * ranks)).sum(axis=0)
        sums[chosen] = np.inf
        chosen.append(int(sums.argmin()))
        best = np.minimum(best, ranks[:, chosen[-1:]])
    speaks = (ranks / weights).argmin(axis=0)
    return [(candidates[place], evidence[speaks[place]]) for place in chosen]


class Points:
    """The configurations of a space as points, whose distance is from 0 to 1."""

    def __init__(self, space: Space) -> None:
        self._searched = {
            name: parameter
            for name, parameter in space.parameters.items()
            if not isinstance(parameter, Fixed)
        }

    def of(self, configs: Sequence[Mapping[str, Any]]) -> Floats:
        """Return the points of one or more configurations, one a row."""
        rows = [
            [value for name, p in self._searched.items() for value in _coordinates(p, c.get(name))]
            for c in configs
        ]
        return np.array(rows, dtype=float, ndmin=2)

    def distances(self, ones: Floats, others: Floats) -> Floats:
        """Return the distances, (one, other): the mean over parameters."""
        apart = np.abs(ones[:, None] - others[None]).sum(axis=2)
        return np.asarray(apart / max(len(self._searched), 1))


def _coordinates(parameter: Parameter, value: Any) -> list[float]:
    """Return the place in a range, or half a corner for each option: two options are 1 apart."""
    if isinstance(parameter, Choice):
        return [0.5 * (value == option) for option in parameter.options]
    if value is None:  # a parameter that other values leave out
        return [0.0]
    low, high = parameter.extremes
    if getattr(parameter, "log", False):
        value, low, high = np.log([value, low, high])
    return [float((value - low) / (high - low)) if high > low else 0.0]


def _spread(configs: Sequence[Config], points: Points) -> list[Config]:
    """Leave out what is nearly the same as an earlier one."""
    all_points = points.of(configs)
    kept: list[int] = []
    for place in range(len(configs)):
        near = points.distances(all_points[[place]], all_points[kept])
        if not kept or near.min() > _APART:
            kept.append(place)
    return [configs[place] for place in kept]


def _believed(evidence: Evidence, candidates: Sequence[Config], points: Points) -> Floats:
    """Return the rank of each candidate: that of the nearest one tried, less sure with distance."""
    apart = points.distances(points.of(candidates), points.of(evidence.configs))
    nearest = apart.argmin(axis=1)
    sure = 1 / (1 + apart.min(axis=1) / _FAR)
    return np.asarray(sure * np.array(evidence.ranks)[nearest] + (1 - sure) * 0.5)

"""What a search is worth: how soon it is how near to the best known loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.curves.search import Outcome

Floats = NDArray[np.float64]

NEAR, NEARER = 0.03, 0.01


class Score(NamedTuple):
    """The figures of one search; times are in complete trials, losses in % above the best known.

    `even` is the time to a loss that another search ends with. A search that never comes near
    counts with all its time, which is too little.
    """

    even: float
    near: float
    nearer: float
    area: float
    marks: Floats


def regret(outcome: Outcome, best: float, times: Floats) -> Floats:
    """How far above the best known loss a search is at some times, in %."""
    places = np.searchsorted(outcome.core_seconds, times, side="right") - 1
    return 100 * (outcome.best[np.maximum(places, 0)] / best - 1)


def time_to(outcome: Outcome, loss: float, budget: float) -> float:
    """When a search has reached a loss; its whole time if it has not."""
    reached = np.flatnonzero(outcome.best <= loss)
    return float(outcome.core_seconds[reached[0]]) if len(reached) else budget


class Aims(NamedTuple):
    """The best known loss of a data set and seed, and the one to be even with."""

    best: float
    even: float


def score(
    outcome: Outcome, aims: Aims, unit: float, trials: float, marks: Sequence[float]
) -> Score:
    """The figures of a search that had the time of so many complete trials of `unit` seconds."""
    grid = np.geomspace(1.0, trials, 50) * unit
    even, near, nearer = (
        time_to(outcome, loss, trials * unit) / unit
        for loss in (aims.even, aims.best * (1 + NEAR), aims.best * (1 + NEARER))
    )
    area = float(regret(outcome, aims.best, grid).mean())
    return Score(even, near, nearer, area, regret(outcome, aims.best, np.array(marks) * unit))

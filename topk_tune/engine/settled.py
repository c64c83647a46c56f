"""Whether a search has settled: what it is likely to gain is less than seeds differ."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from topk_tune.records.trials import TrialRecord, comparable, ranked

Floats = NDArray[np.float64]

LEAST_LOOPS = 4
"""The loops of a trial from which the spread of its last half can be computed."""

_LEAST_JUDGED = 5
"""The spread of a few trials with a few seeds each says little."""


class Spread(NamedTuple):
    """How much the loss of a trial differs with its seed, and how that is known."""

    size: float
    known_from: str


def least_trials(ahead: int) -> int:
    """Return how many trials must have a loss before a forecast of `ahead` more is made."""
    return 2 * ahead


def why_settled(ahead: int, finished: Sequence[TrialRecord]) -> str | None:
    """Return why a search need not go on, or None. `finished` is in the order they ended."""
    if sum(record.usable_runs > 0 for record in finished) < least_trials(ahead):
        return None
    gain, spread = expected_gain(losses(finished), ahead), seed_spread(finished)
    if gain is None or spread is None or gain >= spread.size:
        return None
    better = "lower" if finished[0].objective.direction == "minimize" else "higher"
    return (
        f"the best of another {ahead} trials is expected to be {gain:.4f} {better}, less than "
        f"seeds differ ({spread.size:.4f}, {spread.known_from})"
    )


def losses(finished: Sequence[TrialRecord]) -> Floats:
    """Return a loss for each trial, smaller is better; empty if none is within the bound.

    Trials with fewer seeds than the best count as no better than it. Those without a loss, or that
    exceed the bound of the objective, count as the worst: some of the next ones will be like them.
    """
    usable = {r.number: r.key[1] for r in ranked(finished) if r.key[0] == 0}
    usable = {number: loss for number, loss in usable.items() if math.isfinite(loss)}
    best, worst = next(iter(usable.values()), 0.0), max(usable.values(), default=0.0)
    known = [usable.get(record.number, worst) for record in finished if usable]
    return np.maximum(known, best)


def expected_gain(losses: Floats, ahead: int) -> float | None:
    """Return how much lower the best of `ahead` more trials is expected to be, or None.

    If the order of trials means nothing, the last `ahead` could have been any: the mean over all
    choices of what the best of all is below the best of the others is what so many trials have
    gained. The next ones gain less, because differences between minima shrink with their number.
    A search that learns may do better. So what the last ones did gain counts if it is more.
    """
    if len(losses) <= ahead:
        return None
    above = losses - losses.min()
    by_order = float(above[:-ahead].min())
    return max(expected_minimum(above, len(above) - ahead), by_order)


def expected_minimum(values: Floats, size: int) -> float:
    """Return the mean, over all choices of `size` of the values, of the smallest one."""
    left = np.arange(len(values), size - 1, -1)  # as many as are not smaller than each
    chosen = size / left  # the chance that the smallest one left is chosen
    passed = np.concatenate([[1.0], np.cumprod(1 - chosen)[:-1]])
    return float(np.sort(values)[: len(left)] @ (passed * chosen))


def seed_spread(finished: Sequence[TrialRecord]) -> Spread | None:
    """Return how much the losses of the better trials differ with their seeds.

    It is the standard error of their means. With one seed it cannot be known: how much a loss
    varies over the last half of the loops takes its place, which is less, so that a search
    goes on for too long rather than not long enough.
    """
    complete = [record for record in comparable(finished) if record.state == "complete"]
    better = complete[: max(-(-len(complete) // 3), _LEAST_JUDGED)]
    seeds = better[0].usable_runs if better else 0
    if seeds > 1:
        spreads = [record.spread or 0.0 for record in better]
        return Spread(_pooled(spreads) / seeds**0.5, f"the standard error of {seeds} seeds")
    halves = [record.curve[len(record.curve) // 2 :] for record in better]
    varied = [float(np.std(half, ddof=1)) for half in halves if 2 * len(half) >= LEAST_LOOPS]
    if not varied:
        return None
    return Spread(_pooled(varied), "with one seed: as losses do over the last loops")


def _pooled(spreads: Sequence[float]) -> float:
    return float(np.sqrt(np.mean(np.square(spreads))))

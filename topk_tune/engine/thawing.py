"""Freezing and thawing: the next loops go to the trial that is expected to gain most by them.

After K. Swersky, J. Snoek and R. P. Adams, "Freeze-Thaw Bayesian Optimization", 2014; but where a
curve ends is forecast from how other curves went on from the same step, not by a Gaussian process.
"""

import math
from bisect import insort
from collections import deque
from collections.abc import Container, Iterator
from statistics import NormalDist, fmean, pvariance

_FIRST = 2
"""The first step at which trials pause: after one loop, losses say little."""
_RATIO = 1.5
"""The least ratio of two steps at which trials pause."""
_PRIOR = 4
"""The number of curves that must be known to outweigh what is assumed."""
_SPREAD = 0.1
"""The assumed spread of a change, as a share of the value."""
_DECAY = 0.7
"""What is assumed of a change, as a share of the change before it."""
_HOPE = 0.01
"""What the last trials must be expected to gain to go on, as a share of the best value."""
_FAR = 6.0
"""Spreads behind the best from which an improvement is only what rounding leaves of it."""
_RECENT = 30
"""The number of trials that tell how a new one would do."""

_NORMAL = NormalDist()


class _Change:
    """How values change from one pause to the next: mean and variance."""

    def __init__(self) -> None:
        self._count = 0
        self._mean = 0.0
        self._squares = 0.0

    def add(self, change: float) -> None:
        self._count += 1
        before = change - self._mean
        self._mean += before / self._count
        self._squares += before * (change - self._mean)

    def forecast(self, mean: float, spread: float) -> tuple[float, float]:
        """Return mean and variance, near what is assumed as long as few changes are known."""
        known = self._count + _PRIOR
        squares = self._squares + _PRIOR * spread**2
        return (self._count * self._mean + _PRIOR * mean) / known, squares / known


class Thawing:
    """Decides which trials pause, and which of them go on.

    What a trial is worth is the expected improvement on the best value by its end, divided by the
    steps until then.

    Parameters
    ----------
    steps
        The steps of a complete trial: its loops, of all seeds one after another.

    Examples
    --------
    >>> thawing = Thawing(steps=4)
    >>> thawing.steps
    (2, 3)
    >>> for trial, losses in enumerate([(0.4, 0.3, 0.25), (0.5, 0.4, 0.35), (0.9, 0.8, 0.7)]):
    ...     paused = [thawing.pauses(trial, step, loss) for step, loss in enumerate(losses, 2)]
    >>> thawing.pauses(3, 2, 0.2), thawing.pauses(4, 2, 2.0)
    (False, True)
    """

    def __init__(self, steps: int) -> None:
        self._end = steps
        self.steps = tuple(_pauses(steps))
        """The steps at which trials pause."""
        self._changes = {step: _Change() for step in self.steps}
        self._waiting: dict[int, list[tuple[float, int]]] = {step: [] for step in self.steps}
        self._last: dict[int, tuple[int, float]] = {}
        self._frozen: set[int] = set()
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._complete = False
        self._best = math.inf

    def pauses(self, trial: int, step: int, value: float) -> bool:
        """Note the value of a trial after a step, smaller is better; return whether it pauses."""
        self._best = min(self._best, value)
        if step not in self._changes and step != self._end:
            return False
        before, _ = self._last.get(trial, (0, 0.0))
        if step > before:  # else it is trained again after its worker was lost
            self._note(trial, step, value)
        if step == self._end:
            self._complete = True
            return False
        self._frozen.discard(trial)
        _, rival = self._best_waiting(self._frozen)
        mine = self._worth(step, value)
        if not math.isfinite(value) or mine < max(rival, self._worth_of_new()):
            self._frozen.add(trial)
            return True
        return False

    def next(self, paused: Container[int], last: bool) -> int | None:
        """Return the paused trial that should go on, if any.

        `last` means that no new trials will come: then trials go on while there is hope, and until
        one is complete.
        """
        trial, worth = self._best_waiting(paused)
        if trial is None or (last and not self._complete):
            return trial
        if not last:
            return trial if worth > self._worth_of_new() else None
        gain = worth * (self._end - self._last[trial][0])
        return trial if gain > _HOPE * abs(self._best) else None

    def _note(self, trial: int, step: int, value: float) -> None:
        before, known = self._last.get(trial, (0, math.nan))
        if before:
            self._waiting[before].remove((known, trial))
            if math.isfinite(value - known):
                self._changes[before].add(value - known)
        elif math.isfinite(value):
            self._recent.append(value)
        self._last[trial] = (step, value)
        if step != self._end:
            insort(self._waiting[step], (value, trial))

    def _best_waiting(self, paused: Container[int]) -> tuple[int | None, float]:
        """Return the paused trial that is worth most, and what it is worth."""
        found: tuple[int | None, float] = (None, 0.0)
        for step, waiting in self._waiting.items():
            # Of trials that wait at the same step, the best is worth most.
            best = next((place for place in waiting if place[1] in paused), None)
            if best is not None and (worth := self._worth(step, best[0])) > found[1]:
                found = best[1], worth
        return found

    def _worth(self, step: int, value: float) -> float:
        change, variance = self._forecast(step)
        return self._improvement(value + change, variance) / (self._end - step)

    def _worth_of_new(self) -> float:
        if len(self._recent) < _PRIOR:
            return math.inf
        change, variance = self._forecast(self.steps[0])
        variance += pvariance(self._recent)
        return self._improvement(fmean(self._recent) + change, variance) / self._end

    def _forecast(self, step: int) -> tuple[float, float]:
        """Return mean and variance of the change from a step to the end."""
        mean = total = variance = 0.0
        for each, change in self._changes.items():
            mean, its_variance = change.forecast(_DECAY * mean, _SPREAD * abs(self._best))
            if each >= step:
                total += mean
                variance += its_variance
        return total, variance

    def _improvement(self, mean: float, variance: float) -> float:
        """Return the expected improvement on the best value."""
        if not math.isfinite(mean):
            return 0.0
        spread = math.sqrt(variance) or math.ulp(0.0)
        ahead = (self._best - mean) / spread
        if ahead < -_FAR:
            return 0.0
        return spread * (ahead * _NORMAL.cdf(ahead) + _NORMAL.pdf(ahead))


def thaw(loops: int, seeds: int) -> Thawing:
    """Return the rule for the loops of all seeds, one after another."""
    return Thawing(loops * seeds)


def _pauses(steps: int) -> Iterator[int]:
    step = _FIRST
    while step < steps:
        yield step
        step = max(step + 1, round(_RATIO * step))

"""How long a study may still take, from the trials that have ended."""

import math
import statistics
import time
from collections.abc import Callable

from topk_tune.records.wording import between

_FEWEST = 3
"""Trials that must have ended before anything is promised."""
_DEVIATIONS = 1.6
"""Standard deviations to each side: nine of ten studies end within the range."""


class TimeLeft:
    """Estimates the time that is left as a range.

    Pruned trials count as those that are to come will: some of them are pruned too.

    Parameters
    ----------
    clock
        Returns the time in seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started: dict[int, float] = {}
        self._before: dict[int, float] = {}
        self._took: list[float] = []
        self._most_at_once = 1

    def start(self, trial: int) -> None:
        """A worker begins a trial."""
        self._started[trial] = self._clock() - self._before.pop(trial, 0.0)
        self._most_at_once = max(self._most_at_once, len(self._started))

    def pause(self, trial: int) -> None:
        """A trial gives its worker to another, and may go on later."""
        if trial in self._started:
            self._before[trial] = self._clock() - self._started.pop(trial)

    def end(self, trial: int, reused: bool = False) -> None:
        """A trial has ended; one that is reused took no time, and one of another driver is none."""
        self.pause(trial)
        if trial in self._before:
            self._took.append(self._before.pop(trial))
        elif reused:
            self._took.append(0.0)

    def seconds(self, trials: int) -> tuple[float, float] | None:
        """The least and the most seconds for so many trials, those under way included.

        None if too few trials have ended or paused to tell.
        """
        known = [*self._took, *self._before.values()]  # most of those that pause end so
        if len(known) < _FEWEST:
            return None
        ages = [self._clock() - began for began in self._started.values()]
        # Those that take longer than most count with what they have taken so far.
        took = [*known, *(age for age in ages if age > statistics.mean(known))]
        mean, spread = statistics.mean(took), statistics.stdev(took)
        done = sum(min(age, mean) for age in ages)
        work = max(trials * mean - done, 0.0)
        # Trials differ from each other, and their mean is known from some of them only.
        doubt = _DEVIATIONS * spread * math.sqrt(trials + trials**2 / len(took))
        at_once = min(self._most_at_once, max(trials, 1))
        last = mean + spread if at_once > 1 else 0.0  # others idle while the last one ends
        least = max(work - doubt, trials * min(took) - done, 0.0)
        return least / at_once, (work + doubt) / at_once + last

    def text(self, trials: int) -> str | None:
        """The same as text."""
        found = self.seconds(trials)
        return None if found is None else f"{between(*found)} left"

"""Asynchronous successive halving: trials pause at rungs, and the best of each rung go on.

After L. Li et al., "A System for Massively Parallel Hyperparameter Tuning", 2020; but trials that
go on continue where they were paused, instead of starting again. Seeds can be rungs, too.
"""

from bisect import bisect_left, insort
from collections.abc import Container
from dataclasses import dataclass, field

_FIRST = 2
"""The first rung: after one loop, losses say little about those at the end."""
_FACTOR = 3
"""One of this many trials of a rung goes on."""

Place = tuple[float, int]
"""The value of a trial, smaller is better, and its number: ties go to the earlier trial."""


@dataclass
class _Rung:
    """A step at which trials pause: those that have reached it, and those that got no further.

    So many of so many trials go on: a `share`. If the rung is the end of a task, all trials pause,
    and the best of them go on with another task.
    """

    step: int
    share: tuple[int, int]
    ends_task: bool = False
    reached: list[Place] = field(default_factory=list)
    waiting: list[Place] = field(default_factory=list)
    places: dict[int, Place] = field(default_factory=dict)

    def enter(self, trial: int, value: float) -> None:
        self.leave(trial)
        if trial in self.places:  # trained again after its worker was lost
            self.reached.remove(self.places[trial])
        self.places[trial] = (value, trial)
        insort(self.reached, (value, trial))
        insort(self.waiting, (value, trial))

    def leave(self, trial: int) -> None:
        place = self.places.get(trial)
        if place in self.waiting:
            self.waiting.remove(place)

    def rank(self, trial: int) -> int:
        return bisect_left(self.reached, self.places[trial])

    @property
    def room(self) -> int:
        best, of = self.share
        return len(self.reached) * best // of


class Halving:
    """Decides which trials pause, and which of them go on.

    Parameters
    ----------
    steps
        The steps of a complete trial: its loops, of all seeds one after another; or only those of
        each seed, if the seeds are rungs of their own.
    first, factor
        The step of the first rung, and the ratio of the steps of two rungs.
    seeds
        The number of seeds that are rungs: each is a task. Of the trials with s seeds, those go on
        that are among the best s of s + 1, so that every seed gets about as many trials fewer as
        it makes trials longer.

    Examples
    --------
    >>> halving = Halving(steps=9, first=1)
    >>> halving.steps
    (1, 3)
    >>> [halving.pauses(trial, 1, loss) for trial, loss in enumerate([0.3, 0.2, 0.1, 0.4])]
    [True, True, False, True]
    >>> halving.next({0, 1, 3}, last=False) is None  # one of four may go on, and it did
    True
    >>> halving.pauses(4, 1, 0.5), halving.pauses(5, 1, 0.5), halving.next({0, 1, 3}, last=False)
    (True, True, 1)
    """

    def __init__(
        self, steps: int, first: int = _FIRST, factor: int = _FACTOR, seeds: int = 1
    ) -> None:
        self._rungs: list[_Rung] = []
        while 2 * first <= steps:  # later, a trial that is nearly complete would pause
            self._rungs.append(_Rung(first, (1, factor)))
            first *= factor
        for seed in range(1, seeds):
            self._rungs.append(_Rung(seed * steps, (seed, seed + 1), ends_task=True))

    @property
    def steps(self) -> tuple[int, ...]:
        """The steps at which trials pause."""
        return tuple(rung.step for rung in self._rungs)

    def pauses(self, trial: int, step: int, value: float) -> bool:
        """Note the value of a trial after a step, smaller is better; return whether it pauses."""
        for place, rung in enumerate(self._rungs):
            if rung.step == step:
                for below in self._rungs[:place]:  # a short trial may have skipped some
                    below.leave(trial)
                rung.enter(trial, value)
                return rung.ends_task or not self._may_go_on(rung, trial, last=False)
        return False

    def next(self, paused: Container[int], last: bool) -> int | None:
        """Return the paused trial that should go on, if any; those that came far go first.

        `last` means that no new trials will come: then at least one trial of each rung goes on.
        """
        for rung in reversed(self._rungs):
            best = next((trial for _, trial in rung.waiting if trial in paused), None)
            if best is not None and self._may_go_on(rung, best, last):
                return best
        return None

    def _may_go_on(self, rung: _Rung, trial: int, last: bool) -> bool:
        return rung.rank(trial) < max(rung.room, last)


def asha(loops: int, seeds: int) -> Halving:
    """Return rungs over the loops of all seeds, one after another."""
    return Halving(loops * seeds)


def race(loops: int, seeds: int) -> Halving:
    """Return rungs over the loops of the first seed, and one after each seed."""
    return Halving(loops, seeds=seeds)

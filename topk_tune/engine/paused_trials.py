"""Trials that are paused, with the states of their trainings as far as there is room."""

from collections.abc import Callable, Container

from topk_tune.backends.base import Kept
from topk_tune.engine.running_trial import RunningTrial

MOST_BYTES = 2_000_000_000
"""The room for states. A trial whose state was dropped is trained again, with the same result."""


class PausedTrials:
    """The paused trials of a study.

    Parameters
    ----------
    drop
        Frees the state of a training.
    room
        The bytes of all states together; the states of the worst trials are dropped first.
    """

    def __init__(self, drop: Callable[[Kept], None], room: int = MOST_BYTES) -> None:
        self._drop = drop
        self._room = room
        self._used = 0
        self._trials: dict[int, RunningTrial] = {}

    def __len__(self) -> int:
        return len(self._trials)

    @property
    def numbers(self) -> Container[int]:
        """The numbers of the trials."""
        return self._trials.keys()

    def add(self, trial: RunningTrial) -> None:
        """Add a trial whose outcome so far is known."""
        self._trials[trial.number] = trial
        self._used += trial.kept.size if trial.kept else 0
        if self._used > self._room:
            self._make_room()

    def _make_room(self) -> None:
        kept = [each for each in self._trials.values() if each.kept is not None]
        kept.sort(key=_worst_last)
        while self._used > self._room:
            worst = kept.pop()
            self._used -= worst.kept.size if worst.kept else 0
            self.free(worst)

    def pop(self, number: int) -> RunningTrial:
        """Remove a trial, with its state."""
        trial = self._trials.pop(number)
        self._used -= trial.kept.size if trial.kept else 0
        return trial

    def clear(self) -> list[RunningTrial]:
        """Remove all trials and drop their states; return the trials."""
        trials = [self.pop(number) for number in list(self._trials)]
        for trial in trials:
            self.free(trial)
        return trials

    def free(self, trial: RunningTrial) -> None:
        """Drop the state of a trial, if it has one."""
        if trial.kept is not None:
            self._drop(trial.kept)
            trial.kept = None


def _worst_last(trial: RunningTrial) -> tuple[float, float]:
    assert trial.outcome is not None
    return trial.outcome.key if trial.outcome.curve else (float("inf"), float("inf"))

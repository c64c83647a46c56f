"""What a study tells those who watch it: the terminal, the tracking, a notebook."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from topk_tune.backends.base import WorkerView
from topk_tune.records.trials import TrialRecord
from topk_tune.training.trial import LoopReport


@dataclass(frozen=True)
class StudyStarted:
    """A study begins or goes on; `earlier` are the trials that it has already."""

    name: str
    trials: int | None
    earlier: Sequence[TrialRecord]


@dataclass(frozen=True)
class TrialStarted:
    """A worker got a trial; once more if `attempt` is above 1."""

    number: int
    config: Mapping[str, Any]
    attempt: int


@dataclass(frozen=True)
class LoopDone:
    """A loop of a trial is done, on the seed number `repeat`."""

    number: int
    repeat: int
    report: LoopReport


@dataclass(frozen=True)
class TrialEnded:
    """A trial is finished, and its record is in the storage."""

    record: TrialRecord


@dataclass(frozen=True)
class WorkersSeen:
    """The workers at the moment."""

    workers: Sequence[WorkerView]


@dataclass(frozen=True)
class Waiting:
    """No worker is ready, for a reason; None once one is.

    `advice` is what to do about it, and is given once, when it has taken long.
    """

    reason: str | None
    advice: str | None = None


@dataclass(frozen=True)
class StudyEnded:
    """A study stops, for a reason."""

    reason: str


Notice = StudyStarted | TrialStarted | LoopDone | TrialEnded | WorkersSeen | Waiting | StudyEnded
Observer = Callable[[Notice], None]

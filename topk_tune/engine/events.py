"""The events of a study, for observers: the terminal, the tracking, a notebook."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from topk_tune.backends.base import WorkerView
from topk_tune.records.trials import TrialRecord
from topk_tune.training.trial import LoopReport


@dataclass(frozen=True)
class StudyStarted:
    """A study starts or resumes; `earlier` are the trials it already has."""

    name: str
    trials: int | None
    earlier: Sequence[TrialRecord]


@dataclass(frozen=True)
class TrialStarted:
    """A worker got a trial; `attempt` is above 1 for a retry."""

    number: int
    config: Mapping[str, Any]
    attempt: int


@dataclass(frozen=True)
class LoopDone:
    """A trial has finished a loop with its seed number `repeat`."""

    number: int
    repeat: int
    report: LoopReport


@dataclass(frozen=True)
class TrialPaused:
    """A trial has stopped for now; it starts again if it is worth it, or ends with the study."""

    record: TrialRecord


@dataclass(frozen=True)
class TrialEnded:
    """A trial has finished, and its record is stored."""

    record: TrialRecord


@dataclass(frozen=True)
class WorkersSeen:
    """The current workers."""

    workers: Sequence[WorkerView]


@dataclass(frozen=True)
class Waiting:
    """The study waits, for example until a worker is ready; the reason is None once it goes on.

    `advice` says what to do about it. It is given once, after a long wait.
    """

    reason: str | None
    advice: str | None = None


@dataclass(frozen=True)
class Sending:
    """The study is over, and so many records are still to be sent to MLflow."""

    left: int


@dataclass(frozen=True)
class StudyEnded:
    """A study stops, for a reason."""

    reason: str


Notice = (
    StudyStarted
    | TrialStarted
    | LoopDone
    | TrialPaused
    | TrialEnded
    | WorkersSeen
    | Waiting
    | Sending
    | StudyEnded
)
Observer = Callable[[Notice], None]

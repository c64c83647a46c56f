"""What a backend is to the study's loop."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from topk_tune.training.trial import LoopReport, Measure, TrialRows


class BackendError(RuntimeError):
    """A backend cannot be had: no cluster at the address, no worker that starts."""


@dataclass(frozen=True)
class Task:
    """What a worker does in one go: train a configuration with some seeds, one after another.

    Parameters
    ----------
    id
        What events call it; the number of the trial, or any other number.
    config
        `algorithm`, `loops` and the booster's parameters.
    seeds
        The seeds.
    measure
        How the measuring rows are used.
    last_only
        Whether to measure after the last loop only.
    needs
        What of it other packages bring, and which; see `topk_tune.backends.packages`.
    """

    id: int
    config: Mapping[str, Any]
    seeds: tuple[int, ...]
    measure: Measure
    last_only: bool = False
    needs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reported:
    """A loop of a task is done."""

    task: int
    seed: int
    report: LoopReport


@dataclass(frozen=True)
class Finished:
    """A task is done, or stopped as it was told to."""

    task: int


@dataclass(frozen=True)
class Failed:
    """A task raised an error; it would again."""

    task: int
    error: str


@dataclass(frozen=True)
class Lost:
    """The worker of a task is gone; the task may be tried again."""

    task: int
    reason: str


Event = Reported | Finished | Failed | Lost


@dataclass(frozen=True)
class WorkerView:
    """A worker as the progress view shows it."""

    name: str
    host: str
    task: int | None


@dataclass(frozen=True)
class Wait:
    """What is waited for while no worker is ready.

    Parameters
    ----------
    reason
        In a line.
    advice
        What to do about it if it takes long, if there is anything.
    """

    reason: str
    advice: str | None = None


class Backend(Protocol):
    """Workers that run tasks."""

    def start(self, rows: TrialRows) -> None:
        """Bring the workers up, with the rows they train on."""

    def free(self) -> int:
        """How many workers have nothing to do."""

    def submit(self, task: Task) -> None:
        """Give a task to a free worker."""

    def stop(self, task: int) -> None:
        """Ask the worker of a task to end it after the loop it is in; Finished follows."""

    def kill(self, task: int) -> None:
        """End the worker of a task at once, without an event, and replace it."""

    def poll(self, timeout: float) -> list[Event]:
        """Wait for events, at most so many seconds."""

    def workers(self) -> list[WorkerView]:
        """The workers now."""

    def waiting(self) -> Wait | None:
        """What is waited for, also before the start; None if a worker is ready."""

    def close(self) -> None:
        """Take the workers down."""

"""The interface between backends and the study's loop."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from topk_tune.training.training import Progress
from topk_tune.training.trial import LoopReport, Measure, TrialRows


class BackendError(RuntimeError):
    """A backend cannot be used: no cluster at the address, or no worker that starts."""


@dataclass(frozen=True)
class Kept:
    """A training that was stopped between two loops, to be continued by another task.

    Parameters
    ----------
    seed, progress
        The seed, and how far it has come.
    size
        The bytes of its state.
    state
        The backend's own handle of its state, on any machine.
    """

    seed: int
    progress: Progress
    size: int
    state: Any = None


@dataclass(frozen=True)
class Task:
    """The unit of work: train a configuration with some seeds, one after another.

    Parameters
    ----------
    id
        Its number in events: that of the trial, or any other number.
    config
        `algorithm`, `loops` and the booster's parameters.
    seeds
        The seeds.
    measure
        How the measuring rows are used.
    last_only
        Whether to measure after the last loop only.
    needs
        The parts that other packages provide, and the packages; see `topk_tune.backends.packages`.
    keep
        Whether a training that is stopped should be kept.
    start
        The kept training of the first seed, to be continued. If it is lost, the seed is trained
        from its beginning, with the same result.
    """

    id: int
    config: Mapping[str, Any]
    seeds: tuple[int, ...]
    measure: Measure
    last_only: bool = False
    needs: Mapping[str, str] = field(default_factory=dict)
    keep: bool = False
    start: Kept | None = None


@dataclass(frozen=True)
class Reported:
    """A task has finished a loop."""

    task: int
    seed: int
    report: LoopReport


@dataclass(frozen=True)
class Finished:
    """A task has ended, or was stopped on request; then its training may have been kept."""

    task: int
    kept: Kept | None = None


@dataclass(frozen=True)
class Failed:
    """A task raised an error, and would do so again."""

    task: int
    error: str


@dataclass(frozen=True)
class Lost:
    """The worker of a task is gone; the task may be retried."""

    task: int
    reason: str


Event = Reported | Finished | Failed | Lost


@dataclass(frozen=True)
class WorkerView:
    """A worker for the progress view."""

    name: str
    host: str
    task: int | None


@dataclass(frozen=True)
class Wait:
    """The reason why no worker is ready.

    Parameters
    ----------
    reason
        One line.
    advice
        What to do if it takes long, if anything.
    """

    reason: str
    advice: str | None = None


class Backend(Protocol):
    """Workers that run tasks."""

    def start(self, rows: TrialRows) -> None:
        """Start the workers, with the rows they train on."""

    def free(self) -> int:
        """Return the number of idle workers."""

    def submit(self, task: Task) -> None:
        """Give a task to a free worker."""

    def stop(self, task: int) -> None:
        """Ask the worker of a task to stop it after the current loop; Finished follows."""

    def kill(self, task: int) -> None:
        """Kill the worker of a task at once, without an event, and replace it."""

    def drop(self, kept: Kept) -> None:
        """Free a kept training that will not be continued."""

    def poll(self, timeout: float) -> list[Event]:
        """Wait for events, at most `timeout` seconds."""

    def workers(self) -> list[WorkerView]:
        """Return the current workers."""

    def waiting(self) -> Wait | None:
        """Return the reason for waiting, also before the start; None if a worker is ready."""

    def close(self) -> None:
        """Stop the workers."""

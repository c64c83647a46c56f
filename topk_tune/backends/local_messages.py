"""The messages between a local backend and its processes, besides tasks and events."""

from dataclasses import dataclass

from topk_tune.backends.shared_rows import Place


@dataclass(frozen=True)
class Load:
    """To a process: the rows of all following tasks."""

    place: Place


@dataclass(frozen=True)
class Stop:
    """To a process: stop a task after the current loop."""

    task: int


@dataclass(frozen=True)
class Ready:
    """From a process: it has loaded, and accepts tasks."""

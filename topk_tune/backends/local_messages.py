"""What a local backend and its processes say to each other, beside tasks and events."""

from dataclasses import dataclass

from topk_tune.training.trial import TrialRows


@dataclass(frozen=True)
class Load:
    """To a process: the rows of all tasks that follow."""

    rows: TrialRows


@dataclass(frozen=True)
class Stop:
    """To a process: end a task after the loop it is in."""

    task: int


@dataclass(frozen=True)
class Ready:
    """From a process: it has loaded, and takes tasks."""

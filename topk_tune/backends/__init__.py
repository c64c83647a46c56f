"""Where trials run: processes of this machine, or actors of a Ray cluster.

Both keep a number of workers that hold the data and run one task after another. The study's
loop hands out tasks and collects events; it never learns what is behind.
"""

from topk_tune.backends.base import (
    Backend,
    BackendError,
    Event,
    Failed,
    Finished,
    Lost,
    Reported,
    Task,
    Wait,
    WorkerView,
)
from topk_tune.backends.local import LocalBackend

__all__ = [
    "Backend",
    "BackendError",
    "Event",
    "Failed",
    "Finished",
    "LocalBackend",
    "Lost",
    "Reported",
    "Task",
    "Wait",
    "WorkerView",
]

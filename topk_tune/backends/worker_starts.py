"""Decides when a worker may start: at once normally, and after growing pauses if starts fail."""

import logging
import math
import time
from collections.abc import Callable

logger = logging.getLogger("topk_tune.backends")

PATIENCE = 300.0
"""Seconds of failed starts after which the backend gives up."""

_FIRST, _LONGEST = 1.0, 30.0
"""Seconds of a pause: the cause of failed starts, for example lack of memory, often passes."""


class Starts:
    """Keeps the pauses between starts of workers.

    Parameters
    ----------
    clock
        Returns the time in seconds; tests have their own.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pause = 0.0
        self._next = -math.inf
        self._since: float | None = None

    @property
    def allowed(self) -> bool:
        """Whether a worker may start now."""
        return self._clock() >= self._next

    @property
    def in_vain(self) -> float:
        """For how many seconds workers have been started without any becoming ready."""
        return 0.0 if self._since is None else self._clock() - self._since

    def failed(self, reason: str) -> None:
        """Record that a worker ended before it was ready, or ran out of memory."""
        now = self._clock()
        self._since = now if self._since is None else self._since
        if now < self._next:
            return  # it ended together with another
        self._pause = min(max(2 * self._pause, _FIRST), _LONGEST)
        self._next = now + self._pause
        if self._pause == 4 * _FIRST:  # shorter problems need no warning
            logger.warning("workers keep failing (%s); starting others after a pause", reason)

    def came_up(self) -> None:
        """Record that a worker is ready."""
        self._since = None

    def went_well(self) -> None:
        """Record that a worker has finished a task: later failures start a new count."""
        self._pause = 0.0

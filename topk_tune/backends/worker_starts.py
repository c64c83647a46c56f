"""When a worker may start: at once as long as all goes well, else after pauses that grow."""

import logging
import math
import time
from collections.abc import Callable

logger = logging.getLogger("topk_tune.backends")

PATIENCE = 300.0
"""Seconds for which workers may be started in vain, until it is no use."""

_FIRST, _LONGEST = 1.0, 30.0
"""Seconds of a pause: what ends workers as they start, such as want of memory, often passes."""


class Starts:
    """Keeps the pauses between starts of workers.

    Parameters
    ----------
    clock
        The time in seconds; tests bring their own.
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
        """For how many seconds workers have been started, and none came up."""
        return 0.0 if self._since is None else self._clock() - self._since

    def failed(self, reason: str) -> None:
        """A worker ended before it was ready, or for want of memory."""
        now = self._clock()
        self._since = now if self._since is None else self._since
        if now < self._next:
            return  # it ended together with another
        self._pause = min(max(2 * self._pause, _FIRST), _LONGEST)
        self._next = now + self._pause
        if self._pause == 4 * _FIRST:  # shorter troubles are nobody's business
            logger.warning("workers do not stay (%s); starting others after a while", reason)

    def came_up(self) -> None:
        """A worker is ready."""
        self._since = None

    def went_well(self) -> None:
        """A worker has done a task: from now on, troubles are new ones."""
        self._pause = 0.0

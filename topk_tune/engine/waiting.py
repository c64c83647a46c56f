"""Reports why no worker is ready, once per change of the reason."""

import time
from collections.abc import Callable

from topk_tune.backends.base import Backend
from topk_tune.engine.events import Observer, Waiting

_LONG = 60.0
"""Seconds without a worker after which advice is given."""


class Lookout:
    """Watches a backend while no worker is ready.

    Parameters
    ----------
    backend
        The backend with the workers.
    tell
        Receives the events.
    clock
        Returns the time in seconds; simulations have their own.
    """

    def __init__(
        self, backend: Backend, tell: Observer, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._backend = backend
        self._tell = tell
        self._clock = clock
        self._said: str | None = None
        self._since: float | None = None
        self._advised = False

    def look(self) -> None:
        """Check the backend, and report a change."""
        wait = self._backend.waiting()
        if wait is None:
            self._since, self._advised = None, False
        elif self._since is None:
            self._since = self._clock()
        reason = None if wait is None else wait.reason
        if reason != self._said:
            self._said = reason
            self._tell(Waiting(reason))
        if wait and wait.advice and not self._advised and self._has_waited_long():
            self._advised = True
            self._tell(Waiting(reason, wait.advice))

    def _has_waited_long(self) -> bool:
        return self._since is not None and self._clock() - self._since >= _LONG

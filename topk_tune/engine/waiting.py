"""Says what is waited for while no worker is ready: when it changes, and not a word more."""

import time
from collections.abc import Callable

from topk_tune.backends.base import Backend
from topk_tune.engine.events import Observer, Waiting

_LONG = 60.0
"""Seconds without a worker after which it is said what can be done."""


class Lookout:
    """Watches a backend for those who wait.

    Parameters
    ----------
    backend
        Whose workers are waited for.
    tell
        Who hears of it.
    clock
        The time in seconds; simulations bring their own.
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
        """See whether there is news."""
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

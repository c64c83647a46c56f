"""The clock of a run: its time limit covers everything from the start to the report."""

import math
import time
from collections.abc import Callable

_CLOSING = 5.0
"""Seconds to write the report."""
_MOST = 0.2
"""The share of the limit that may be kept for the end."""


class RunClock:
    """Measures a run, and keeps time for its end.

    Parameters
    ----------
    limit
        The seconds that the run may take; None for no limit.
    began
        When it began, by the clock; None for now.
    clock
        Returns the time in seconds.
    """

    def __init__(
        self,
        limit: float | None,
        began: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limit = math.inf if limit is None else limit
        self._clock = clock
        self._began = clock() if began is None else began

    def elapsed(self) -> float:
        """The seconds so far, with those that the end will take if there is a limit."""
        closing = 0.0 if self._limit == math.inf else min(_CLOSING, _MOST * self._limit)
        return self._clock() - self._began + closing

    @property
    def left(self) -> float:
        """The seconds until the limit; none are left if it is past."""
        return max(self._limit - (self._clock() - self._began), 0.0)

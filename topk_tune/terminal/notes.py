"""What is waited for: a line with seconds on a terminal, said once in a pipe."""

import time
from collections.abc import Callable, Iterator
from typing import ClassVar

from topk_tune.engine import events
from topk_tune.records.wording import duration
from topk_tune.terminal.encoding import visible


class Note:
    """The reason to wait, and since when.

    Parameters
    ----------
    reason
        What is waited for at first.
    clock
        Returns the time in seconds.
    """

    STYLE: ClassVar[str] = "yellow"

    def __init__(self, reason: str = "", clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._reason = reason
        self._since = clock()
        self._sending = False

    def observe(self, notice: events.Notice, shown: bool) -> Iterator[str]:
        """Note what is waited for; yields what is to be printed, if the note itself is not shown.

        Advice is printed in any case, because it must not vanish with the note.
        """
        match notice:
            case events.Waiting(reason, advice):
                self._wait_for(reason or "")
                if said := advice or (None if shown else reason):
                    yield said
            case events.Sending(left):
                self._wait_for(f"sending to MLflow, {left} records left", goes_on=self._sending)
                if not shown and not self._sending:
                    yield self._reason
                self._sending = True

    @property
    def text(self) -> str:
        """The note, with the seconds that it has been there."""
        waited = self._clock() - self._since
        if not self._reason or waited < 1:
            return self._reason
        return f"{self._reason} ({duration(waited)})"

    def _wait_for(self, reason: str, goes_on: bool = False) -> None:
        if reason != self._reason and not goes_on:
            self._since = self._clock()
        self._reason = visible(reason)

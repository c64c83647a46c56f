"""Reports the steps of a long task when they begin, and again while they last."""

import threading
import time
from collections.abc import Callable
from types import TracebackType

_REMIND = 30.0
"""Seconds after which a running step is reported again."""


class Steps:
    """Reports each step of a task that takes minutes, so that it does not seem to hang.

    Parameters
    ----------
    say
        Called with a line for each step.
    remind
        Seconds after which a running step is reported again.
    """

    def __init__(self, say: Callable[[str], None], remind: float = _REMIND) -> None:
        self._say = say
        self._remind = remind
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._reminder = threading.Thread(target=self._run, daemon=True)
        self._words = ""
        self._began = self._said = time.monotonic()

    def __enter__(self) -> "Steps":
        self._reminder.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._reminder.join()

    def at(self, words: str) -> None:
        """Begin a step."""
        with self._lock:
            self._words = words
            self._began = self._said = time.monotonic()
            self._say(words)

    def _run(self) -> None:
        while not self._over.wait(self._remind / 10):
            with self._lock:
                now = time.monotonic()
                if self._words and now - self._said >= self._remind:
                    self._said = now
                    self._say(f"{self._words} ({now - self._began:.0f} s so far)")

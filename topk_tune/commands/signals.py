"""How a command ends when it is interrupted."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
"""The exit code."""


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does: what is finished is written.

    What is ignored stays ignored: `nohup` means that it goes on when the terminal is closed.
    """

    def interrupt(signal_number: int, frame: object) -> None:
        if signal_number == signal.SIGHUP:
            # A terminal that is closed says so, and its shell says so again.
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)

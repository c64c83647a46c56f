"""What signals do to a command that has something to finish."""

import os
import signal
from collections.abc import Iterator

import pytest

from topk_tune.commands.signals import terminable

SIGNALS = (signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def heard() -> Iterator[list[int]]:
    """The signals that came to this process as they do without a command; none of them ends it."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    numbers: list[int] = []
    for number in SIGNALS:
        signal.signal(number, lambda number, frame: numbers.append(number))
    yield numbers
    for number, handler in before.items():
        signal.signal(number, handler)


def interruptions(number: signal.Signals, times: int) -> int:
    """How many of so many signals interrupt."""
    found = 0
    for _ in range(times):
        try:
            os.kill(os.getpid(), number)
        except KeyboardInterrupt:
            found += 1
    return found


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_interrupts_a_command_and_nothing_after_it(
    number: signal.Signals, heard: list[int]
) -> None:
    with terminable():
        assert interruptions(number, 1) == 1
    assert heard == []
    assert interruptions(number, 1) == 0
    assert heard == [number]


def test_a_terminal_that_is_closed_interrupts_once() -> None:
    """The shell in it sends SIGHUP, too: that must not interrupt what is being finished."""
    with terminable():
        assert interruptions(signal.SIGHUP, 3) == 1


def test_a_command_under_nohup_goes_on() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with terminable():
        assert interruptions(signal.SIGHUP, 1) == 0
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN

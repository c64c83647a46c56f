"""Programs that must not outlive the process that started them, however it ends.

`python -m topk_tune.keeper COMMAND ARG...` runs a command until its own standard input ends. A
process holds the other end of that pipe, and the system closes it when the process is gone, even
if it was killed. The end of an SSH channel works the same way.
"""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import IO

_GRACE = 5.0
"""Seconds between SIGTERM and SIGKILL."""
_LAST_LOOK = 1.0
"""Seconds in which what was killed must be gone; where nobody buries orphans it never is."""
_TICK = 0.02
_TOLD_TO_END = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_NOT_STARTED = 127
"""The exit code for a command that cannot be started, as shells have it."""


class KeptProcess:
    """A command and all that it starts, which end with this process; as a context manager, earlier.

    Ctrl-C on the terminal does not reach it: it is for this process.

    Parameters
    ----------
    command
        The program and its arguments. It gets no input.
    stdout, stderr, env
        As `subprocess.Popen` takes them.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdout: int | IO[str] | IO[bytes] | None = None,
        stderr: int | IO[str] | IO[bytes] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._keeper = subprocess.Popen(
            [sys.executable, "-m", "topk_tune.keeper", *command],
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
            env=env,
            text=True,
            errors="replace",
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Of the keeper, which is the parent of the command."""
        return self._keeper.pid

    @property
    def output(self) -> IO[str]:
        """What the command prints, if its `stdout` is `subprocess.PIPE`."""
        assert self._keeper.stdout is not None
        return self._keeper.stdout

    def __enter__(self) -> "KeptProcess":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def poll(self) -> int | None:
        """The exit code if the command has ended."""
        return self._keeper.poll()

    def wait(self) -> int:
        """Wait until the command ends by itself; returns its exit code."""
        return self._keeper.wait()

    def stop(self) -> int:
        """End the command and all that it has started; returns its exit code."""
        assert self._keeper.stdin is not None
        self._keeper.stdin.close()
        return self._keeper.wait()


def main(command: Sequence[str]) -> int:
    """Run a command until it ends or must end; returns its exit code, as a shell would."""
    channel, alarm = sys.stdin.fileno(), _alarm()
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        print(f"{command[0]} cannot be started: {error.strerror}", file=sys.stderr)
        return _NOT_STARTED
    try:
        _wait(process, channel, alarm)
    finally:
        _end_group(process)
    code = process.wait()
    return code if code >= 0 else 128 - code


def _alarm() -> int:
    """The end of a pipe from which the numbers of signals can be read, those of children too."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    for number in (*_TOLD_TO_END, signal.SIGCHLD):
        signal.signal(number, lambda number, frame: None)  # the pipe tells of it
    return reading


def _wait(process: "subprocess.Popen[bytes]", channel: int, alarm: int) -> None:
    """Wait until a command ends, a signal says that it must, or a channel is closed."""
    while process.poll() is None:
        ready, _, _ = select.select([channel, alarm], [], [])
        if alarm in ready and set(os.read(alarm, 4096)).intersection(_TOLD_TO_END):
            return
        if channel in ready and not _read(channel):
            return


def _read(channel: int) -> bytes:
    """What is there; nothing at the end, and of a terminal or connection that broke off."""
    try:
        return os.read(channel, 4096)
    except OSError:
        return b""


def _end_group(leader: "subprocess.Popen[bytes]") -> None:
    """End whatever is left of the group of a command: kindly, then by force."""
    for number, patience in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, _LAST_LOOK)):
        if not _send(leader.pid, number):
            return
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            leader.poll()  # or it would stay in its group as a zombie
            if not _send(leader.pid, 0):
                return
            time.sleep(_TICK)


def _send(group: int, number: int) -> bool:
    """Send a signal to a group; whether there was anybody to get it."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):  # the latter is how macOS speaks of zombies
        return False
    return True


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit("usage: python -m topk_tune.keeper COMMAND ARG...")
    sys.exit(main(sys.argv[1:]))

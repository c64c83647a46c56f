"""Runs programs that must not outlive the process that started them, however it ends.

`python -m topk_tune.processes.keeper COMMAND ARG...` runs a command until its own standard input
ends. The parent process holds the other end of that pipe, which the system closes when the process
is gone, even if it was killed. The end of an SSH channel works the same way.
"""

import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO

_GRACE = 5.0
"""Seconds between SIGTERM and SIGKILL."""
_LAST_LOOK = 1.0
"""Seconds in which killed processes should be gone."""
_TICK = 0.02
_TOLD_TO_END = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_NOT_STARTED = 127
"""The exit code for a command that cannot be started, as in shells."""
_PR_SET_CHILD_SUBREAPER = 36
"""From <linux/prctl.h>."""


class KeptProcess:
    """A command whose processes all end with this one, or with the context manager.

    Ctrl-C on the terminal does not reach it, because it is meant for this process.

    Parameters
    ----------
    command
        The program and its arguments. It gets no input.
    stdout, stderr, env
        The same as for `subprocess.Popen`.
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
            [sys.executable, "-m", "topk_tune.processes.keeper", *command],
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
        """The process id of the keeper, which is the parent of the command."""
        return self._keeper.pid

    @property
    def output(self) -> IO[str]:
        """The output of the command, if its `stdout` is `subprocess.PIPE`."""
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
        if self._keeper.stdout is not None:
            self._keeper.stdout.close()

    def poll(self) -> int | None:
        """Return the exit code if the command has ended."""
        return self._keeper.poll()

    def wait(self) -> int:
        """Wait until the command ends by itself; return its exit code."""
        return self._keeper.wait()

    def stop(self) -> int:
        """Stop the command and all processes that it has started; return its exit code."""
        assert self._keeper.stdin is not None
        self._keeper.stdin.close()
        return self._keeper.wait()


def main(command: Sequence[str]) -> int:
    """Run a command until it ends or must end; return its exit code, like a shell."""
    channel, alarm = sys.stdin.fileno(), _alarm()
    _adopt_orphans()
    try:
        family = _Family(command)
    except OSError as error:
        print(f"{command[0]} cannot be started: {error.strerror}", file=sys.stderr)
        return _NOT_STARTED
    try:
        _wait(family, channel, alarm)
    finally:
        code = family.end()
    return code if code >= 0 else 128 - code


def _alarm() -> int:
    """Return the end of a pipe that receives the numbers of signals, SIGCHLD included."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing)
    for number in (*_TOLD_TO_END, signal.SIGCHLD):
        signal.signal(number, lambda number, frame: None)  # the pipe reports it
    return reading


def _adopt_orphans() -> None:
    """Become the parent of orphaned descendants; only Linux supports this.

    This finds daemons that left the group of the command, for example the master process of ssh.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class _Family:
    """A command in its own process group, and all its descendants."""

    def __init__(self, command: Sequence[str]) -> None:
        self._leader = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
        self._childless = False

    def leaderless(self) -> bool:
        """Whether the command itself has ended."""
        self._bury()
        return self._leader.returncode is not None

    def end(self) -> int:
        """Terminate the remaining processes, then kill them; return the command's exit code."""
        for number, patience in ((signal.SIGTERM, _GRACE), (signal.SIGKILL, _LAST_LOOK)):
            if not self._lives():
                break
            self._tell(number)
            deadline = time.monotonic() + patience
            while self._lives() and time.monotonic() < deadline:
                time.sleep(_TICK)
        return self._leader.wait()

    def _tell(self, number: int) -> None:
        _send(os.killpg, self._leader.pid, number)
        for stray in _strays(self._leader.pid):
            _send(os.kill, stray, number)

    def _lives(self) -> bool:
        self._bury()
        return not self._childless or _send(os.killpg, self._leader.pid, 0)

    def _bury(self) -> None:
        """Reap children that have ended, adopted ones too."""
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == self._leader.pid:
                    self._leader.returncode = os.waitstatus_to_exitcode(ended[1])
        except ChildProcessError:
            self._childless = True


def _wait(family: _Family, channel: int, alarm: int) -> None:
    """Wait until a command ends, a signal requests its end, or the channel is closed."""
    while not family.leaderless():
        ready, _, _ = select.select([channel, alarm], [], [])
        if alarm in ready and set(os.read(alarm, 4096)).intersection(_TOLD_TO_END):
            return
        if channel in ready and not _read(channel):
            return


def _read(channel: int) -> bytes:
    """Return the available input; empty at the end, and if a terminal or connection broke."""
    try:
        return os.read(channel, 4096)
    except OSError:
        return b""


def _send(how: Callable[[int, int], None], whom: int, number: int) -> bool:
    """Send a signal; return whether a process received it."""
    try:
        how(whom, number)
    except (ProcessLookupError, PermissionError):  # macOS raises the latter for zombies
        return False
    return True


def _strays(group: int) -> list[int]:
    """Return the descendants of this process outside a group, as far as /proc shows."""
    below: dict[int, list[tuple[int, int]]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The fields after the name, which is in parentheses: state, parent, group.
            _, parent, its_group, *_ = path.read_bytes().rpartition(b")")[2].split()
        except OSError:  # it has ended
            continue
        below.setdefault(int(parent), []).append((int(path.parent.name), int(its_group)))
    found = [(os.getpid(), group)]
    for pid, _ in found:
        found += below.get(pid, [])
    return [pid for pid, its_group in found if its_group != group]


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit("usage: python -m topk_tune.processes.keeper COMMAND ARG...")
    sys.exit(main(sys.argv[1:]))

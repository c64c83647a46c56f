"""Starts and controls the process that sends a spool to MLflow."""

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

from filelock import FileLock, Timeout

from topk_tune.tracking import spool
from topk_tune.tracking.config import TrackingConfig
from topk_tune.tracking.entries import Trial
from topk_tune.tracking.state import read_sent

ALL_SENT, LEFT, BUSY = 0, 3, 4
"""Exit codes of the process; the last one means that another process sends this spool."""

ENVIRONMENT = MappingProxyType(
    {
        # No retries of MLflow: the process has its own, which check what has arrived.
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0",
        "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
        "MLFLOW_ENABLE_ASYNC_LOGGING": "false",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
        "MPLBACKEND": "Agg",
    }
)

LOCK = "writer.lock"
"""The file that is locked by the process that sends a spool, of which there is one at a time."""

_LEFT_ALONE: list["subprocess.Popen[bytes]"] = []
"""Processes that go on; those that have ended are reaped when the next one is left alone."""
_SAY_AFTER, _SAY_EVERY = 1.0, 0.5
_LOOK = 0.5


def left_in(folder: Path, config: TrackingConfig) -> int:
    """The number of entries in a folder's spool that have not arrived yet, or not their files."""
    sent = read_sent(folder, config)
    start = sent.filed if config.log.trial_files else sent.offset
    return sum(
        line.end > sent.offset or isinstance(line.entry, Trial)
        for line in spool.read(folder / spool.NAME, start)
    )


def is_sending(folder: Path) -> bool:
    """Whether a process sends the spool of a folder, with its study or after it."""
    if not (folder / LOCK).exists():
        return False
    try:
        with FileLock(folder / LOCK, timeout=0):
            return False
    except Timeout:
        return True
    except OSError:  # a folder that others may only read
        return False


def wait_for_sender(folder: Path, config: TrackingConfig) -> int:
    """Wait for a process that sends a spool, as long as something arrives; return what is left."""
    left, since = left_in(folder, config), time.monotonic()
    while left and is_sending(folder) and time.monotonic() - since <= config.finish_seconds:
        time.sleep(_LOOK)
        now_left = left_in(folder, config)
        if now_left < left:
            since = time.monotonic()
        left = now_left
    return left


class WriterProcess:
    """Sends a spool to MLflow in a separate process, so that the study does not wait.

    Parameters
    ----------
    folder
        The folder of the spool.
    config
        The tracking configuration. It is sent through a pipe, because every user of the machine
        can see arguments, and addresses may have passwords.
    """

    def __init__(self, folder: Path, config: TrackingConfig) -> None:
        self._folder = folder
        self._config = config
        self._process = subprocess.Popen(
            [sys.executable, "-m", "topk_tune.tracking.writer", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # MLflow's log may have addresses with passwords
            # It trains the best booster, whose algorithm may be beside the program's script.
            env={
                **ENVIRONMENT,
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
            # Ctrl-C goes to the study, which then tells this process to finish. A terminal that
            # is closed does not end it.
            start_new_session=True,
        )
        self._tell(config.model_dump_json().encode() + b"\n")

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    @property
    def left(self) -> int:
        """The number of entries that have not arrived yet."""
        return left_in(self._folder, self._config)

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def finish(
        self,
        wait: float = math.inf,
        progress: Callable[[int], None] = lambda left: None,
    ) -> int | None:
        """Let it send the rest and end; return its exit code, or None if it takes longer.

        It goes on then, and ends when everything is sent or nothing arrives for `finish_seconds`.
        `progress` is told how many records are left, from time to time.
        """
        self._close()
        began, say = time.monotonic(), _SAY_AFTER
        while self.alive and (waited := time.monotonic() - began) < wait:
            if waited > say and (left := self.left):
                progress(left)
                say += _SAY_EVERY
            self._wait(0.1)
        if self.alive:
            _LEFT_ALONE[:] = [each for each in _LEFT_ALONE if each.poll() is None]
            _LEFT_ALONE.append(self._process)
        return self._process.returncode

    def _wait(self, seconds: float) -> None:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return

    def _tell(self, line: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except BrokenPipeError:
            return  # it died; `alive` is False then

    def _close(self) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            return

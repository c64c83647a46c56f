"""The process that sends a spool to MLflow, seen from the one that starts it."""

import logging
import os
import subprocess
import sys
import time
from pathlib import Path
from types import MappingProxyType

from topk_tune.tracking import spool
from topk_tune.tracking.config import TrackingConfig
from topk_tune.tracking.state import read_sent

logger = logging.getLogger("topk_tune.tracking")

ALL_SENT, LEFT, BUSY = 0, 3, 4
"""Exit codes of the process; the last if another process sends this spool already."""

ENVIRONMENT = MappingProxyType(
    {
        # Its own retries, which know what has arrived, do the waiting.
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0",
        "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
        "MLFLOW_ENABLE_ASYNC_LOGGING": "false",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
        "MPLBACKEND": "Agg",
    }
)

_MARGIN = 5.0
"""Seconds that the process gets to end by itself after its patience is over."""
_SAY_AFTER, _SAY_EVERY = 2.0, 5.0


def left_in(folder: Path, config: TrackingConfig) -> int:
    """How many entries of the spool in a folder have not arrived yet."""
    start = read_sent(folder, config).offset
    return sum(1 for _ in spool.read(folder / spool.NAME, start))


class WriterProcess:
    """Sends a spool to MLflow, in a process of its own: it costs the study nothing but a core.

    Parameters
    ----------
    folder
        Where the spool lies.
    config
        Where to send it. It goes through a pipe, because arguments are seen by every user of
        the machine, and addresses may hold passwords.
    """

    def __init__(self, folder: Path, config: TrackingConfig) -> None:
        self._folder = folder
        self._config = config
        self._process = subprocess.Popen(
            [sys.executable, "-m", "topk_tune.tracking.writer", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # MLflow's own log may show addresses
            env={**ENVIRONMENT, **os.environ},
            # Ctrl-C is for the study, which then tells this process to finish.
            start_new_session=True,
        )
        self._tell(config.model_dump_json().encode() + b"\n")

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    @property
    def left(self) -> int:
        """How many entries have not arrived yet."""
        return left_in(self._folder, self._config)

    def finish(self) -> int:
        """Have it send the rest, with progress in the log, and end; returns its exit code."""
        self._close()
        began = time.monotonic()
        say, patience = _SAY_AFTER, self._config.finish_seconds + _MARGIN
        try:
            while self.alive and (waited := time.monotonic() - began) < patience:
                if waited > say and (left := self.left):
                    logger.info("tracking: %d records are still to be sent", left)
                    say += _SAY_EVERY
                self._wait(0.1)
        finally:
            self._end()
        return self._process.returncode

    def _wait(self, seconds: float) -> None:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return

    def _end(self) -> None:
        """End it wherever it is: what it was about to send stays in the spool."""
        if self.alive:
            self._process.kill()
        self._process.wait()

    def _tell(self, line: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except BrokenPipeError:
            return  # it died, as `alive` will tell

    def _close(self) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            return

"""Starts and controls the process that sends a spool to MLflow."""

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

_MARGIN = 5.0
"""Seconds that the process has to end by itself after its deadline."""
_SAY_AFTER, _SAY_EVERY = 2.0, 5.0


def left_in(folder: Path, config: TrackingConfig) -> int:
    """The number of entries in a folder's spool that have not arrived yet."""
    start = read_sent(folder, config).offset
    return sum(1 for _ in spool.read(folder / spool.NAME, start))


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
            env={**ENVIRONMENT, **os.environ},
            # Ctrl-C goes to the study, which then tells this process to finish.
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

    def finish(self) -> int:
        """Let it send the rest and end, log its progress, and return its exit code."""
        self._close()
        began = time.monotonic()
        say, patience = _SAY_AFTER, self._config.finish_seconds + _MARGIN
        try:
            while self.alive and (waited := time.monotonic() - began) < patience:
                if waited > say and (left := self.left):
                    logger.info("tracking: %d records left to send", left)
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
        """Kill it; entries that were not sent stay in the spool."""
        if self.alive:
            self._process.kill()
        self._process.wait()

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

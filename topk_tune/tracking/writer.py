"""The process that sends a spool to MLflow: `python -m topk_tune.tracking.writer FOLDER`.

Its standard input is one line, the configuration. When the input closes, the study is over.
"""

import json
import logging
import os
import sqlite3
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from tenacity import RetryCallState, RetryError, Retrying, retry_if_exception, wait_exponential

from topk_tune.tracking import spool
from topk_tune.tracking.config import TrackingConfig
from topk_tune.tracking.entries import Study, Trial, content
from topk_tune.tracking.jobs import Job, coalesced, entries_of, in_turns
from topk_tune.tracking.process import ALL_SENT, BUSY, LEFT, LOCK
from topk_tune.tracking.sender import Sender
from topk_tune.tracking.senders import each, threads_for
from topk_tune.tracking.spool import Line
from topk_tune.tracking.state import Sent, read_sent, write_sent
from topk_tune.tracking.uris import scrubbed

logger = logging.getLogger("topk_tune.tracking.writer")

REFUSED = "refused.jsonl"

_LINES, _TRIALS = 2000, 40
"""The most lines, and finished trials, that are sent together, and again if the process is killed
meanwhile."""
_FILES = 4
"""The most trials for a thread whose files are sent before the next look for figures."""
_INTERVAL = 5.0
"""Seconds between two looks at the spool: what is sent at once costs less than bit by bit."""
_LOCK_PATIENCE = 0.5
_REFUSALS = ("INVALID_PARAMETER_VALUE", "RESOURCE_DOES_NOT_EXIST")
"""Error codes of a server that refuses a request, so that a retry would not help."""


class Finish:
    """Whether the study is over, and the time that is left until something must arrive."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._over = threading.Event()
        self._since = time.monotonic()

    def begin(self) -> None:
        """Mark the study as over and start the countdown."""
        self.progress()
        self._over.set()

    def progress(self) -> None:
        """Something has arrived: the countdown starts again."""
        self._since = time.monotonic()

    def wait(self, seconds: float) -> bool:
        """Wait for some time; returns whether the study is over."""
        return self._over.wait(seconds)

    @property
    def late(self) -> bool:
        """Whether no time is left."""
        return self._over.is_set() and time.monotonic() > self._since + self._patience


class SpoolWriter:
    """Sends a spool until the study is over and the spool is empty.

    Parameters
    ----------
    folder
        The folder of the spool.
    config
        The tracking configuration.
    finish
        When to end.
    """

    def __init__(self, folder: Path, config: TrackingConfig, finish: Finish) -> None:
        self._folder = folder
        self._config = config
        self._finish = finish
        self._sent = read_sent(folder, config)
        self._threads = threads_for(config.tracking_uri)
        self._sender: Sender | None = None
        self._retrying = Retrying(
            retry=retry_if_exception(_passing),
            wait=wait_exponential(0.2, max=5.0),
            stop=lambda state: finish.late,
            before_sleep=self._complain,
        )

    def run(self) -> int:
        """Send the spool and return the exit code of the process."""
        try:
            self._take_up()
            while True:
                over = self._finish.wait(0)  # first: later lines are not waited for
                if lines := self._lines():
                    self._send(lines)
                elif self._sent.filed < self._sent.offset:
                    self._send_files()
                elif over:
                    return ALL_SENT
                else:
                    self._finish.wait(_INTERVAL)
        except RetryError:
            return LEFT
        finally:
            self._send_with(None)

    def _send_with(self, sender: Sender | None) -> None:
        """Use a sender, or none, from now on; the one before is closed."""
        if self._sender is not None:
            self._sender.close()
        self._sender = sender

    def _take_up(self) -> None:
        """Continue where an earlier process stopped, or start over if MLflow has no run."""
        if self._sent.offset == 0:
            return
        for line in spool.read(self._folder / spool.NAME):
            if isinstance(line.entry, Study) and line.end <= self._sent.offset:
                self._send_with(Sender(self._folder, self._config, line.entry))
        if self._sender is None or not self._retrying(lambda: self._sender.known):  # type: ignore[union-attr]
            self._sent = Sent()
            self._send_with(None)

    def _lines(self) -> list[Line]:
        """The next lines. The entry of a study comes first, because it applies to the rest."""
        lines = spool.read(self._folder / spool.NAME, self._sent.offset)
        chunk: list[Line] = []
        trials = 0
        for line in islice(lines, _LINES):
            if isinstance(line.entry, Study) and (chunk or self._sent.filed < self._sent.offset):
                break
            chunk.append(line)
            trials += isinstance(line.entry, Trial)
            if trials == _TRIALS:
                break
        return chunk

    def _send(self, lines: Sequence[Line]) -> None:
        """Send everything but the files of trials."""
        first = lines[0].entry
        if isinstance(first, Study):
            self._send_with(Sender(self._folder, self._config, first))
        turns = in_turns(coalesced([line.entry for line in lines]))
        try:
            self._send_turns(turns)
        except sqlite3.IntegrityError as error:
            assert self._sender is not None, "only a sender writes"
            logger.warning("MLflow writes the rest itself: %s", error)
            self._send_with(self._sender.by_mlflow())
            self._send_turns(turns)
        sent = replace(self._sent, offset=lines[-1].end, files=self._sent.filed)
        if self._sender is not None:
            experiment, run = self._retrying(self._sender.ids)
            sent = replace(sent, experiment=experiment, run=run)
        self._note(sent)

    def _send_turns(self, turns: Sequence[Sequence[Sequence[Job]]]) -> None:
        for turn in turns:
            each(self._threads, self._send_jobs, turn)
        if self._sender is not None:
            self._retrying(self._sender.commit)

    def _send_files(self) -> None:
        """Send the files of some trials whose figures have arrived."""
        end = self._sent.offset
        found: list[Trial] = []
        if self._config.log.trial_files:
            for line in spool.read(self._folder / spool.NAME, self._sent.filed):
                if len(found) == _FILES * self._threads or line.end > self._sent.offset:
                    break
                end = line.end
                if isinstance(line.entry, Trial):
                    found.append(line.entry)
        each(self._threads, self._send_files_of, found)
        self._note(replace(self._sent, files=end))

    def _note(self, sent: Sent) -> None:
        self._sent = sent
        self._finish.progress()
        try:
            write_sent(self._folder, self._config, sent)
        except OSError as error:
            logger.warning("cannot save the progress: %s", error)

    def _send_jobs(self, jobs: Sequence[Job]) -> None:
        for job in jobs:
            if self._sender is None:
                self._refuse(job, "there is no entry of a study before it")
            else:
                self._attempt(self._sender.send, job)

    def _send_files_of(self, entry: Trial) -> None:
        assert self._sender is not None, "figures come first"
        self._attempt(self._sender.send_files, entry)

    def _attempt(self, send: Callable[[Any], None], job: Job) -> None:
        try:
            self._retrying.copy()(send, job)
        except (RetryError, sqlite3.IntegrityError):  # the latter may be due to an earlier entry
            raise
        except Exception:  # a refused or invalid entry must not block the others
            self._refuse(job, traceback.format_exc())

    def _refuse(self, job: Job, reason: str) -> None:
        logger.error("MLflow refuses %s: %s", type(job).__name__, reason)
        lines = "".join(json.dumps(content(entry)) + "\n" for entry in entries_of(job))
        with (self._folder / REFUSED).open("a", encoding="utf-8") as file:
            file.write(lines)

    def _complain(self, state: RetryCallState) -> None:
        if state.attempt_number in (1, 5) or state.attempt_number % 100 == 0:
            error = state.outcome.exception() if state.outcome else None
            logger.warning("attempt %d: %s", state.attempt_number, error)


def _passing(error: BaseException) -> bool:
    """Whether a retry may help: the server is down, the disk full, or the database locked."""
    if isinstance(error, OSError | sqlite3.OperationalError):
        return True
    from mlflow.exceptions import MlflowException
    from sqlalchemy.exc import SQLAlchemyError

    if isinstance(error, MlflowException):
        return error.error_code not in _REFUSALS
    return isinstance(error, SQLAlchemyError)


class _Scrubbing(logging.Formatter):
    """Keeps passwords out of the log."""

    def __init__(self, config: TrackingConfig) -> None:
        super().__init__("%(asctime)s %(message)s")
        self._uris = (config.tracking_uri, config.registry_uri)

    def format(self, record: logging.LogRecord) -> str:
        return scrubbed(super().format(record), *self._uris)


def _acquired(lock: FileLock, finish: Finish) -> bool:
    """Wait for another process that sends this spool, such as that of an earlier run."""
    while True:
        late = finish.late  # first: the lock may be free just then
        try:
            lock.acquire(timeout=_LOCK_PATIENCE)
            return True
        except Timeout:
            if late:
                return False


def main(folder: Path) -> int:
    """Send the spool of a folder."""
    config = TrackingConfig.model_validate_json(sys.stdin.buffer.readline())
    finish = Finish(config.finish_seconds)

    def wait() -> None:
        sys.stdin.buffer.read()
        finish.begin()

    threading.Thread(target=wait, daemon=True).start()
    os.nice(5)  # trials have priority
    os.environ["MLFLOW_TRACKING_URI"] = config.tracking_uri  # for functions without a client
    handler = logging.FileHandler(folder / "writer.log", delay=True)
    handler.setFormatter(_Scrubbing(config))
    logger.addHandler(handler)
    lock = FileLock(folder / LOCK)
    if not _acquired(lock, finish):
        return BUSY
    try:
        return SpoolWriter(folder, config, finish).run()
    except Exception:
        logger.exception("ended by an error")
        raise
    finally:
        lock.release()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))

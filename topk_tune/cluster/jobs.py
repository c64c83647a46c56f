"""Commands that run on a cluster as jobs of Ray, independently of the submitting computer."""

import asyncio
import logging
import math
import os
import re
import shlex
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_fixed

from topk_tune.cluster import head_folder, parcel
from topk_tune.storage.location import SENDER

SENT = ("run", "resume", "confirm")
"""The commands that run as jobs: those that train."""

DEFAULT_ADDRESS = "http://127.0.0.1:8265"
"""The address of a cluster's job server on its head, or of a tunnel to it."""

_ENVIRONMENT = "RAY_API_SERVER_ADDRESS"
_LAST_WORDS = "30"
"""Seconds that a stopped study has to store finished trials; Ray's default is 3."""
_ADDRESS = re.compile(r"\w[\w+.-]*://\S+")
_OF_RAY = re.compile(
    r"^(\S+ \S+\s+INFO job_manager\.py:\d+ -- |Running entrypoint for job ).*\n", re.MULTILINE
)
"""Messages of Ray at the start of a job's log."""
_LOOK = 0.5
"""Seconds between two checks whether a job has ended."""


def _not_yet(error: BaseException) -> bool:
    """Whether a cluster that has just started cannot take jobs yet."""
    return "try again later" in str(error)


_PATIENTLY = Retrying(
    retry=retry_if_exception(_not_yet),
    wait=wait_fixed(1.0),
    stop=stop_after_delay(60.0),
    reraise=True,
)


class JobError(RuntimeError):
    """The job server does not answer, or returns an error."""


@dataclass(frozen=True)
class Job:
    """A job on the cluster."""

    id: str
    state: str
    command: str
    message: str
    exit_code: int | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.state not in ("pending", "running")


class Jobs:
    """The jobs of a cluster.

    Parameters
    ----------
    address
        The address of the job server; None for $RAY_API_SERVER_ADDRESS or a tunnel.
    """

    def __init__(self, address: str | None = None) -> None:
        from ray.job_submission import JobSubmissionClient

        for handler in logging.getLogger("ray").handlers:
            handler.setLevel(logging.WARNING)  # its client logs every file that it sends
        self.address = address or os.environ.get(_ENVIRONMENT) or DEFAULT_ADDRESS
        if not self.address.startswith(("http://", "https://")):
            raise ValueError(
                f"a job server's address must be like {DEFAULT_ADDRESS}, but got {self.address!r}"
            )
        # In Ray, this variable and even $RAY_ADDRESS override the argument.
        before = os.environ.get(_ENVIRONMENT)
        os.environ[_ENVIRONMENT] = self.address
        try:
            with self._answering():
                self._client = JobSubmissionClient(self.address)
        finally:
            del os.environ[_ENVIRONMENT]
            if before is not None:
                os.environ[_ENVIRONMENT] = before

    def submit(self, arguments: Sequence[str], sender: str = "") -> str:
        """Run `topk-tune` with arguments on the cluster; returns an id.

        Parameters
        ----------
        arguments
            The command; local files in it are sent along.
        sender
            The options for later commands that address this cluster.
        """
        check_arguments(arguments)
        variables = {"RAY_JOB_STOP_WAIT_TIME_S": _LAST_WORDS, SENDER: sender}
        with TemporaryDirectory(prefix="topk-tune-") as folder:
            packed = parcel.pack(arguments, Path(folder))
            with self._answering():
                return _PATIENTLY(
                    self._client.submit_job,
                    submission_id=f"study-{uuid.uuid4().hex[:12]}",
                    entrypoint=shlex.join(head_folder.entry(packed)),
                    runtime_env={"env_vars": variables, "working_dir": folder},
                )

    def job(self, job_id: str) -> Job:
        """The state of a job."""
        with self._answering(job_id):
            return _job(self._client.get_job_info(job_id))

    def all(self) -> list[Job]:
        """The submitted jobs, in order."""
        with self._answering():
            found = [job for job in self._client.list_jobs() if job.submission_id]
        return [_job(job) for job in sorted(found, key=lambda job: job.start_time or 0)]

    def logs(self, job_id: str) -> str:
        """The output of a job so far."""
        with self._answering(job_id):
            return _OF_RAY.sub("", self._client.get_job_logs(job_id))

    def follow(self, job_id: str) -> Iterator[str]:
        """The output of a job, until it ends.

        Ray's stream ends some seconds after the job, so the end is looked for beside it.
        """
        self.job(job_id)
        stream, length = _Stream(self._client.tail_job_logs(job_id)), 0
        with asyncio.Runner() as runner, self._answering(job_id):
            while (piece := runner.run(stream.within(_LOOK))) is not None:
                if not piece and self.job(job_id).is_over:
                    yield _OF_RAY.sub("", self._client.get_job_logs(job_id)[length:])
                    return
                length += len(piece)
                yield _OF_RAY.sub("", piece)

    def ended(self, job_id: str, patience: float = math.inf) -> Job:
        """The state of a job after it has ended, or after a time limit."""
        deadline = time.monotonic() + patience
        while not (found := self.job(job_id)).is_over and time.monotonic() < deadline:
            time.sleep(_LOOK)
        return found

    def stop(self, job_id: str) -> bool:
        """Let a job store finished trials and end; False if it had ended already."""
        with self._answering(job_id):
            return self._client.stop_job(job_id)

    @contextmanager
    def _answering(self, job_id: str | None = None) -> Iterator[None]:
        """Convert errors of Ray's client to a one-line `JobError`."""
        from ray.exceptions import RayError

        try:
            yield
        except JobError:
            raise  # it is a sentence already
        except (RuntimeError, OSError, RayError) as error:
            text = str(error)
            if job_id is not None and "does not exist" in text:
                raise ValueError(
                    f"no job {job_id!r} on the cluster: `topk-tune job list` has all"
                ) from None
            if "authentication" in text.lower() or "token" in text.lower():
                reason = (
                    "it requires a token: set RAY_AUTH_MODE=token, and the token in "
                    "RAY_AUTH_TOKEN or ~/.ray/auth_token"
                )
            else:
                reason = (text.splitlines() or [type(error).__name__])[0]
            there = "no job server at" if isinstance(error, OSError) else "the job server at"
            raise JobError(f"{there} {self.address}: {reason}") from None


class _Stream:
    """Pieces of text that come when they come.

    Parameters
    ----------
    pieces
        Where they come from.
    """

    def __init__(self, pieces: AsyncIterator[str]) -> None:
        self._pieces = pieces
        self._coming: asyncio.Future[str | None] | None = None

    async def within(self, seconds: float) -> str | None:
        """The next piece; an empty one if none comes in time, None after the last."""
        if self._coming is None:
            self._coming = asyncio.ensure_future(anext(self._pieces, None))
        await asyncio.wait([self._coming], timeout=seconds)
        if not self._coming.done():
            return ""
        piece, self._coming = self._coming.result(), None
        return piece


def check_arguments(arguments: Sequence[str]) -> None:
    """Raise a ValueError if a command cannot be a job."""
    if not arguments or arguments[0] not in SENT:
        got = arguments[0] if arguments else "nothing"
        raise ValueError(f"the command of a job must be one of {', '.join(SENT)}, but got {got}")
    check_passwords(arguments)


def check_passwords(arguments: Sequence[str]) -> None:
    """Raise a ValueError if a command has a password."""
    for argument in arguments:
        for address in _ADDRESS.findall(argument):
            found = urlsplit(address)
            if found.password or "password" in parse_qs(found.query):
                raise ValueError(
                    "a command for a cluster must not have a password, because it is logged: "
                    "set TOPK_TUNE_STORAGE in the environment of the head"
                )


def _job(info: Any) -> Job:
    command = head_folder.command_line(shlex.split(info.entrypoint))
    return Job(
        id=info.submission_id,
        state=info.status.value.lower(),
        command=command,
        message=info.message or "",
        exit_code=info.driver_exit_code,
    )

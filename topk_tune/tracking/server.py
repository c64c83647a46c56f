"""The tracking server that `topk-tune ui` starts, and the addresses of its pages."""

import errno
import os
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from http.client import HTTPException
from itertools import chain
from pathlib import Path
from types import TracebackType
from urllib.request import ProxyHandler, build_opener

from topk_tune.processes.keeper import KeptProcess
from topk_tune.tracking.config import ServerSettings, TrackingConfig, TrackingError
from topk_tune.tracking.server_side import database_lock
from topk_tune.tracking.shared_view import list_page, run_page
from topk_tune.tracking.state import read_sent
from topk_tune.tracking.uris import is_http, scrubbed, without_password

_DEFAULTS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    # Seven processes for evaluations of language models, which start slower than the server.
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
}
_START_PATIENCE = 120.0
_LAST_LINES = 5
_FIRST_PORT, _LAST_PORT = 1024, 65535
"""Those below are for the system."""


def is_ours(config: TrackingConfig) -> bool:
    """Whether studies are tracked by the server of the `server:` block, not by another one."""
    uri = config.tracking_uri.rstrip("/")
    return not is_http(uri) or uri == config.server.address


def _base(config: TrackingConfig) -> str:
    if is_ours(config):
        return config.server.address
    return without_password(config.tracking_uri).rstrip("/")


def page(config: TrackingConfig, folder: Path | None) -> str:
    """The address of the list of a study's trials, or of the server if there is none yet."""
    base = _base(config)
    sent = read_sent(folder, config) if folder is not None else None
    if sent is None or sent.run is None:
        return base
    return f"{base}/{list_page(str(sent.experiment), sent.run)}"


def study_page(config: TrackingConfig, folder: Path) -> str | None:
    """The address of the run of a study; None if it has none yet."""
    sent = read_sent(folder, config)
    if sent.experiment is None or sent.run is None:
        return None
    return f"{_base(config)}/{run_page(sent.experiment, sent.run)}"


def at_free_port(config: TrackingConfig, chosen: bool) -> TrackingConfig:
    """The configuration with a port that can be used: its own, or else the next one.

    A port that the user has chosen is refused if it cannot be used, and so is one that studies
    send their records to.
    """
    settings = config.server
    if _refusal(settings.host, settings.port) is None:
        return config
    free = _next_free(settings)
    if not chosen and not is_http(config.tracking_uri):
        return config.served_at(free)
    advice = f"try --port {free}"
    if is_http(config.tracking_uri):  # studies need the new address too
        advice = f"set server.port and tracking_uri in mlflow.yaml to another, such as {free}"
    raise TrackingError(f"{_port_problem(settings)}: {advice}")


def _port_problem(settings: ServerSettings) -> str | None:
    """What keeps a server from its port, in words."""
    problem = _refusal(settings.host, settings.port)
    if problem is None:
        return None
    words = {errno.EADDRINUSE: "is in use", errno.EACCES: "is not for this user"}
    return f"the port {settings.port} {words.get(problem, 'cannot be used')}"


def _next_free(settings: ServerSettings) -> int:
    above = range(max(settings.port + 1, _FIRST_PORT), _LAST_PORT + 1)
    others = chain(above, range(settings.port - 1, 0, -1))
    return next(other for other in others if _refusal(settings.host, other) is None)


def _refusal(host: str, port: int) -> int | None:
    """The error number of an attempt to listen there; None if it succeeds."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        return error.errno
    return None


class Server:
    """A tracking server as a context manager; it is ready when the block begins.

    Parameters
    ----------
    settings
        The address, the database and the folder of artifacts.
    """

    def __init__(self, settings: ServerSettings) -> None:
        assert settings.backend_store_uri is not None
        self._settings = settings
        self._store = settings.backend_store_uri

    def __enter__(self) -> "Server":
        self._log = tempfile.TemporaryFile()
        self._process = KeptProcess(
            [sys.executable, "-m", "mlflow", "server"],
            stdout=self._log,
            stderr=subprocess.STDOUT,
            env={**_DEFAULTS, **os.environ, **self._environment()},
        )
        try:
            # Held until the server answers, because no study may open a new database meanwhile.
            with database_lock(self._store) or nullcontext():
                self._wait_until_it_answers()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    @property
    def pid(self) -> int:
        """The process id of the parent of all its processes."""
        return self._process.pid

    def wait(self) -> None:
        """Wait until it ends by itself, which is always an error."""
        self._process.wait()
        raise TrackingError(f"the MLflow server ended: {self._last_words()}")

    def _environment(self) -> dict[str, str]:
        """Its options as variables, because all users of the machine can see arguments."""
        settings = self._settings
        return {
            "MLFLOW_BACKEND_STORE_URI": self._store,
            "MLFLOW_ARTIFACTS_DESTINATION": settings.artifacts,
            "MLFLOW_HOST": settings.host,
            "MLFLOW_PORT": str(settings.port),
            "MLFLOW_WORKERS": str(settings.workers),
        }

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + _START_PATIENCE
        while not self._answers():
            if self._process.poll() is not None:
                # Somebody may have been faster to take the port.
                reason = _port_problem(self._settings) or self._last_words()
                raise TrackingError(f"the MLflow server did not start: {reason}")
            if time.monotonic() > deadline:
                raise TrackingError(f"no answer of the MLflow server in {_START_PATIENCE:g} s")
            time.sleep(0.2)

    def _answers(self) -> bool:
        opener = build_opener(ProxyHandler({}))  # it is on this machine
        try:
            with opener.open(f"{self._settings.address}/health", timeout=2) as reply:
                return bool(reply.status == 200)
        except (OSError, HTTPException):
            return False

    def _stop(self) -> None:
        self._process.stop()
        self._log.close()

    def _last_words(self) -> str:
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").strip().splitlines()
        return scrubbed(" / ".join(lines[-_LAST_LINES:]), self._store)

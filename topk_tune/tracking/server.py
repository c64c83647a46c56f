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
from topk_tune.tracking.state import read_sent
from topk_tune.tracking.uris import is_http, scrubbed, without_password

_DEFAULTS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    # Seven processes for evaluations of language models, which start slower than the server.
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
}
_START_PATIENCE = 120.0
_LAST_LINES = 5
_LAST_PORT = 65535


def is_ours(config: TrackingConfig) -> bool:
    """Whether studies are tracked by the server of the `server:` block, not by another one."""
    uri = config.tracking_uri.rstrip("/")
    return not is_http(uri) or uri == config.server.address


# Otherwise MLflow opens its pages in a view for language models.
_VIEW = "workflowType=machine_learning"


def page(config: TrackingConfig, folder: Path | None) -> str:
    """The address of a study's page, or of the server if the study has no page yet."""
    base = (
        config.server.address
        if is_ours(config)
        else without_password(config.tracking_uri).rstrip("/")
    )
    sent = read_sent(folder, config) if folder is not None else None
    if sent is None or sent.run is None:
        return base
    return f"{base}/#/experiments/{sent.experiment}/runs/{sent.run}?{_VIEW}"


def check_port(config: TrackingConfig) -> None:
    """Refuse a port that is in use, and suggest a free one."""
    host, port = config.server.host, config.server.port
    if _refusal(host, port) != errno.EADDRINUSE:
        return
    others = chain(range(port + 1, _LAST_PORT + 1), range(port - 1, 0, -1))
    free = next(other for other in others if _refusal(host, other) is None)
    advice = f"try --port {free}"
    if is_http(config.tracking_uri):  # studies need the new address too
        advice = f"set server.port and tracking_uri in mlflow.yaml to another, such as {free}"
    raise TrackingError(
        f"the port {port} must be free, but something listens at "
        f"{config.server.address.removeprefix('http://')}: {advice}"
    )


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
                raise TrackingError(f"the MLflow server did not start: {self._last_words()}")
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

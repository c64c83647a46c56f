"""A client of an MLflow server that builds the requests for trials itself.

MLflow's own client turns each point of a curve into three objects on its way to JSON, and looks for
Databricks again before every request: most of what the process that sends does.
"""

import os
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from importlib.metadata import entry_points
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from topk_tune.tracking import plain_entities as plain
from topk_tune.tracking.config import TrackingConfig
from topk_tune.tracking.senders import THREADS

if TYPE_CHECKING:
    import requests
    from mlflow import MlflowClient

_API = "/api/2.0/mlflow/"
_ENTITIES_A_BATCH = 1000
"""The most metrics, parameters and tags that a server takes together."""
_LARGEST = 2**20
"""The bytes of a file that is sent at once; MLflow knows how to send larger ones in parts."""
_A_CONNECTION = 8
"""Requests for a connection, about those of a trial. A server has several processes, and each
connection belongs to one of them for good: without new ones, one process may have all of the work.
"""
_PROXIED = "mlflow-artifacts:"
"""The addresses of files that the server keeps itself."""
_SPECIAL = ("MLFLOW_WORKSPACE", "MLFLOW_ALLOW_HTTP_REDIRECTS")
_HEADERS = "mlflow.request_header_provider"
"""The entry points of plugins whose headers may change from request to request."""


class ServerClient:
    """Sends runs to a server.

    It has the methods of `MlflowClient` that the sender needs for every trial, for the entities in
    `entities`. Any other one is that of MLflow. Several threads may use it.

    Parameters
    ----------
    config
        The tracking configuration.
    client
        MLflow's own client.
    """

    entities = plain

    def __init__(self, config: TrackingConfig, client: "MlflowClient") -> None:
        from mlflow.environment_variables import MLFLOW_HTTP_REQUEST_TIMEOUT

        self.tracking_uri = config.tracking_uri
        self._mlflow = client
        self._base = config.tracking_uri.rstrip("/")
        timeout: Any = MLFLOW_HTTP_REQUEST_TIMEOUT
        self._timeout = timeout.get()
        self._session = _session(config.tracking_uri)
        self._sent = count(1)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._mlflow, name)

    def create_run(
        self, experiment: str, started: int, tags: Mapping[str, str], name: str
    ) -> plain.Run:
        """Create a run."""
        content = {
            "experiment_id": experiment,
            "user_id": "unknown",
            "start_time": started,
            "tags": _pairs(tags.items()),
            "run_name": name,
        }
        info = self._post("runs/create", content)["run"]["info"]
        kept = plain.RunInfo(info["run_id"], info["artifact_uri"], started)
        return plain.Run(kept, plain.RunData(dict(tags)))

    def log_batch(
        self,
        run: str,
        metrics: Sequence[plain.Metric] = (),
        params: Sequence[plain.Param] = (),
        tags: Sequence[plain.RunTag] = (),
    ) -> None:
        """Log metrics, parameters and tags, in as few requests as the server allows."""
        room = _ENTITIES_A_BATCH - len(params) - len(tags)
        content = {"run_id": run, "params": _pairs(params), "tags": _pairs(tags)}
        self._post("runs/log-batch", {**content, "metrics": _points(metrics[:room])})
        for start in range(room, len(metrics), _ENTITIES_A_BATCH):
            more = metrics[start : start + _ENTITIES_A_BATCH]
            self._post("runs/log-batch", {"run_id": run, "metrics": _points(more)})

    def log_inputs(self, run: str, datasets: Sequence[plain.DatasetInput]) -> None:
        """Log the data sets that a run has read."""
        given = [
            {"dataset": each.dataset._asdict(), "tags": _pairs(each.tags)} for each in datasets
        ]
        self._post("runs/log-inputs", {"run_id": run, "datasets": given})

    def update_run(self, run: str, status: str) -> None:
        """Set the status of a run."""
        self._post("runs/update", {"run_id": run, "status": status})

    def set_terminated(self, run: str, status: str, end_time: int) -> None:
        """Set the status of a run that has ended."""
        self._post("runs/update", {"run_id": run, "status": status, "end_time": end_time})

    def upload(self, address: str, folder: Path, below: str | None) -> bool:
        """Add all files of a folder to those of a run; False if this is left to MLflow."""
        from mlflow.store.artifact.mlflow_artifacts_repo import MlflowArtifactsRepository

        found = {file: file.relative_to(folder) for file in folder.rglob("*") if file.is_file()}
        if not address.startswith(_PROXIED) or any(f.stat().st_size > _LARGEST for f in found):
            return False
        resolve: Callable[[str, str], str] = MlflowArtifactsRepository.resolve_uri
        root = resolve(address, self.tracking_uri)
        for file, inside in found.items():
            path = (Path(below or "") / inside).as_posix()
            self._request("PUT", f"{root}/{quote(path)}", data=file.read_bytes())
        return True

    def close(self) -> None:
        """Close all connections."""
        self._session.close()

    def _post(self, endpoint: str, content: Mapping[str, Any]) -> Any:
        return self._request("POST", self._base + _API + endpoint, json=content).json()

    def _request(self, method: str, url: str, **content: Any) -> "requests.Response":
        from mlflow.utils.rest_utils import verify_rest_response

        headers = {"Connection": "close"} if next(self._sent) % _A_CONNECTION == 0 else None
        reply = self._session.request(
            method, url, headers=headers, timeout=self._timeout, **content
        )
        if reply.status_code == HTTPStatus.UNAUTHORIZED:  # the password may have changed
            self._session = _session(self.tracking_uri)
        answer: requests.Response = verify_rest_response(reply, urlsplit(url).path)
        return answer


def is_plain(uri: str) -> bool:
    """Whether a server wants no more of its clients than a password or a token."""
    wanted = _wanted(uri)
    signed = wanted.aws_sigv4 or wanted.auth or wanted.use_databricks_sdk
    special = any(os.environ.get(name) for name in _SPECIAL) or entry_points(group=_HEADERS)
    return not signed and not special


def _wanted(uri: str) -> Any:
    """What MLflow's settings say that a server wants to know of its clients."""
    from mlflow.utils.credentials import get_default_host_creds

    read: Callable[[str], Any] = get_default_host_creds
    return read(uri)


def _session(uri: str) -> "requests.Session":
    """Connections that are kept open, with what MLflow's own client would tell the server."""
    import requests
    from mlflow.tracking.request_header.registry import resolve_request_headers
    from requests.adapters import HTTPAdapter

    wanted = _wanted(uri)
    session = requests.Session()
    headers: Callable[[], dict[str, str]] = resolve_request_headers
    session.headers.update(headers())
    if wanted.username and wanted.password:
        secret = b64encode(f"{wanted.username}:{wanted.password}".encode()).decode()
        session.headers["Authorization"] = f"Basic {secret}"
    elif wanted.token:
        session.headers["Authorization"] = f"Bearer {wanted.token}"
    session.verify, session.cert = wanted.verify, wanted.client_cert_path
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(pool_maxsize=THREADS))
    return session


def _pairs(pairs: Any) -> list[dict[str, str]]:
    return [{"key": key, "value": value} for key, value in pairs]


def _points(metrics: Sequence[plain.Metric]) -> list[dict[str, Any]]:
    return [metric._asdict() for metric in metrics]

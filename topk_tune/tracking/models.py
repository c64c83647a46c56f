"""Logs and registers the confirmed best booster as a model, once each."""

import hashlib
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topk_tune.tracking import entries
from topk_tune.tracking.clients import Client
from topk_tune.tracking.config import TrackingConfig
from topk_tune.tracking.pyfunc import save_pyfunc
from topk_tune.tracking.uris import without_password

if TYPE_CHECKING:
    from mlflow.entities import LoggedModel

NAME = "booster"
ALIAS = "best"

_DIGEST = "booster_sha256"
_URI = "model_uri.txt"


def log_model(
    client: Client,
    experiment: str,
    run: str,
    entry: entries.Model,
    folder: Path,
) -> "LoggedModel":
    """Log the booster of an entry as a model of a run, unless it exists."""
    from mlflow.entities import LoggedModelOutput
    from mlflow.models import Model

    file = folder / entry.name
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    logged = _find(client, experiment, run, digest)
    if logged is None:
        tags = {_DIGEST: digest}
        logged = client.create_logged_model(experiment, NAME, run, tags, model_type="ranking")
    if logged.status == "READY":
        return logged
    description = Model(
        artifact_path=logged.artifact_location,
        run_id=run,
        model_uuid=logged.model_id,
        model_id=logged.model_id,
    )
    with tempfile.TemporaryDirectory() as place:
        target = Path(place) / "model"
        save_pyfunc(target, file, entry.labels, entry.example, description, entry.algorithm)
        client.log_model_artifacts(logged.model_id, str(target))
    outputs = client.get_run(run).outputs
    known = {output.model_id for output in outputs.model_outputs} if outputs else set()
    if logged.model_id not in known:
        client.log_outputs(run, [LoggedModelOutput(logged.model_id, step=0)])
    return client.finalize_logged_model(logged.model_id, "READY")


def register(client: Client, name: str, run: str, logged: "LoggedModel") -> str:
    """Register a logged model as the version with the alias best; returns its address."""
    from mlflow.exceptions import MlflowException

    try:
        client.create_registered_model(name)
    except MlflowException as error:
        if error.error_code != "RESOURCE_ALREADY_EXISTS":
            raise
    found: list[Any] = client.search_model_versions(f"name = '{name}' and run_id = '{run}'")
    version = next((v for v in found if v.source == logged.model_uri), None)
    if version is None:
        version = client.create_model_version(
            name, logged.model_uri, run_id=run, model_id=logged.model_id
        )
    client.set_registered_model_alias(name, ALIAS, version.version)
    return f"models:/{name}@{ALIAS}"


def note_uri(folder: Path, uri: str) -> None:
    """Write down the address of the model for `noted_uri`."""
    (folder / _URI).write_text(uri, encoding="utf-8")


def noted_uri(folder: Path) -> str | None:
    """Return the address of the model of a study, if MLflow has it already."""
    try:
        return (folder / _URI).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def mlflow_serves(uri: str, config: TrackingConfig) -> str:
    """Return the command by which MLflow serves a model."""
    where = shlex.quote(without_password(config.tracking_uri))
    options = f"--env-manager local --port {config.server.port + 1}"
    return f"MLFLOW_TRACKING_URI={where} mlflow models serve {options} --model-uri {uri}"


def _find(client: Client, experiment: str, run: str, digest: str) -> "LoggedModel | None":
    found: list[LoggedModel] = client.search_logged_models(
        [experiment], f"source_run_id = '{run}' AND tags.{_DIGEST} = '{digest}'"
    )
    return next(iter(found), None)

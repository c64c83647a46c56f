"""What has to be there before the first run: a database and an experiment."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from topk_tune.tracking.config import TrackingConfig
from topk_tune.tracking.runs import STUDY
from topk_tune.tracking.uris import is_http, sqlite_file

if TYPE_CHECKING:
    from mlflow import MlflowClient


def database_lock(uri: str) -> FileLock | None:
    """What to hold while a sqlite database is opened that may be new; None for other addresses.

    Clients that open a fresh one at the same time corrupt its tables.
    """
    file = sqlite_file(uri)
    if file is None:
        return None
    file.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(file.with_name(f"{file.name}.lock"))


def connect(config: TrackingConfig) -> "MlflowClient":
    """A client that has spoken with the server, or made the database."""
    from mlflow import MlflowClient

    lock = database_lock(config.tracking_uri)
    if lock is None:
        return MlflowClient(config.tracking_uri, config.registry_uri)
    with lock:
        client = MlflowClient(config.tracking_uri, config.registry_uri)
        client.search_experiments(max_results=1)
    return client


# Tells MLflow's pages that this is not about language models.
_KIND = {"mlflow.experimentKind": "custom_model_development"}


def experiment_id(client: "MlflowClient", config: TrackingConfig, name: str) -> str:
    """The id of an experiment, which is made or restored if need be."""
    from mlflow.exceptions import MlflowException

    found = client.get_experiment_by_name(name)
    if found is None:
        try:
            return str(client.create_experiment(name, _artifacts(config, name), _KIND))
        except MlflowException as error:
            if error.error_code != "RESOURCE_ALREADY_EXISTS":
                raise
            found = client.get_experiment_by_name(name)  # another study was faster
            assert found is not None
    if found.lifecycle_stage == "deleted":
        client.restore_experiment(found.experiment_id)
    return str(found.experiment_id)


def delete_old(client: "MlflowClient", experiment: str, days: float) -> None:
    """Delete studies that ended so many days ago, as MLflow deletes: until `mlflow gc`."""
    before = datetime.now(UTC) - timedelta(days=days)
    # One that was resumed runs, but has the end of its first run.
    ended = f"end_time < {int(before.timestamp() * 1000)} and status != 'RUNNING'"
    filter_string = f"tags.kind = 'study' and {ended}"
    for study in client.search_runs([experiment], filter_string):
        members = f"tags.{STUDY} = '{study.data.tags[STUDY]}'"
        while runs := client.search_runs([experiment], members, max_results=1000):
            for run in runs:
                client.delete_run(run.info.run_id)


def _artifacts(config: TrackingConfig, name: str) -> str | None:
    """Where a new experiment keeps its files; a server decides that by itself."""
    if is_http(config.tracking_uri) or config.artifact_root is None:
        return None
    if "://" in config.artifact_root:
        return f"{config.artifact_root.rstrip('/')}/{name}"
    return (Path(config.artifact_root) / name).as_uri()

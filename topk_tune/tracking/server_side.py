"""Creates the database and the experiment before the first run."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock

from topk_tune.tracking.clients import Client
from topk_tune.tracking.config import TrackingConfig
from topk_tune.tracking.new_database import copy_empty, is_new, keep_empty
from topk_tune.tracking.runs import STUDY
from topk_tune.tracking.server_client import ServerClient, is_plain
from topk_tune.tracking.sqlite_client import SqliteClient, is_known
from topk_tune.tracking.uris import is_http, sqlite_file

if TYPE_CHECKING:
    from mlflow import MlflowClient


def database_lock(uri: str) -> FileLock | None:
    """The lock for opening a sqlite database that may be new; None for other addresses.

    Clients that open a new database at the same time corrupt its tables.
    """
    file = sqlite_file(uri)
    if file is None:
        return None
    file.parent.mkdir(parents=True, exist_ok=True)
    return FileLock(file.with_name(f"{file.name}.lock"))


def connect(config: TrackingConfig) -> Client:
    """A client, after creating a database that does not exist.

    A sqlite file whose tables are known is written directly. A server gets the requests of
    `ServerClient`, and anything else is left to MLflow.
    """
    if is_http(config.tracking_uri) and is_plain(config.tracking_uri):
        return ServerClient(config, by_mlflow(config))
    lock, file = database_lock(config.tracking_uri), sqlite_file(config.tracking_uri)
    if lock is None or file is None:
        return by_mlflow(config)
    with lock:
        if is_new(file) and not copy_empty(file):
            by_mlflow(config).search_experiments(max_results=1)
            keep_empty(file)
        if is_known(file):
            return SqliteClient(config, file)
        client = by_mlflow(config)
        client.search_experiments(max_results=1)
    return client


def by_mlflow(config: TrackingConfig) -> "MlflowClient":
    """MLflow's own client."""
    from mlflow import MlflowClient

    return MlflowClient(config.tracking_uri, config.registry_uri)


# Marks experiments as not being about language models, for MLflow's pages.
_KIND = {"mlflow.experimentKind": "custom_model_development"}


def experiment_id(client: Client, config: TrackingConfig, name: str) -> str:
    """The id of an experiment, which is created or restored if necessary."""
    found = client.get_experiment_by_name(name)
    if found is None:
        try:
            return str(client.create_experiment(name, _artifacts(config, name), _KIND))
        except Exception as error:
            if getattr(error, "error_code", None) != "RESOURCE_ALREADY_EXISTS":
                raise
            found = client.get_experiment_by_name(name)  # another study has created it
            assert found is not None
    if found.lifecycle_stage == "deleted":
        client.restore_experiment(found.experiment_id)
    return str(found.experiment_id)


def delete_old(client: Client, experiment: str, days: float) -> None:
    """Delete studies that ended some days ago; `mlflow gc` removes them permanently."""
    before = datetime.now(UTC) - timedelta(days=days)
    # A resumed study is running, but still has the end time of its first run.
    ended = f"end_time < {int(before.timestamp() * 1000)} and status != 'RUNNING'"
    filter_string = f"tags.kind = 'study' and {ended}"
    for study in client.search_runs([experiment], filter_string):
        members = f"tags.{STUDY} = '{study.data.tags[STUDY]}'"
        while runs := client.search_runs([experiment], members, max_results=1000):
            for run in runs:
                client.delete_run(run.info.run_id)


def _artifacts(config: TrackingConfig, name: str) -> str | None:
    """The artifact location of a new experiment; None if the server decides it."""
    if is_http(config.tracking_uri) or config.artifact_root is None:
        return None
    if "://" in config.artifact_root:
        return f"{config.artifact_root.rstrip('/')}/{name}"
    return (Path(config.artifact_root) / name).as_uri()

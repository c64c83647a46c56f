"""A client of MLflow that writes to a sqlite file itself: many trials in one transaction.

Importing MLflow takes more CPU time than everything else that a short study does beside its trials,
and MLflow's own store spends ten times as long on a trial. How its tables look is known by the
revision of their schema; a file of any other revision is left to MLflow.
"""

import os
import re
import shutil
import sqlite3
import time
import uuid
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from posixpath import normpath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from topk_tune.tracking import plain_entities as plain
from topk_tune.tracking.config import TrackingConfig

if TYPE_CHECKING:
    from mlflow import MlflowClient

_REVISIONS = frozenset({"dc11669786a5"})
"""The schemas that this module knows."""
_WORKSPACES = "MLFLOW_ENABLE_WORKSPACES"

_NAME = re.compile(r"[/\w.\- :]{1,250}")
_PATIENCE = 20.0
"""Seconds to wait for another writer, as MLflow does."""

_FILTER = re.compile(r"tags\.(\w+) = '([^']*)'")

_EXPERIMENT = """INSERT INTO experiments (name, artifact_location, lifecycle_stage, creation_time,
last_update_time, workspace) VALUES (?, ?, 'active', ?, ?, 'default')"""
_RUN = """INSERT INTO runs (run_uuid, name, source_type, source_name, entry_point_name, user_id,
status, start_time, source_version, lifecycle_stage, artifact_uri, experiment_id)
VALUES (?, ?, 'UNKNOWN', '', '', 'unknown', 'RUNNING', ?, '', 'active', ?, ?)"""
_TAG = """INSERT INTO tags (key, value, run_uuid) VALUES (?, ?, ?)
ON CONFLICT (key, run_uuid) DO UPDATE SET value = excluded.value"""
_PARAM = "INSERT OR IGNORE INTO params (key, value, run_uuid) VALUES (?, ?, ?)"
_METRIC = """INSERT OR IGNORE INTO metrics (key, value, timestamp, step, is_nan, run_uuid)
VALUES (?, ?, ?, ?, 0, ?)"""
_LATEST = """INSERT INTO latest_metrics (key, value, timestamp, step, is_nan, run_uuid)
VALUES (?, ?, ?, ?, 0, ?) ON CONFLICT (key, run_uuid) DO UPDATE
SET value = excluded.value, timestamp = excluded.timestamp, step = excluded.step, is_nan = 0
WHERE (excluded.step, excluded.timestamp, excluded.value) > (step, timestamp, value)"""
_STATUS = "UPDATE runs SET status = ?, end_time = coalesce(?, end_time) WHERE run_uuid = ?"
_EXPERIMENT_TAG = """INSERT INTO experiment_tags (key, value, experiment_id) VALUES (?, ?, ?)
ON CONFLICT (key, experiment_id) DO UPDATE SET value = excluded.value"""
_INPUT = """INSERT OR IGNORE INTO inputs
(input_uuid, source_type, source_id, destination_type, destination_id, step)
VALUES (?, 'DATASET', ?, 'RUN', ?, 0)"""
_INPUT_TAG = "INSERT OR IGNORE INTO input_tags (input_uuid, name, value) VALUES (?, ?, ?)"

_IN_ORDER = (
    _RUN,
    _STATUS,
    _TAG,
    _PARAM,
    _METRIC,
    _LATEST,
    _INPUT,
    _INPUT_TAG,
    _EXPERIMENT_TAG,
)
"""Runs come before what refers to them."""

_DATASET = """INSERT OR IGNORE INTO datasets (dataset_uuid, experiment_id, name, digest,
dataset_source_type, dataset_source, dataset_profile) VALUES (?, ?, ?, ?, ?, ?, ?)"""

_Row = tuple[Any, ...]


class RefusedError(ValueError):
    """What MLflow would refuse, too.

    Parameters
    ----------
    error_code
        The code that MLflow has for it.
    """

    def __init__(self, message: str, error_code: str = "INVALID_PARAMETER_VALUE") -> None:
        super().__init__(message)
        self.error_code = error_code


class SqliteClient:
    """Writes runs to a database file of MLflow.

    It has the methods of `MlflowClient` that the sender needs often, for the entities in
    `entities`. Any other one is that of MLflow, which is loaded for it. What is written becomes
    visible with `commit`.

    Parameters
    ----------
    config
        The tracking configuration.
    file
        The database, whose schema must be known.
    """

    entities = plain

    def __init__(self, config: TrackingConfig, file: Path) -> None:
        self.tracking_uri = config.tracking_uri
        self._config = config
        self._database = sqlite3.connect(file, timeout=_PATIENCE, check_same_thread=False)
        self._database.execute("PRAGMA foreign_keys = ON")
        self._mlflow: MlflowClient | None = None
        self._held: dict[str, list[_Row]] = {}
        self._locations: dict[str, str] = {}
        self._sources: dict[tuple[str, str, str], str] = {}
        self._params: dict[str, dict[str, str]] = {}
        self._new: dict[str, str] = {}  # runs that this client has made, with their experiments

    def __getattr__(self, name: str) -> Any:
        return getattr(self.mlflow, name)

    @property
    def mlflow(self) -> "MlflowClient":
        """MLflow's own client, which sees everything that was written so far."""
        self.commit()
        if self._mlflow is None:
            from mlflow import MlflowClient

            self._mlflow = MlflowClient(self._config.tracking_uri, self._config.registry_uri)
        return self._mlflow

    def commit(self) -> None:
        """Write what is held: everything or nothing."""
        if not self._held:
            return
        with self._database:
            self._database.execute("BEGIN IMMEDIATE")
            for statement in _IN_ORDER:
                self._database.executemany(statement, self._held.get(statement, ()))
        self._held = {}

    def close(self) -> None:
        """Close the file; what is held is lost."""
        self._database.close()

    # Experiments

    def get_experiment_by_name(self, name: str) -> plain.Experiment | None:
        """The experiment of a name."""
        found = self._rows(
            "SELECT experiment_id, lifecycle_stage FROM experiments WHERE name = ?"
            " AND workspace = 'default'",
            name,
        )
        return plain.Experiment(str(found[0][0]), found[0][1]) if found else None

    def create_experiment(self, name: str, location: str | None, tags: dict[str, str]) -> str:
        """Create an experiment; MLflow does if it is to decide where files are."""
        if location is None:
            return str(self.mlflow.create_experiment(name, location, tags))
        now = time.time_ns() // 1_000_000
        try:
            with self._database:
                made = self._database.execute(_EXPERIMENT, (name, location, now, now)).lastrowid
        except sqlite3.IntegrityError as error:
            raise RefusedError(f"{error}: {name}", "RESOURCE_ALREADY_EXISTS") from None
        self._hold(_EXPERIMENT_TAG, [(*pair, made) for pair in tags.items()])
        return str(made)

    def set_experiment_tag(self, experiment: str, key: str, value: str) -> None:
        """Set a tag of an experiment."""
        self._hold(_EXPERIMENT_TAG, [(key, value, int(experiment))])

    # Runs

    def search_runs(self, experiments: Sequence[str], filter_string: str, **options: Any) -> Any:
        """The runs with certain tags, the earliest first; MLflow is asked for anything else."""
        wanted = _FILTER.findall(filter_string)
        if not wanted or " and ".join(f"tags.{k} = '{v}'" for k, v in wanted) != filter_string:
            return self.mlflow.search_runs(list(experiments), filter_string, **options)
        self.commit()
        query = "SELECT run_uuid, artifact_uri, start_time FROM runs WHERE experiment_id = ?"
        query += " AND lifecycle_stage = 'active'"
        query += " AND run_uuid IN (SELECT run_uuid FROM tags WHERE key = ? AND value = ?)" * len(
            wanted
        )
        values = [value for pair in wanted for value in pair]
        (experiment,) = experiments
        found = self._rows(f"{query} ORDER BY start_time, run_uuid", int(experiment), *values)
        return plain.Page(
            plain.Run(plain.RunInfo(*row), plain.RunData(self._tags(row[0]))) for row in found
        )

    def arrived(self, run: str) -> set[tuple[str, int]]:
        """The names and steps of all points of a run."""
        self.commit()
        return set(self._rows("SELECT key, step FROM metrics WHERE run_uuid = ?", run))

    def create_run(
        self, experiment: str, started: int, tags: dict[str, str], name: str
    ) -> plain.Run:
        """Create a run."""
        run = uuid.uuid4().hex
        files = f"{self._location(experiment)}/{run}/artifacts"
        self._hold(_RUN, [(run, name, started, files, int(experiment))])
        self._hold(_TAG, [(*pair, run) for pair in {**tags, "mlflow.runName": name}.items()])
        self._new[run], self._params[run] = experiment, {}
        return plain.Run(plain.RunInfo(run, files, started), plain.RunData(tags))

    def log_batch(
        self,
        run: str,
        metrics: Sequence[plain.Metric] = (),
        params: Sequence[plain.Param] = (),
        tags: Sequence[plain.RunTag] = (),
    ) -> None:
        """Log metrics, parameters and tags; those that have arrived before change nothing."""
        for name in {*(m.key for m in metrics), *(p.key for p in params), *(t.key for t in tags)}:
            if not _is_name(name):
                raise RefusedError(f"MLflow takes no such name: {name!r}")
        if params:
            self._check_params(run, params)
        self._hold(_PARAM, [(*param, run) for param in params])
        self._hold(_METRIC, [(*metric, run) for metric in metrics])
        latest: dict[str, plain.Metric] = {}
        for metric in metrics:
            known = latest.setdefault(metric.key, metric)
            if (metric.step, metric.timestamp, metric.value) > (
                known.step,
                known.timestamp,
                known.value,
            ):
                latest[metric.key] = metric
        self._hold(_LATEST, [(*metric, run) for metric in latest.values()])
        self._hold(_TAG, [(*tag, run) for tag in tags])

    def _check_params(self, run: str, params: Sequence[plain.Param]) -> None:
        if run not in self._params:
            self.commit()
            query = "SELECT key, value FROM params WHERE run_uuid = ?"
            self._params[run] = dict(self._rows(query, run))
        known = self._params[run]
        if changed := [p.key for p in params if known.get(p.key, p.value) != p.value]:
            raise RefusedError(f"parameters of run {run} would change: {changed}")
        known.update(params)

    def log_inputs(self, run: str, datasets: Sequence[plain.DatasetInput]) -> None:
        """Log the data sets that a run has read."""
        for given in datasets:
            source = self._source(self._experiment_of(run), given.dataset)
            if self._has_input(run, source):
                continue
            key = uuid.uuid5(uuid.UUID(source), run).hex
            self._hold(_INPUT, [(key, source, run)])
            self._hold(_INPUT_TAG, [(key, *tag) for tag in given.tags])

    def update_run(self, run: str, status: str) -> None:
        """Set the status of a run."""
        self._hold(_STATUS, [(status, None, run)])

    def set_terminated(self, run: str, status: str, end_time: int) -> None:
        """Set the status of a run that has ended."""
        self._hold(_STATUS, [(status, end_time, run)])

    # Files

    def log_artifact(self, run: str, path: str, folder: str | None = None) -> None:
        """Add a file to those of a run."""
        place = self._place(run)
        if place is None:
            self.mlflow.log_artifact(run, path, folder)
            return
        place = place / (folder or "")
        place.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place / Path(path).name)

    def log_artifacts(self, run: str, path: str, folder: str | None = None) -> None:
        """Add all files of a folder to those of a run."""
        place = self._place(run)
        if place is None:
            self.mlflow.log_artifacts(run, path, folder)
        else:
            shutil.copytree(path, place / (folder or ""), dirs_exist_ok=True)

    def _place(self, run: str) -> Path | None:
        """The folder with the files of a run; None if they are not on this machine."""
        if run in self._new:
            location = self._location(self._new[run])
            return _folder(f"{location}/{run}/artifacts")
        ((files,),) = self._rows("SELECT artifact_uri FROM runs WHERE run_uuid = ?", run)
        return _folder(files)

    # Parts

    def _hold(self, statement: str, rows: Sequence[_Row]) -> None:
        self._held.setdefault(statement, []).extend(rows)

    def _rows(self, query: str, *values: Any) -> list[_Row]:
        return self._database.execute(query, values).fetchall()

    def _tags(self, run: str) -> dict[str, str]:
        return dict(self._rows("SELECT key, value FROM tags WHERE run_uuid = ?", run))

    def _experiment_of(self, run: str) -> str:
        if run in self._new:
            return self._new[run]
        self.commit()
        ((experiment,),) = self._rows("SELECT experiment_id FROM runs WHERE run_uuid = ?", run)
        return str(experiment)

    def _location(self, experiment: str) -> str:
        """Where the files of an experiment are."""
        if experiment not in self._locations:
            query = "SELECT artifact_location FROM experiments WHERE experiment_id = ?"
            self._locations[experiment] = str(self._rows(query, int(experiment))[0][0]).rstrip("/")
        return self._locations[experiment]

    def _has_input(self, run: str, source: str) -> bool:
        query = "SELECT 1 FROM inputs WHERE source_id = ? AND destination_id = ?"
        return run not in self._new and bool(self._rows(query, source, run))

    def _source(self, experiment: str, dataset: plain.Dataset) -> str:
        """The id of a data set in an experiment, which is added if it is new."""
        key = experiment, dataset.name, dataset.digest
        if key not in self._sources:
            row = (uuid.uuid4().hex, int(experiment), *dataset)
            with self._database:
                self._database.execute(_DATASET, row)
            query = "SELECT dataset_uuid FROM datasets WHERE experiment_id = ? AND name = ?"
            values = int(experiment), dataset.name, dataset.digest
            ((self._sources[key],),) = self._rows(f"{query} AND digest = ?", *values)
        return self._sources[key]


def _is_name(text: str) -> bool:
    """Whether MLflow takes a name: a relative path without detours."""
    outside = text.startswith(("/", "..")) or text == "."
    return bool(_NAME.fullmatch(text)) and normpath(text) == text and not outside


def _folder(uri: str) -> Path | None:
    """The folder of an address; None if it is elsewhere."""
    parts = urlsplit(uri)
    here = parts.scheme in ("", "file") and not parts.netloc and parts.path.startswith("/")
    return Path(unquote(parts.path) if parts.scheme else uri) if here else None


def is_known(file: Path) -> bool:
    """Whether a database has tables that this client can write."""
    if os.environ.get(_WORKSPACES, "").lower() in ("true", "1"):
        return False
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, timeout=_PATIENCE)) as base:
        try:
            found = base.execute("SELECT version_num FROM alembic_version").fetchall()
        except sqlite3.DatabaseError:
            return False
    return len(found) == 1 and found[0][0] in _REVISIONS

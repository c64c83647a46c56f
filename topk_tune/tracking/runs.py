"""Runs of MLflow that are created once and receive every record once.

MLflow's `create_run` creates a new run each time, and a failed request may have arrived anyway. So
a run is searched by its tags before it is created, and metrics are compared with the history of an
existing run.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topk_tune.tracking.clients import Client
from topk_tune.tracking.uris import is_http

if TYPE_CHECKING:
    from mlflow.entities import Run

STUDY, TRIAL = "study_id", "trial"
"""The tags that identify runs; the run of a study has no trial."""

LONGEST_TAG, LONGEST_PARAM = 5000, 6000
_METRICS_A_BATCH, _OTHERS_A_BATCH = 900, 100

Point = tuple[str, float, int, int]
"""A metric: its name, value, step and time in milliseconds."""


@dataclass
class TrackedRun:
    """A run and what is known to have arrived.

    Parameters
    ----------
    client
        The MLflow client.
    id
        The id of the run.
    arrived
        The names and steps of its metrics; None if they are not known.
    tags
        Its tags, if this process has created it.
    files
        The address of its files.
    """

    client: Client
    id: str
    arrived: set[tuple[str, int]] | None
    tags: dict[str, str] | None = None
    files: str | None = None

    def log(
        self,
        points: Iterable[Point] = (),
        params: Mapping[str, Any] | None = None,
        tags: Mapping[str, Any] | None = None,
    ) -> None:
        """Log metrics that have not arrived yet."""
        kinds = entities_for(self.client)
        if self.arrived is None:
            self.arrived = self._history()
        new = {(p[0], p[2]): p for p in points if math.isfinite(p[1])}
        new = {key: point for key, point in new.items() if key not in self.arrived}
        metrics = [
            kinds.Metric(name, value, time, step) for name, value, step, time in new.values()
        ]
        pairs = {k: str(v)[:LONGEST_PARAM] for k, v in (params or {}).items()}
        labels = {k: str(v)[:LONGEST_TAG] for k, v in (tags or {}).items()}
        labels = {k: v for k, v in labels.items() if (self.tags or {}).get(k) != v}
        if not metrics and not pairs and not labels:
            return
        arrived, self.arrived = self.arrived, None  # unknown if one of these fails
        for start in range(0, max(len(metrics), 1), _METRICS_A_BATCH):
            first = start == 0
            self.client.log_batch(
                self.id,
                metrics=metrics[start : start + _METRICS_A_BATCH],
                params=[kinds.Param(k, v) for k, v in pairs.items()][:_OTHERS_A_BATCH]
                if first
                else [],
                tags=[kinds.RunTag(k, v) for k, v in labels.items()][:_OTHERS_A_BATCH]
                if first
                else [],
            )
        self.arrived = arrived | set(new)
        if self.tags is not None:
            self.tags |= labels

    def add_files(self, folder: str, below: str | None = None) -> None:
        """Add all files of a folder to the files of the run."""
        # Databricks needs more than an address.
        if not is_http(self.client.tracking_uri) or not self.files or "databricks" in self.files:
            self.client.log_artifacts(self.id, folder, below)
            return
        upload = getattr(self.client, "upload", None)
        if upload and upload(self.files, Path(folder), below):
            return
        from mlflow.store.artifact.artifact_repository_registry import get_artifact_repository

        # The client would first ask the server for the run, to learn its address.
        uri = self.client.tracking_uri
        repository: Any = get_artifact_repository(self.files, tracking_uri=uri)
        repository.log_artifacts(folder, below)

    def _history(self) -> set[tuple[str, int]]:
        if arrived := getattr(self.client, "arrived", None):
            return set(arrived(self.id))
        names = self.client.get_run(self.id).data.metrics
        return {
            (name, metric.step)
            for name in names
            for metric in self.client.get_metric_history(self.id, name)
        }


def entities_for(client: Any) -> Any:
    """The module with the entities that a client takes."""
    if kinds := getattr(client, "entities", None):
        return kinds
    from mlflow import entities

    return entities


class Runs:
    """The runs of one study.

    Parameters
    ----------
    client
        The MLflow client.
    experiment
        The id of the experiment.
    study
        The id of the study.
    """

    def __init__(self, client: Client, experiment: str, study: str) -> None:
        self._client = client
        self._experiment = experiment
        self._study = study
        self._runs: dict[int | None, TrackedRun] = {}
        self._doubtful: set[int | None] = set()
        for run in self._search(f"tags.{STUDY} = '{study}'"):
            self._adopt(run)

    def get(
        self, trial: int | None, name: str, tags: Mapping[str, str], started: int
    ) -> TrackedRun:
        """The run of a trial, or of the study for None; created if it does not exist."""
        if trial in self._doubtful:
            for run in self._search(self._filter(trial)):
                self._adopt(run)
            self._doubtful.discard(trial)
        if trial not in self._runs:
            self._doubtful.add(trial)
            self._make(trial, name, tags, started)
            self._doubtful.discard(trial)
        return self._runs[trial]

    def __contains__(self, trial: int | None) -> bool:
        return trial in self._runs

    def _make(self, trial: int | None, name: str, tags: Mapping[str, str], started: int) -> None:
        known = {STUDY: self._study} | ({} if trial is None else {TRIAL: str(trial)})
        cut = {key: value[:LONGEST_TAG] for key, value in tags.items()}
        run = self._client.create_run(self._experiment, started, {**cut, **known}, name)
        # Several drivers may write the tags of a study's run.
        tags_known = None if trial is None else {**cut, **known}
        files = run.info.artifact_uri
        self._runs[trial] = TrackedRun(self._client, run.info.run_id, set(), tags_known, files)
        if trial is None:
            self._agree(run.info.run_id)

    def _agree(self, own: str) -> None:
        """Keep the first of several runs that drivers of a study created at the same time."""
        runs = [r for r in self._search(self._filter(None)) if TRIAL not in r.data.tags]
        first = min(runs, key=lambda r: (r.info.start_time, r.info.run_id)).info.run_id
        if first != own:
            self._client.delete_run(own)
            self._runs[None] = TrackedRun(self._client, first, None)

    def _adopt(self, run: "Run") -> None:
        number = run.data.tags.get(TRIAL)
        key = None if number is None else int(number)
        found = TrackedRun(self._client, run.info.run_id, None, files=run.info.artifact_uri)
        self._runs.setdefault(key, found)

    def _filter(self, trial: int | None) -> str:
        both = f"tags.{STUDY} = '{self._study}'"
        return both if trial is None else f"{both} and tags.{TRIAL} = '{trial}'"

    def _search(self, filter_string: str) -> "list[Run]":
        found: list[Run] = []
        token = None
        while True:
            page = self._client.search_runs(
                [self._experiment],
                filter_string,
                max_results=1000,
                order_by=["start_time ASC"],
                page_token=token,
            )
            found += page
            token = page.token
            if not token:
                return found

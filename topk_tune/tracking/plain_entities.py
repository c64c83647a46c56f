"""What our own clients are given: named like MLflow's entities, but without loading MLflow."""

from collections.abc import Sequence
from typing import NamedTuple


class Metric(NamedTuple):
    """A point of a metric."""

    key: str
    value: float
    timestamp: int
    step: int


class Param(NamedTuple):
    """A parameter."""

    key: str
    value: str


class RunTag(NamedTuple):
    """A tag of a run."""

    key: str
    value: str


class InputTag(NamedTuple):
    """A tag of an input."""

    key: str
    value: str


class Dataset(NamedTuple):
    """A data set."""

    name: str
    digest: str
    source_type: str
    source: str
    profile: str


class DatasetInput(NamedTuple):
    """A data set that a run has read."""

    dataset: Dataset
    tags: Sequence[InputTag]


class Experiment(NamedTuple):
    """An experiment."""

    experiment_id: str
    lifecycle_stage: str


class RunInfo(NamedTuple):
    """What a run is called and where its files are."""

    run_id: str
    artifact_uri: str
    start_time: int


class RunData(NamedTuple):
    """What a run has."""

    tags: dict[str, str]


class Run(NamedTuple):
    """A run."""

    info: RunInfo
    data: RunData


class Page(list[Run]):
    """Runs that were found; all of them are on one page."""

    token = None

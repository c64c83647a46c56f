"""What the tests of the tracking share: a small study, servers on loopback, and a look at them."""

import socket
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil
from mlflow import MlflowClient
from mlflow.entities import Run

from topk_tune.data import Dataset, load
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import SeedRun, State, TrialRecord
from topk_tune.spaces import Fixed, Float, Int, Space
from topk_tune.storage import Location
from topk_tune.study.plan import Plan
from topk_tune.study.study import Study
from topk_tune.tracking import TrackingConfig
from topk_tune.tracking.config import ServerSettings
from topk_tune.tracking.server import Server
from topk_tune.tracking.server_side import connect
from topk_tune.tracking.sqlite_client import SqliteClient
from topk_tune.training.trial import LoopReport

DATASET = "synthetic:rows=300,m=6"
SPACE = Space(
    {
        "algorithm": Fixed("topada"),
        "loops": Fixed(3),
        "n_learners": Int(2, 6),
        "rho": Float(0.02, 0.3),
        "k": Fixed(2),
        "n_covariates": Fixed(5),
    }
)


def make_study(folder: Path, **changes: Any) -> tuple[Study, Dataset]:
    """A study of small boosters on few rows, not run yet."""
    data = load(DATASET)
    content = {
        "name": "demo",
        "dataset": DATASET,
        "fingerprint": data.fingerprint,
        "space": SPACE.to_dict(),
        **changes,
    }
    settings = StudySettings.model_validate(content)
    return Study.create(Location.of(str(folder / "studies")), Plan.checked(settings, data)), data


def make_record(number: int, state: State = "complete", seeds: int = 1) -> TrialRecord:
    """A trial as if it had been trained."""
    loss = 0.4 + number / 100
    metrics = {"shown_loss": loss, "greedy_loss": loss / 2, "train_loss": 0.5, "rank_loss": 2.0}
    report = LoopReport(1, metrics, 0.1, 150, 7, 9, 1000)
    better = {**metrics, "shown_loss": loss - 0.1, "train_loss": 0.4}
    later = replace(report, loop=2, metrics=better, rounds=300)
    reports = (report, later) if state == "complete" else (report,)
    config = {"algorithm": "topada", "loops": 2, "n_learners": 2 + number % 5, "rho": 0.1}
    return TrialRecord(
        number=number,
        state=state,
        config=config | {"k": 2, "n_covariates": 5},
        runs=tuple(SeedRun(seed, reports) for seed in range(seeds)),
        params={"n_learners": 2 + number % 5, "rho": 0.1},
        error="ValueError: no such luck" if state == "failed" else None,
        host="somewhere",
        started=datetime(2026, 1, 1, 12, 0, number, tzinfo=UTC),
        ended=datetime(2026, 1, 1, 12, 1, number, tzinfo=UTC),
    )


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def new_database(folder: Path) -> None:
    """Have MLflow's tables in a folder before they are asked for: it takes seconds to make them."""
    (folder / "mlflow.db").write_bytes(_tables())


@cache
def _tables() -> bytes:
    with TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        client = connect(embedded(Path(folder)))
        if isinstance(client, SqliteClient):
            client.close()
        return (Path(folder) / "mlflow.db").read_bytes()


def server_settings(folder: Path, store: str | None = None) -> ServerSettings:
    """Of a server on loopback that keeps everything in a folder."""
    return ServerSettings(
        port=free_port(),
        backend_store_uri=store or f"sqlite:///{folder / 'mlflow.db'}",
        artifacts=str(folder / "artifacts"),
    )


def tracked_by(settings: ServerSettings, **changes: Any) -> TrackingConfig:
    """A configuration that tracks on a server."""
    return TrackingConfig.model_validate(
        {
            "tracking_uri": settings.address,
            "wait_seconds": 90,
            "finish_seconds": 90,
            **changes,
        }
    )


def embedded(folder: Path, **changes: Any) -> TrackingConfig:
    """A configuration that tracks in a file, without the plots, which take seconds."""
    return TrackingConfig.model_validate(
        {
            "tracking_uri": f"sqlite:///{folder / 'mlflow.db'}",
            "artifact_root": str(folder / "artifacts"),
            "log": {"study_plots": False},
            "wait_seconds": 90,
            **changes,
        }
    )


class Outage:
    """A server that is killed and comes back in the middle of a study."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self.server: Server | None = None

    def begin(self) -> None:
        """Start it, or start it again."""
        self.server = Server(self._settings).__enter__()

    def kill(self) -> None:
        """Kill it wherever it is."""
        assert self.server is not None
        for process in psutil.Process(self.server._process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):  # some end when their parent is gone
                process.kill()
        self.server.__exit__(None, None, None)
        self.server = None


@contextmanager
def outage(settings: ServerSettings) -> Iterator[Outage]:
    """An outage whose server does not outlive the test."""
    one = Outage(settings)
    try:
        yield one
    finally:
        if one.server is not None:
            one.kill()


def runs_of(client: MlflowClient, name: str = "topk-tune/" + DATASET) -> tuple[Run, list[Run]]:
    """The run of the only study of an experiment, and those of its trials by number."""
    experiment = client.get_experiment_by_name(name)
    assert experiment is not None
    runs = client.search_runs([experiment.experiment_id], max_results=1000)
    (parent,) = [run for run in runs if "trial" not in run.data.tags]
    children = [run for run in runs if "trial" in run.data.tags]
    assert {run.data.tags["mlflow.parentRunId"] for run in children} <= {parent.info.run_id}
    return parent, sorted(children, key=lambda run: int(run.data.tags["trial"]))


def history(client: MlflowClient, run: Run, metric: str) -> dict[int, float]:
    """A metric by its steps, none of which may be there twice."""
    points = client.get_metric_history(run.info.run_id, metric)
    steps = {point.step: point.value for point in points}
    assert len(steps) == len(points), f"{metric} has a step twice"
    return steps


def files_of(client: MlflowClient, run: Run, folder: str | None = None) -> set[str]:
    """All files of a run."""
    found: set[str] = set()
    for file in client.list_artifacts(run.info.run_id, folder):
        found |= files_of(client, run, file.path) if file.is_dir else {file.path}
    return found


def check_trials(
    client: MlflowClient, records: list[TrialRecord], also: Callable[[Run], None] = lambda run: None
) -> None:
    """Every trial is there once, with every point of its curves."""
    parent, children = runs_of(client)
    assert [int(run.data.tags["trial"]) for run in children] == [r.number for r in records]
    for run, record in zip(children, records, strict=True):
        curve = history(client, run, "loops/shown_loss")
        assert curve == dict(enumerate(record.curve, start=1))
        assert history(client, run, "objective") == {0: record.value}
        for name, value in record.metrics.items():
            assert history(client, run, name) == {0: value}
            assert len(history(client, run, f"loops/{name}")) == len(record.curve)
        assert run.data.tags["state"] == record.state
        assert run.info.status == ("FAILED" if record.state == "failed" else "FINISHED")
        assert len(run.inputs.dataset_inputs) == 1
        also(run)
    numbers = range(1, len(records) + 1)
    assert history(client, parent, "trials_done") == {number: number for number in numbers}

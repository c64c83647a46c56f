"""A sqlite file that is written directly has what MLflow itself would have written."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import platformdirs
import pytest
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException
from tracking_cases import embedded, new_database

from topk_tune.tracking import server_side
from topk_tune.tracking.config import TrackingConfig
from topk_tune.tracking.new_database import copy_empty, empty_database, keep_empty
from topk_tune.tracking.runs import Point, Runs, entities_for
from topk_tune.tracking.server_side import by_mlflow, connect, experiment_id
from topk_tune.tracking.sqlite_client import SqliteClient, is_known

POINTS: list[Point] = [
    *[("loops/loss", 1 / step, step, 1000) for step in (2, 1, 3)],
    ("best_loop", 3.0, 0, 1000),
    ("best_loop", 2.0, 0, 900),
]


@pytest.fixture(autouse=True)
def database(tmp_path: Path) -> None:
    new_database(tmp_path)


@contextmanager
def connected(config: TrackingConfig) -> Iterator[SqliteClient]:
    client = connect(config)
    assert isinstance(client, SqliteClient)
    with closing(client):
        yield client


def write(client: Any, config: TrackingConfig) -> str:
    """Log two runs with everything that a trial has; return the experiment."""
    kinds = entities_for(client)
    experiment = experiment_id(client, config, "of trials")
    client.set_experiment_tag(experiment, "seen", "yes")
    runs = Runs(client, experiment, "study")
    data = kinds.Dataset(
        name="yeast", digest="abc", source_type="code", source="{}", profile='{"rows": 3}'
    )
    for number in range(2):
        run = runs.get(number, f"trial {number}", {"kind": "trial"}, 500)
        run.log(POINTS[:2], params={"rho": 0.1}, tags={"state": "running"})
        run.log(POINTS, params={"rho": 0.1, "k": 2}, tags={"state": "complete", "host": "h"})
        client.log_inputs(run.id, [kinds.DatasetInput(data, [kinds.InputTag("for", "training")])])
        client.update_run(run.id, "RUNNING")
        client.set_terminated(run.id, "FINISHED", 2000)
    return experiment


def content(config: TrackingConfig, experiment: str) -> list[Any]:
    """What MLflow finds in a database, without ids of runs and data sets."""
    client = MlflowClient(config.tracking_uri)
    found: list[Any] = [client.get_experiment(experiment).tags]
    for run in client.search_runs([experiment], order_by=["tags.trial"]):
        info, data = run.info, run.data
        (given,) = run.inputs.dataset_inputs
        names = ("loops/loss", "best_loop")
        history = [client.get_metric_history(info.run_id, name) for name in names]
        points = [{(m.step, m.value, m.timestamp) for m in metric} for metric in history]
        found += [info.run_name, info.status, info.start_time, info.end_time, info.user_id]
        found += [data.metrics, data.params, data.tags, points, given.dataset.to_dictionary()]
        found += [[(tag.key, tag.value) for tag in given.tags]]
        found += [info.artifact_uri.replace(info.run_id, "run").rsplit("/", 3)[1:]]
    return found


@pytest.mark.slow
def test_it_writes_what_mlflow_would_write(tmp_path: Path) -> None:
    config, other = embedded(tmp_path), embedded(tmp_path / "other")
    (tmp_path / "other").mkdir()
    new_database(tmp_path / "other")
    with connected(config) as client:
        experiment = write(client, config)
        client.commit()
    expected = content(other, write(by_mlflow(other), other))
    assert content(config, experiment) == expected
    assert len(expected) > 2
    # And again, by a process that knows nothing of the first.
    with connected(config) as client:
        write(client, config)
        client.commit()
    assert content(config, experiment) == expected


def test_it_refuses_what_mlflow_refuses(tmp_path: Path) -> None:
    config = embedded(tmp_path)
    with connected(config) as client:
        check_refusals(client, config, ValueError)
    check_refusals(by_mlflow(config), config, MlflowException)


def check_refusals(client: Any, config: TrackingConfig, refusal: type[Exception]) -> None:
    experiment = experiment_id(client, config, "of trials")
    runs = Runs(client, experiment, "study")
    runs.get(0, "trial 0", {}, 500).log(params={"rho": 0.1})
    run = Runs(client, experiment, "study").get(0, "trial 0", {}, 500)
    for wrong in ("a\nb", "/a", "a//b", "../a", "a/", "a" * 251, "loss@5"):
        with pytest.raises(refusal):
            run.log([(wrong, 1.0, 0, 0)])
    with pytest.raises(refusal):
        run.log(params={"rho": 0.2})
    with pytest.raises(refusal) as error:
        client.create_experiment("of trials", "file:///elsewhere", {})
    assert error.value.error_code == "RESOURCE_ALREADY_EXISTS"  # type: ignore[attr-defined]


def test_nothing_of_a_failed_transaction_arrives(tmp_path: Path) -> None:
    config = embedded(tmp_path)
    with connected(config) as client:
        experiment = experiment_id(client, config, "of trials")
        kinds = entities_for(client)
        client.commit()
        client.create_run(experiment, 0, {}, "whole")
        client.log_batch("no such run", [kinds.Metric("loss", 1.0, 0, 0)])
        with pytest.raises(sqlite3.IntegrityError):
            client.commit()
    with closing(sqlite3.connect(tmp_path / "mlflow.db")) as file:
        assert file.execute("SELECT count(*) FROM runs").fetchone() == (0,)


def test_a_database_of_another_revision_is_left_to_mlflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "mlflow.db"
    assert is_known(file)
    monkeypatch.setenv("MLFLOW_ENABLE_WORKSPACES", "true")
    assert not is_known(file)
    monkeypatch.delenv("MLFLOW_ENABLE_WORKSPACES")
    with closing(sqlite3.connect(file)) as database:
        database.execute("UPDATE alembic_version SET version_num = 'unheard of'")
        database.commit()
    assert not is_known(file)
    with pytest.raises(MlflowException, match="schema"):
        connect(embedded(tmp_path))


def test_a_new_database_is_a_copy_without_what_belongs_to_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda name: tmp_path / "cache")
    new = tmp_path / "new.db"
    assert not copy_empty(new)
    keep_empty(tmp_path / "mlflow.db")
    assert empty_database().is_relative_to(tmp_path)

    def no_mlflow(config: TrackingConfig) -> None:
        raise AssertionError("MLflow takes seconds")

    monkeypatch.setattr(server_side, "by_mlflow", no_mlflow)
    config = TrackingConfig(tracking_uri=f"sqlite:///{new}")
    with connected(config):
        pass
    (default,) = MlflowClient(config.tracking_uri).search_experiments()
    assert default.experiment_id == "0"
    assert str(Path.cwd()) in default.artifact_location

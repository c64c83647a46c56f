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
from tracking_content import content, write

from topk_tune.tracking import server_side
from topk_tune.tracking.config import TrackingConfig
from topk_tune.tracking.new_database import copy_empty, empty_database, keep_empty
from topk_tune.tracking.runs import Runs, entities_for
from topk_tune.tracking.server_side import by_mlflow, connect, experiment_id
from topk_tune.tracking.sqlite_client import SqliteClient, is_known


@pytest.fixture(autouse=True)
def database(tmp_path: Path) -> None:
    new_database(tmp_path)


@contextmanager
def connected(config: TrackingConfig) -> Iterator[SqliteClient]:
    client = connect(config)
    assert isinstance(client, SqliteClient)
    with closing(client):
        yield client


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


def test_files_are_added_without_mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config, file = embedded(tmp_path), tmp_path / "some" / "file"
    file.parent.mkdir()
    file.write_text("1")

    def no_mlflow(client: SqliteClient) -> None:
        raise AssertionError("MLflow takes seconds")

    with connected(config) as client:
        run = Runs(client, experiment_id(client, config, "of trials"), "study").get(0, "t", {}, 500)
        monkeypatch.setattr(SqliteClient, "mlflow", property(no_mlflow))
        run.add_files(str(file.parent))
    assert [each.read_text() for each in (tmp_path / "artifacts").rglob("file")] == ["1"]


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

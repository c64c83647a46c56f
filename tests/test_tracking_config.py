"""`mlflow.yaml`: defaults, rules, and what wins over it."""

from pathlib import Path

import pytest
import yaml
from messages import raises

from topk_tune.tracking import TrackingConfig, TrackingError, read_config
from topk_tune.tracking.uris import scrubbed, without_password

SECRET = "hunter2%40x"


def read(folder: Path, text: str, **environment: str) -> TrackingConfig:
    (folder / "mlflow.yaml").write_text(text, encoding="utf-8")
    return read_config(folder, environment)


def test_the_file_of_the_project_says_what_the_defaults_are(root: Path) -> None:
    content = yaml.safe_load((root / "mlflow.yaml").read_text(encoding="utf-8"))
    assert TrackingConfig.model_validate(content) == TrackingConfig()
    flat = {
        *content,
        *(f"{k}.{key}" for k, v in content.items() if isinstance(v, dict) for key in v),
    }
    default = TrackingConfig().model_dump()
    assert flat == {
        *default,
        *(f"{k}.{key}" for k, v in default.items() if isinstance(v, dict) for key in v),
    }


def test_without_a_file_there_is_a_database_in_the_folder(tmp_path: Path) -> None:
    config = read_config(tmp_path, {})
    assert config.tracking_uri == f"sqlite:///{tmp_path}/mlflow.db"
    assert config.artifact_root == f"{tmp_path}/mlartifacts"
    assert config.server.backend_store_uri == config.tracking_uri
    assert config.server.host == "127.0.0.1"


def test_an_empty_file_is_the_same_as_none(tmp_path: Path) -> None:
    assert read(tmp_path, "# nothing\n") == read_config(tmp_path.parent / tmp_path.name, {})


def test_the_server_serves_the_database_that_studies_are_tracked_in(tmp_path: Path) -> None:
    config = read(tmp_path, "tracking_uri: postgresql://host/db\n")
    assert config.server.backend_store_uri == "postgresql://host/db"
    config = read(tmp_path, "tracking_uri: http://127.0.0.1:5000\n")
    assert config.server.backend_store_uri == f"sqlite:///{tmp_path}/mlflow.db"


@pytest.mark.parametrize(
    ("text", "line", "facts"),
    [
        (
            "tracking_uri: sqlite:///a.db\nretentoin: {}\n",
            2,
            ["'retentoin'", "tracking_uri", "'retention'"],
        ),
        (
            "server:\n  host: 127.0.0.1\n  prot: 5001\n",
            3,
            ["server.prot", "host", "'port'"],
        ),
        ("server:\n  port: 99999\n", 2, ["server.port", 65535]),
        ("log:\n  loops: perhaps\n", 2, ["log.loops", "boolean"]),
        ("experiment: '{data}'\n", 1, ["experiment", "{dataset}", "{study}", "'{data}'"]),
        ("retention: {days: 0}\n", 1, ["retention.days", "greater than 0"]),
        ("- a\n", 1, ["mapping"]),
        ("a: 1\na: 2\n", 2, ["a:", "line 1"]),
        ("a: [\n", 2, ["YAML"]),
    ],
)
def test_a_mistake_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, facts: list[object]
) -> None:
    with raises(TrackingError, f"mlflow.yaml:{line}", *facts):
        read(tmp_path, text)


def test_an_error_shows_no_value(tmp_path: Path) -> None:
    with pytest.raises(TrackingError) as caught:
        read(tmp_path, f"tracking_uri: [http://me:{SECRET}@host]\n")
    assert SECRET not in str(caught.value)


def test_variables_of_mlflow_win(tmp_path: Path) -> None:
    config = read(
        tmp_path,
        "tracking_uri: http://a\nexperiment: one\nserver: {port: 5001, host: localhost}\n",
        MLFLOW_TRACKING_URI="http://b",
        MLFLOW_REGISTRY_URI="http://c",
        MLFLOW_EXPERIMENT_NAME="two",
        MLFLOW_PORT="5002",
    )
    assert (config.tracking_uri, config.registry_uri) == ("http://b", "http://c")
    assert (config.experiment, config.server.port) == ("two", 5002)
    assert config.server.host == "localhost"


def test_a_wrong_variable_is_named(tmp_path: Path) -> None:
    with raises(TrackingError, "$MLFLOW_PORT", "integer"):
        read_config(tmp_path, {"MLFLOW_PORT": "many"})


@pytest.mark.parametrize(
    ("uri", "printable"),
    [
        (f"http://me:{SECRET}@host:5000/path", "http://host:5000/path"),
        (f"postgresql+psycopg://me:{SECRET}@host/db", "postgresql+psycopg://host/db"),
        (f"mysql://host/db?password={SECRET}", "mysql://host/db"),
        ("sqlite:////data/mlflow.db", "sqlite:////data/mlflow.db"),
        ("databricks", "databricks"),
    ],
)
def test_passwords_are_not_shown(uri: str, printable: str) -> None:
    assert without_password(uri) == printable
    text = scrubbed(f"cannot reach {uri}, password {SECRET} or hunter2@x", uri)
    if SECRET in uri:
        assert SECRET not in text and "hunter2@x" not in text

"""What is sent to a server without MLflow's own client is what that client would have sent."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from messages import says
from mlflow import MlflowClient
from mlflow.exceptions import MlflowException
from tracking_cases import files_of, free_port, new_database, server_settings, tracked_by
from tracking_content import content, write

from topk_tune.tracking import plain_entities as plain
from topk_tune.tracking import server_client
from topk_tune.tracking.config import TrackingConfig
from topk_tune.tracking.runs import Runs
from topk_tune.tracking.server import Server
from topk_tune.tracking.server_client import ServerClient
from topk_tune.tracking.server_side import by_mlflow, connect
from topk_tune.tracking.writer import _passing

VARIABLES = ("USERNAME", "PASSWORD", "TOKEN", "AUTH", "AWS_SIGV4")


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the credentials of whoever runs the tests."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in (*(f"MLFLOW_TRACKING_{each}" for each in VARIABLES), *server_client._SPECIAL):
        monkeypatch.delenv(name, raising=False)


class Stub(ThreadingHTTPServer):
    """Stands in for a server: keeps what it is sent, and how often it was connected to."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.connections = 0
        self.status = 200
        self.answer = b'{"run": {"info": {"run_id": "1", "artifact_uri": "mlflow-artifacts:/1"}}}'

    @property
    def config(self) -> TrackingConfig:
        """What tracks there."""
        return TrackingConfig(tracking_uri=f"http://127.0.0.1:{self.server_port}")


class Handler(BaseHTTPRequestHandler):
    """Answers every request alike."""

    protocol_version = "HTTP/1.1"
    server: Stub

    def setup(self) -> None:
        super().setup()
        self.server.connections += 1

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        answer = self.server.answer
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments: Any) -> None:
        """Nothing."""


@contextmanager
def stub() -> Iterator[Stub]:
    with Stub() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def client_of(config: TrackingConfig) -> ServerClient:
    client = connect(config)
    assert isinstance(client, ServerClient)
    return client


@pytest.mark.slow
def test_a_server_has_what_mlflow_would_have_sent(tmp_path: Path) -> None:
    new_database(tmp_path)
    folder = tmp_path / "some"
    (folder / "in it").mkdir(parents=True)
    (folder / "a b%c.txt").write_text("one")
    (folder / "in it" / "two.txt").write_text("two")
    (folder / "empty").write_text("")
    with Server(settings := server_settings(tmp_path)):
        config, mlflow = tracked_by(settings), MlflowClient(settings.address)
        expected = content(config, write(by_mlflow(config), config, "by MLflow"))
        experiment = write(client := client_of(config), config, "by us")
        assert content(config, experiment) == expected
        # And again, by a process that knows nothing of the first.
        write(client_of(config), config, "by us")
        assert content(config, experiment) == expected

        run = Runs(client, experiment, "study").get(0, "trial 0", {}, 500)
        for below in (None, "plots"):
            run.add_files(str(folder), below)
        (found,) = mlflow.search_runs([experiment], "tags.trial = '0'")
        names = {"a b%c.txt", "in it/two.txt", "empty"}
        assert files_of(mlflow, found) == names | {f"plots/{name}" for name in names}
        got = Path(mlflow.download_artifacts(run.id, "plots/a b%c.txt", str(tmp_path)))
        assert got.read_text() == "one"
        with pytest.raises(MlflowException) as error:
            run.log(params={"rho": 0.2})
        assert not _passing(error.value)

        many = [plain.Metric("long", 1 / step, 9, step) for step in range(1, 2001)]
        params = [plain.Param(f"p{number}", "1") for number in range(90)]
        client.log_batch(run.id, many, params, [plain.RunTag("all", "yes")])
        assert len(mlflow.get_metric_history(run.id, "long")) == len(many)
        assert mlflow.get_run(run.id).data.params.keys() >= {param.key for param in params}


def test_a_server_that_is_down_or_busy_is_asked_again() -> None:
    config = TrackingConfig(tracking_uri=f"http://127.0.0.1:{free_port()}")
    with pytest.raises(OSError) as refused:
        client_of(config).set_terminated("1", "FINISHED", 5)
    assert _passing(refused.value)
    with stub() as server:
        server.status, server.answer = 503, b"come again"
        secret = server.config.tracking_uri.replace("//", "//me:opensesame@")
        with pytest.raises(MlflowException) as busy:
            client_of(TrackingConfig(tracking_uri=secret)).set_terminated("1", "FINISHED", 5)
        assert _passing(busy.value)
        says(str(busy.value), "come again")
        assert "opensesame" not in str(busy.value)
        ((_, headers, _),) = server.requests
        assert headers["Authorization"].startswith("Basic ")


def test_a_trial_takes_one_connection_and_the_next_one_another() -> None:
    """Connections are kept, but not for good: new ones go to the process that is free."""
    with stub() as server:
        client = client_of(server.config)
        client.create_run("1", 5, {"trial": "0"}, "trial 0")
        client.log_batch("1", [plain.Metric("loss", 0.5, 5, 1)])
        client.set_terminated("1", "FINISHED", 6)
        assert server.connections == 1
        for _ in range(3, 2 * server_client._A_CONNECTION):
            client.update_run("1", "RUNNING")
        assert server.connections == 2
        client.close()
        assert [path.rpartition("/")[2] for path, _, _ in server.requests[:3]] == [
            "create",
            "log-batch",
            "update",
        ]


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, None),
        ({"TOKEN": "abc"}, "Bearer abc"),
        ({"USERNAME": "me", "PASSWORD": "abc"}, "Basic bWU6YWJj"),
    ],
)
def test_it_tells_who_it_is(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str | None
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(f"MLFLOW_TRACKING_{name}", value)
    with stub() as server:
        client_of(server.config).update_run("1", "RUNNING")
        by_mlflow(server.config).set_tag("1", "name", "value")
    ((_, ours, body), (_, theirs, _)) = server.requests
    assert ours.get("Authorization") == theirs.get("Authorization") == expected
    assert ours["User-Agent"] == theirs["User-Agent"]
    assert body == {"run_id": "1", "status": "RUNNING"}


def test_a_changed_password_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "old")
    with stub() as server:
        client, server.status = client_of(server.config), 401
        monkeypatch.setenv("MLFLOW_TRACKING_TOKEN", "new")
        with pytest.raises(MlflowException):
            client.update_run("1", "RUNNING")
        server.status = 200
        client.update_run("1", "RUNNING")
    said = [headers["Authorization"] for _, headers, _ in server.requests]
    assert said == ["Bearer old", "Bearer new"]


@pytest.mark.parametrize("name", ["MLFLOW_TRACKING_AWS_SIGV4", *server_client._SPECIAL])
def test_what_only_mlflow_knows_is_left_to_it(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "true")
    config = TrackingConfig(tracking_uri="http://127.0.0.1:1")
    assert isinstance(connect(config), MlflowClient)


def test_plugins_for_headers_are_left_to_mlflow(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"mlflow.request_header_provider": ["a plugin"]}
    monkeypatch.setattr(server_client, "entry_points", lambda group: found[group])
    assert isinstance(connect(TrackingConfig(tracking_uri="http://127.0.0.1:1")), MlflowClient)


def test_files_that_are_large_or_elsewhere_are_left_to_mlflow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("12")
    client = client_of(TrackingConfig(tracking_uri="http://127.0.0.1:1"))
    assert not client.upload("s3://bucket/1", tmp_path, None)
    monkeypatch.setattr(server_client, "_LARGEST", 1)
    assert not client.upload("mlflow-artifacts:/1", tmp_path, None)

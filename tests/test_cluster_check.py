"""`topk-tune cluster check`: files of Ray's launcher, good ones and each way to get them wrong."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import yaml
from messages import raises, says

from topk_tune import __version__, cli
from topk_tune.cluster import Finding, check_cluster
from topk_tune.cluster.launcher import ClusterError, commands, read_launcher

SECRETS = (".ssh/id_ed25519", ".ray/auth_token")
"""Below the folder of the user."""

AUTOSCALER = (
    " RAY_enable_autoscaler_v2=0; AUTOSCALER_UPDATE_INTERVAL_S=1; RAY_ENABLE_CLUSTER_STATUS_LOG=0;"
)
LAUNCHERS = ("cluster.yaml", "docs/cluster/aws.yaml")

SECRET = "opensesame-8c1f"

ELSEWHERE = "127.0.0.2"
"""Loopback too, but no name for the head's own, which cannot be asked from here."""

NOBODY = f"{ELSEWHERE}:1"
"""Where nothing listens."""


class Healthy(BaseHTTPRequestHandler):
    """A tracking server, as far as it is asked whether it is well."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture
def ready(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder in which the project's cluster.yaml is ready to be used."""
    shutil.copy(root / "constraints.txt", tmp_path)
    for launcher in LAUNCHERS:
        for_this_python(root / launcher, tmp_path)
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / f"topk_tune-{__version__}-py3-none-any.whl").touch()
    server = HTTPServer((ELSEWHERE, 0), Healthy)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    track(tmp_path, f"http://{ELSEWHERE}:{server.server_port}")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RAY_AUTH_TOKEN_PATH", raising=False)
    for secret in SECRETS:
        (tmp_path / secret).parent.mkdir()
        (tmp_path / secret).touch(0o600)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    server.shutdown()
    server.server_close()


def for_this_python(launcher: Path, folder: Path) -> None:
    """Copy a launcher file, whose machines get the Python of this driver."""
    here = "python{}.{}".format(*sys.version_info)
    text = launcher.read_text(encoding="utf-8").replace("python3.11", here)
    (folder / launcher.name).write_text(text, encoding="utf-8")


def track(folder: Path, uri: str) -> None:
    (folder / "mlflow.yaml").write_text(yaml.safe_dump({"tracking_uri": uri}))


def problems(findings: list[Finding]) -> dict[str, str]:
    return {finding.what: finding.problem for finding in findings if finding.problem}


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    return int(ended.value.code or 0)


def test_our_own_file_is_ready(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("cluster", "check", "cluster.yaml") == 0
    says(capsys.readouterr().out, "topk-tune cluster up cluster.yaml")


def test_the_file_for_aws_is_ready(ready: Path) -> None:
    assert problems(check_cluster(ready / "aws.yaml")) == {}


def test_machines_of_aws_are_set_up_as_all_others_are(root: Path) -> None:
    ours, cloud = (read_launcher(root / name) for name in LAUNCHERS)
    own = ["sudo apt-get -qq update && sudo apt-get -qq install --yes python3.11-venv"]
    assert [c for c in cloud["setup_commands"] if c not in own] == ours["setup_commands"]
    assert cloud["worker_start_ray_commands"] == ours["worker_start_ray_commands"]
    head = [c.replace(AUTOSCALER, "") for c in ours["head_start_ray_commands"]]
    assert cloud["head_start_ray_commands"] == head  # which a cloud leaves as Ray has it


def start_with(content: dict[str, Any], old: str, new: str) -> None:
    for key in ("head_start_ray_commands", "worker_start_ray_commands"):
        content[key] = [command.replace(old, new) for command in content[key]]


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str, str]] = {
    "a key that Ray does not know": (
        lambda c: c.update(workers=3),
        "Ray's validator takes it",
        "'workers'",
    ),
    "no machine": (
        lambda c: c["provider"].pop("head_ip"),
        "Ray's validator takes it",
        "`head_ip`",
    ),
    "an autoscaler that starts no worker": (
        lambda c: start_with(c, "RAY_enable_autoscaler_v2=0;", ""),
        "workers will be started",
        "RAY_enable_autoscaler_v2=0",
    ),
    "another Python": (
        lambda c: c.update(setup_commands=[s.replace("3.", "2.") for s in c["setup_commands"]]),
        "nodes get the Python of this driver",
        "2.",
    ),
    "no constraints": (
        lambda c: c["file_mounts"].pop("~/topk-tune/constraints.txt"),
        "nodes get the Ray of this driver",
        "file_mounts",
    ),
    "no wheel": (
        lambda c: c["file_mounts"].pop("~/topk-tune/dist"),
        "the wheel is there",
        "none",
    ),
    "an open dashboard": (
        lambda c: start_with(c, "--dashboard-host=127.0.0.1", "--dashboard-host=0.0.0.0"),
        "the dashboard is closed to others",
        "0.0.0.0",
    ),
    "no token": (
        lambda c: start_with(c, "RAY_AUTH_MODE=token", ""),
        "nodes demand a token",
        "RAY_AUTH_MODE=token",
    ),
    "a password": (
        lambda c: start_with(c, "set -a;", f"export A=postgresql://me:{SECRET}@db.lan/x; set -a;"),
        "no password is in the file",
        "db.lan",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_found(ready: Path, case: str) -> None:
    change, what, fact = WRONG[case]
    content = yaml.safe_load((ready / "cluster.yaml").read_text())
    change(content)
    (ready / "cluster.yaml").write_text(yaml.safe_dump(content))
    found = problems(check_cluster(ready / "cluster.yaml"))
    assert list(found) == [what]
    says(found[what], fact)
    assert SECRET not in str(found)


def test_other_versions_are_found(ready: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (ready / "constraints.txt").write_text("ray==1.0.0\n")
    (ready / "dist" / "topk_tune-0.0.1-py3-none-any.whl").touch()
    assert call("cluster", "check") == 2
    told = capsys.readouterr()
    says(told.out, "1.0.0", "topk_tune-0.0.1-py3-none-any.whl")
    says(told.err, "2 of 11")


@pytest.mark.parametrize("storage", ["studies", "sqlite:///studies.db"])
def test_several_drivers_need_a_database_server(ready: Path, storage: str) -> None:
    assert problems(check_cluster(ready / "cluster.yaml", storage)) == {}
    (problem,) = problems(check_cluster(ready / "cluster.yaml", storage, drivers=2)).values()
    says(problem, "2 drivers", "database server")


@pytest.mark.parametrize("name", SECRETS)
def test_a_key_that_others_can_read_is_found(ready: Path, name: str) -> None:
    (ready / name).write_text(SECRET)
    (ready / name).chmod(0o640)
    found = problems(check_cluster(ready / "cluster.yaml"))
    assert list(found) == ["key and token are there for you alone"]
    (problem,) = found.values()
    says(problem, str(ready / name), 640)
    assert SECRET not in problem


def test_a_key_must_be_there_and_a_token_will_be(ready: Path) -> None:
    for name in SECRETS:
        (ready / name).unlink()
    (problem,) = problems(check_cluster(ready / "cluster.yaml")).values()
    says(problem, "ssh_private_key", f"{ready / SECRETS[0]}")
    (ready / SECRETS[0]).touch(0o600)
    assert problems(check_cluster(ready / "cluster.yaml")) == {}


DATABASE = f"postgresql+psycopg://me:{SECRET}@{NOBODY}/studies"


@pytest.mark.parametrize("tracking", [f"http://me:{SECRET}@{NOBODY}", DATABASE])
def test_services_that_do_not_answer_are_found_without_their_passwords(
    ready: Path, tracking: str
) -> None:
    track(ready, tracking)
    found = problems(check_cluster(ready / "cluster.yaml", DATABASE))
    assert list(found) == [
        "the tracking of mlflow.yaml answers",
        "the storage answers, and is one for a driver",
    ]
    assert all(ELSEWHERE in problem for problem in found.values())
    assert SECRET not in str(found)


@pytest.mark.parametrize(
    "tracking", ["sqlite:///mlflow.db", "http://127.0.0.1:1", "http://localhost:1"]
)
def test_what_the_head_has_itself_is_not_asked_from_here(ready: Path, tracking: str) -> None:
    track(ready, tracking)
    storage = "postgresql+psycopg://me@localhost:1/studies"
    assert problems(check_cluster(ready / "cluster.yaml", storage)) == {}


def test_variables_of_this_computer_are_not_those_of_jobs(
    ready: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://{NOBODY}")
    monkeypatch.setenv("TOPK_TUNE_STORAGE", DATABASE)
    assert problems(check_cluster(ready / "cluster.yaml")) == {}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("a: [", "YAML"),
        ("- a", "mapping"),
        ("a: 1", "`provider`"),
        ("kind: RayCluster", "Kubernetes"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, fact: str) -> None:
    (tmp_path / "x.yaml").write_text(text)
    with raises(ClusterError, "x.yaml", fact):
        read_launcher(tmp_path / "x.yaml")


@pytest.mark.parametrize("name", LAUNCHERS)
def test_commands_are_ones_that_a_shell_understands(root: Path, name: str) -> None:
    found = commands(read_launcher(root / name))
    assert len(found) >= 7
    for command in found:
        subprocess.run(["bash", "-n", "-c", command], check=True)

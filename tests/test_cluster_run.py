"""`topk-tune run --cluster FILE`: what is sent, and the way to the head."""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml

from topk_tune import cli, cluster
from topk_tune.cluster import Job, JobServer, job_server, server
from topk_tune.cluster.jobs import JobError

FORWARD = """\
#!{python}
import subprocess, sys
if sys.argv[1] == "dashboard":
    sys.exit(subprocess.call([sys.executable, __file__, "ssh", *sys.argv[2:]]))
from http.server import BaseHTTPRequestHandler, HTTPServer
arguments = dict(zip(sys.argv[3::2], sys.argv[4::2]))
class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(arguments["--remote-port"].encode())
HTTPServer(("127.0.0.1", int(arguments["--port"])), Answer).serve_forever()
"""
"""In the place of `ray dashboard`: its child answers with the port of the head that is meant."""


class FakeJobs:
    """Jobs that end at once, or are left by Ctrl-C."""

    sent: tuple[list[str], Path | None]
    end = Job("study-1", "succeeded", "topk-tune run", "", exit_code=0)
    interrupted = False

    def __init__(self, address: str) -> None:
        self.address = address

    def submit(self, arguments: list[str], folder: Path | None) -> str:
        FakeJobs.sent = (arguments, folder)
        return "study-1"

    def follow(self, job: str) -> Iterator[str]:
        yield "trial 0\n"
        if self.interrupted:
            raise KeyboardInterrupt

    def ended(self, job: str) -> Job:
        return self.end


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> type[FakeJobs]:
    @contextmanager
    def found(path: Path) -> Iterator[JobServer]:
        yield JobServer("http://127.0.0.1:5", tunnelled=False)

    made = type("Made", (FakeJobs,), {})
    monkeypatch.setattr(cluster, "Jobs", made)
    monkeypatch.setattr(cluster, "job_server", found)
    return made


def call(arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments.split())
    return int(ended.value.code or 0)


def test_the_cluster_gets_what_was_given_and_nothing_else(
    jobs: type[FakeJobs], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here = f"--cluster cluster.yaml --files {tmp_path}"
    there = "--trials 3 --config a.yaml --config b.yaml --runtime --cpus 2.0 --no-track"
    assert call(f"run {here} {there}") == 0
    arguments, folder = FakeJobs.sent
    assert arguments[0] == "run"
    assert sorted(arguments[1:]) == sorted(there.split())
    assert folder == tmp_path
    assert "trial 0\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (Job("j", "failed", "", "", exit_code=2), 2),
        (Job("j", "stopped", "", ""), 130),
        (Job("j", "failed", "", "no room for its driver"), 1),
    ],
)
def test_it_ends_as_the_job_ends(
    jobs: type[FakeJobs], end: Job, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.end = end
    assert call("run --cluster cluster.yaml") == code
    assert end.message in capsys.readouterr().err


def test_ctrl_c_leaves_the_job_alone_and_says_how_to_find_it(
    jobs: type[FakeJobs], capsys: pytest.CaptureFixture[str]
) -> None:
    jobs.interrupted = True
    assert call("run --cluster cluster.yaml") == 130
    said = capsys.readouterr().out
    assert "topk-tune job logs -f --address http://127.0.0.1:5 study-1" in said
    assert "topk-tune job stop --address http://127.0.0.1:5 study-1" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("--cluster cluster.yaml --address auto", "leave out --address and --backend"),
        ("--cluster cluster.yaml --backend local", "leave out --address and --backend"),
        ("--files .", "it needs --cluster FILE"),
    ],
)
def test_what_does_not_go_together(
    arguments: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"run {arguments}") == 2
    assert sentence in capsys.readouterr().err


def launcher(folder: Path, head: str, options: str = "") -> Path:
    path = folder / "cluster.yaml"
    content = {
        "cluster_name": "none-of-this-name",
        "provider": {"type": "local", "head_ip": head, "worker_ips": []},
        "auth": {"ssh_user": "nobody"},
        "head_start_ray_commands": [f"ray start --head {options}"],
    }
    path.write_text(yaml.safe_dump(content))
    return path


@pytest.mark.parametrize(("options", "port"), [("", 8265), ("--dashboard-port=9000", 9000)])
def test_a_head_on_this_machine_needs_no_tunnel(tmp_path: Path, options: str, port: int) -> None:
    with job_server(launcher(tmp_path, "127.0.0.1", options)) as found:
        assert found == JobServer(f"http://127.0.0.1:{port}", tunnelled=False)


def test_a_head_elsewhere_is_reached_through_a_tunnel_that_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = tmp_path / "ray"
    ray.write_text(FORWARD.format(python=sys.executable))
    ray.chmod(0o755)
    monkeypatch.setattr(server, "_RAY", ray)
    with job_server(launcher(tmp_path, "192.0.2.1", "--dashboard-port 9000")) as found:
        assert found.tunnelled
        with urlopen(found.address, timeout=30) as answer:
            assert answer.read() == b"9000"
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(("127.0.0.1", int(found.address.rpartition(":")[2])), 5)


@pytest.mark.slow
def test_a_cluster_that_is_not_up_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked of Ray itself."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where it keeps what it makes of the file
    not_up = launcher(tmp_path, "192.0.2.1")
    with (
        pytest.raises(JobError, match=r"no way to the head of .*cluster.yaml") as error,
        job_server(not_up),
    ):
        pass
    assert str(error.value).endswith("says: Head node of cluster (none-of-this-name) not found!")

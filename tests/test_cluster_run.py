"""`run`, `resume` and `confirm` with `--cluster FILE`: what is sent, and the way to the head."""

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from messages import raises, says
from stand_ins import put_launcher, put_ssh

from topk_tune import cli
from topk_tune.cluster import Job, job_server
from topk_tune.cluster.jobs import JobError

SSH = """\
#!{python}
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
host, port, _, there = sys.argv[sys.argv.index("-L") + 1].split(":")
class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{{sys.argv[-1]}} {{there}}".encode())
HTTPServer((host, int(port)), Answer).serve_forever()
"""
"""In the place of `ssh -N -L`: answers with the target and its port that are meant."""


class FakeJobs:
    """Jobs that end at once, or are left by Ctrl-C."""

    sent: tuple[list[str], str]
    end = Job("study-1", "succeeded", "topk-tune run", "", exit_code=0)
    interrupted = False

    def __init__(self, address: str) -> None:
        self.address = address

    def submit(self, arguments: list[str], sender: str) -> str:
        FakeJobs.sent = (arguments, sender)
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
    def found(path: Path) -> Iterator[str]:
        yield "http://127.0.0.1:5"

    made = type("Made", (FakeJobs,), {})
    monkeypatch.setattr("topk_tune.commands.jobs.Jobs", made)
    monkeypatch.setattr("topk_tune.commands.jobs.job_server", found)
    return made


def call(arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments.split())
    return int(ended.value.code or 0)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("run", "--trials 3 --config a.yaml --config b.yaml --runtime --cpus 2.0 --no-track"),
        ("resume demo", "--trials +5 --no-track"),
        ("confirm demo", "--top 2 --seeds 3"),
    ],
)
def test_the_cluster_gets_what_was_given_and_nothing_else(
    jobs: type[FakeJobs], command: str, options: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(f"{command} --cluster cluster.yaml {options}") == 0
    arguments, sender = FakeJobs.sent
    name, *rest = command.split()
    assert arguments[0] == name
    assert sorted(arguments[1:]) == sorted([*rest, *options.split()])
    assert sender == "--cluster cluster.yaml"
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
    says(
        said, *(f"topk-tune job {do} --cluster cluster.yaml study-1" for do in ("logs -f", "stop"))
    )


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ("run --cluster cluster.yaml --address auto", ["--cluster", "--address"]),
        ("run --cluster cluster.yaml --backend local", ["--cluster", "--backend"]),
        ("job list --cluster cluster.yaml --address http://127.0.0.1:5", ["--address"]),
    ],
)
def test_what_does_not_go_together(
    arguments: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(arguments) == 2
    says(capsys.readouterr().err, *options)


@pytest.mark.parametrize(("options", "port"), [("", 8265), ("--dashboard-port=9000", 9000)])
def test_a_head_on_this_machine_needs_no_tunnel(tmp_path: Path, options: str, port: int) -> None:
    with job_server(put_launcher(tmp_path, "127.0.0.1", options=options)) as found:
        assert found == f"http://127.0.0.1:{port}"


def test_a_head_elsewhere_is_reached_through_a_tunnel_that_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_ssh(tmp_path, monkeypatch, SSH.format(python=sys.executable))
    path = put_launcher(tmp_path, "192.0.2.1", options="--dashboard-port 9000")
    with job_server(path) as found, urlopen(found, timeout=300) as answer:
        assert answer.read() == b"nobody@192.0.2.1 9000"
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", int(found.rpartition(":")[2])), 5)


def test_a_head_that_does_not_answer_is_said_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_ssh(tmp_path, monkeypatch, "#!/bin/sh\necho no route to host >&2; exit 255\n")
    with (
        raises(JobError, "192.0.2.1", "no route to host"),
        job_server(put_launcher(tmp_path, "192.0.2.1")),
    ):
        pass

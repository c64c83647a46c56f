"""`topk-tune ui`, and the command on a run that repeats it."""

import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import psutil
import pytest
from messages import lines_say, raises, says
from tracking_cases import DATASET, embedded, free_port, make_record, make_study, new_database

from topk_tune import cli
from topk_tune.backends.resources import ResourceOptions
from topk_tune.engine.stopping import StopOptions
from topk_tune.provenance.commands import study_command, trial_command
from topk_tune.storage import Location
from topk_tune.study.study import Study
from topk_tune.tracking import TrackingError, files, read_config
from topk_tune.tracking.server import Server, at_free_port, is_ours, page, study_page
from topk_tune.tracking.state import Sent, write_sent


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    return int(ended.value.code or 0)


@pytest.mark.slow
def test_the_command_of_a_trial_repeats_it_bit_for_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, data = make_study(tmp_path, seeds=2, seed=5)
    study.run(StopOptions(trials=2), ResourceOptions("local", 1), data=data)
    record = study.records()[1]
    monkeypatch.chdir(tmp_path)
    files.trial_files(tmp_path, study.settings, record)
    command = shlex.split(trial_command(study.settings))
    local = ["--backend", "local", "--workers", "1", "--storage", "again", "--name", "again"]
    local += ["--no-track"]
    assert command[0] == "topk-tune"
    assert call(*command[1:], *local) == 0
    (again,) = Study.open(Location.of("again"), "again").records()
    assert (again.config, again.curve) == (record.config, record.curve)


@pytest.mark.slow
def test_the_command_of_a_study_searches_the_same_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = {"algorithm": "topada", "loops": 3, "n_learners": 4, "rho": 0.25, "k": 2}
    configs = ({**first, "n_covariates": 5}, {**first, "rho": 0.125, "n_covariates": 5})
    study, data = make_study(tmp_path, sampler="random", pruner="none", first=configs)
    study.run(StopOptions(trials=3), ResourceOptions("local", 1), data=data)
    assert [r.config["rho"] for r in study.records()[:2]] == [0.25, 0.125]
    monkeypatch.chdir(tmp_path)
    files.study_files(tmp_path, study.settings, study.records())
    command = shlex.split(study_command(study.settings, 3))
    local = ["--backend", "local", "--workers", "1", "--storage", "again", "--name", "again"]
    local += ["--no-track"]
    assert call(*command[1:], *local) == 0
    again = Study.open(Location.of("again"), "again").records()
    assert [r.curve for r in again] == [r.curve for r in study.records()]


def test_the_files_of_a_failed_trial_are_its_configuration(tmp_path: Path) -> None:
    study, _ = make_study(tmp_path)
    files.trial_files(tmp_path, study.settings, make_record(0, "failed", seeds=0))
    assert {path.name for path in tmp_path.glob("*.*")} == {"config.yaml"}


def test_a_remote_server_is_only_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "https://me:secret@mlflow.example:8080/")
    assert call("ui") == 0
    assert capsys.readouterr().out == "https://mlflow.example:8080\n"


def test_the_page_of_a_study_is_that_of_its_run(tmp_path: Path) -> None:
    config = embedded(tmp_path)
    assert page(config, tmp_path) == "http://127.0.0.1:5000"
    write_sent(tmp_path, config, Sent(9, "3", "abc"))
    shown = "http://127.0.0.1:5000/#/experiments/3/runs"
    kind = "workflowType=machine_learning"
    assert page(config, tmp_path) == f"{shown}?viewStateShareKey=abc&{kind}"
    assert study_page(config, tmp_path) == f"{shown}/abc?{kind}"
    own = {"MLFLOW_TRACKING_URI": "http://127.0.0.1:5000/"}
    assert is_ours(read_config(tmp_path, own))
    assert not is_ours(read_config(tmp_path, {**own, "MLFLOW_PORT": "5001"}))


@pytest.mark.parametrize("command", ["ui", "sync"])
def test_an_unknown_study_is_refused(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(command, "nobody") == 2
    says(capsys.readouterr().err, "studies", "study 'nobody'")


def test_a_port_is_not_for_a_server_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "https://me:secret@mlflow.example:8080/")
    assert call("ui", "--port", "5001") == 2
    lines_say(capsys.readouterr().err, ["Error:", "--port", "https://mlflow.example:8080/"])


def test_the_page_of_a_study_is_at_the_port_that_was_asked_for(tmp_path: Path) -> None:
    config = embedded(tmp_path)
    write_sent(tmp_path, config, Sent(9, "3", "abc"))
    assert is_ours(config.served_at(5001))
    shown = "http://127.0.0.1:5001/#/experiments/3/runs/abc?workflowType=machine_learning"
    assert study_page(config.served_at(5001), tmp_path) == shown
    server = read_config(tmp_path, {"MLFLOW_TRACKING_URI": "http://127.0.0.1:5001"})
    assert not is_ours(server)
    assert is_ours(server.served_at(5001))


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_a_port_that_is_taken_is_refused_with_one_that_is_free(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By anything: what listens here never answers. The next port is taken, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_HOST", host)
    with neighbours() as (first, second):
        assert call("ui", "--port", str(first)) == 2
        said = capsys.readouterr()
        assert said.out == ""
        (line,) = said.err.splitlines()
        says(line, first, "in use", "--port")
        free = int(said.err.rpartition(" ")[2])
        assert free > second
        assert not _listens(free)
        monkeypatch.setenv("MLFLOW_TRACKING_URI", f"http://127.0.0.1:{first}")
        assert call("ui", "--port", str(first)) == 2
        says(capsys.readouterr().err, "server.port", "tracking_uri", "mlflow.yaml")


def test_the_next_free_port_is_used_unless_one_was_chosen(tmp_path: Path) -> None:
    with neighbours() as (first, second):
        config = embedded(tmp_path, server={"port": first})
        used = at_free_port(config, chosen=False).server.port
        assert used > second and not _listens(used)
        with pytest.raises(TrackingError):
            at_free_port(config, chosen=True)
        server = embedded(tmp_path, server={"port": first}, tracking_uri=config.server.address)
        with pytest.raises(TrackingError):  # studies send their records there
            at_free_port(server, chosen=False)
    assert at_free_port(config, chosen=False) == config


def test_a_server_whose_port_was_taken_meanwhile_says_so_in_one_sentence(tmp_path: Path) -> None:
    with neighbours() as (port, _):
        settings = embedded(tmp_path, server={"port": port}).server
        settings = settings.model_copy(update={"backend_store_uri": "sqlite:///none.db"})
        server = Server(settings)
        server._process = DeadProcess()
        with raises(TrackingError, port, "in use"):
            server._wait_until_it_answers()


class DeadProcess:
    """A server that has ended."""

    def poll(self) -> int:
        return 1


@contextmanager
def neighbours() -> Iterator[tuple[int, int]]:
    """Two ports, one after the other, that are listened at."""
    while True:
        port = free_port()
        with socket.create_server(("127.0.0.1", port)), ExitStack() as stack:
            try:
                stack.enter_context(socket.create_server(("127.0.0.1", port + 1)))
            except (OSError, OverflowError):
                continue
            yield port, port + 1
            return


@contextmanager
def ui(folder: Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """`topk-tune ui` as a process of its own, in a folder."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MLFLOW_")}
    program = f"from topk_tune.cli import main; main(['ui', *{options!r}])"
    with subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def check_that_it_serves(process: "subprocess.Popen[str]", port: int) -> None:
    assert process.stdout is not None
    starting = f"starting the MLflow server at http://127.0.0.1:{port} ...\n"
    assert process.stdout.readline() == starting
    assert f"open http://127.0.0.1:{port} " in process.stdout.readline()


@pytest.mark.slow
def test_ui_starts_waits_and_stops(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "mlflow.yaml").write_text(f"server: {{port: {port}}}\n")
    with ui(tmp_path) as process:
        check_that_it_serves(process, port)
        assert (tmp_path / "mlflow.db").exists()
        with ui(tmp_path, "--port", str(port)) as second:
            _, said = second.communicate(timeout=300)
            assert second.returncode == 2
            says(said, port)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=300) == ("stopped\n", "")
        assert process.returncode == 0
    assert not _listens(port)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "said", "code"),
    [(signal.SIGHUP, ["stopped"], 0), (signal.SIGKILL, [], -signal.SIGKILL)],
)
def test_no_server_outlives_ui(
    tmp_path: Path, number: signal.Signals, said: list[str], code: int
) -> None:
    port = free_port()
    (tmp_path / "mlflow.yaml").write_text("server: {port: 1}\n")  # --port wins
    new_database(tmp_path)
    with ui(tmp_path, "--port", str(port)) as process:
        check_that_it_serves(process, port)
        family = psutil.Process(process.pid).children(recursive=True)
        assert any("mlflow" in word for member in family for word in member.cmdline())
        process.send_signal(number)
        out, err = process.communicate(timeout=300)
        _, alive = psutil.wait_procs(family, timeout=300)
        for member in alive:
            member.kill()
    # Rich prints a line again if the signal comes before it has forgotten the line.
    assert (out.splitlines()[-1:], err, process.returncode) == (said, "", code)
    assert alive == []
    assert not _listens(port)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_the_name_of_the_data_set_is_quoted_in_commands(tmp_path: Path) -> None:
    study, _ = make_study(tmp_path)
    settings = study.settings.model_copy(update={"dataset": "my data.csv", "labels": "a b"})
    words = shlex.split(trial_command(settings))
    assert words[words.index("--dataset") + 1] == "my data.csv"
    assert words[words.index("--labels") + 1] == "a b"
    assert DATASET not in words

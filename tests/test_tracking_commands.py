"""`topk-tune ui`, and the command on a run that repeats it."""

import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes
from tracking_cases import DATASET, embedded, free_port, make_record, make_study

from topk_tune import cli
from topk_tune.machines import Machines
from topk_tune.objective import Objective
from topk_tune.stopping import StopRule
from topk_tune.storage import Location
from topk_tune.study import Study
from topk_tune.tracking import files, read_config
from topk_tune.tracking.commands import study_command, trial_command
from topk_tune.tracking.server import is_ours, page
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
    study.run(StopRule(trials=2), Machines("local", 1), data=data)
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
    study.run(StopRule(trials=3), Machines("local", 1), data=data)
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


@pytest.mark.parametrize(("objective", "lines"), [("shown_loss", 2), ("average_precision", 1)])
def test_training_loss_is_drawn_beside_losses_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, objective: str, lines: int
) -> None:
    drawn: list[Any] = []
    plot = Axes.plot

    def noted(self: Axes, *arguments: Any, **named: Any) -> Any:
        drawn.append(arguments)
        return plot(self, *arguments, **named)

    monkeypatch.setattr(Axes, "plot", noted)
    study, _ = make_study(tmp_path)
    record = replace(make_record(0), objective=Objective.of(objective))
    files.trial_files(tmp_path, study.settings, record)
    assert len(drawn) == lines * len(record.runs) > 0


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
    shown = "http://127.0.0.1:5000/#/experiments/3/runs/abc?workflowType=machine_learning"
    assert page(config, tmp_path) == shown
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
    assert "no record of 'nobody' in studies" in capsys.readouterr().err


@pytest.mark.slow
def test_ui_starts_waits_and_stops(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "mlflow.yaml").write_text(f"server: {{port: {port}}}\n")
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MLFLOW_")}
    command = [sys.executable, "-c", "from topk_tune.cli import main; main(['ui'])"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == (
                f"starting the MLflow server at http://127.0.0.1:{port} ...\n"
            )
            assert f"open http://127.0.0.1:{port} " in process.stdout.readline()
            assert (tmp_path / "mlflow.db").exists()
            second = subprocess.run(
                command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
            )
            assert (second.returncode, "must be free" in second.stderr) == (2, True)
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "stopped\n"
            assert process.wait(30) == 0
        finally:
            process.kill()
    deadline = time.monotonic() + 10
    while _listens(port) and time.monotonic() < deadline:
        time.sleep(0.1)
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

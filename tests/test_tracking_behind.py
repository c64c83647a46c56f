"""Tracking that goes on when the command has ended, and how others know of it."""

import os
import time
from pathlib import Path

import psutil
import pytest
from filelock import FileLock
from messages import says
from mlflow import MlflowClient
from tracking_cases import check_trials, embedded, make_record, make_study, new_database

from topk_tune import cli
from topk_tune.engine import events
from topk_tune.tracking import entries, open_tracker, process
from topk_tune.tracking.process import LOCK, is_sending
from topk_tune.tracking.spool import NAME, Spool


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert not ended.value.code
    return capsys.readouterr().out


def test_status_and_sync_know_what_is_left_and_who_sends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    study, _ = make_study(tmp_path)
    study.store.close()
    monkeypatch.chdir(tmp_path)
    Path("mlflow.yaml").write_text("finish_seconds: 0\n")
    assert "MLflow" not in told(capsys, "status", "demo")
    folder = tmp_path / "studies" / "demo" / "tracking"
    spool = Spool(folder / NAME)
    for number in range(3):
        spool.append(entries.Running(number))
    says(told(capsys, "status", "demo"), "3 records", "topk-tune sync demo")
    with FileLock(folder / LOCK):
        assert is_sending(folder)
        says(told(capsys, "status", "demo"), "3 records", "a process sends them")
        says(told(capsys, "sync", "demo"), "another process", "3 are left")
    assert not is_sending(folder)
    Path("mlflow.yaml").write_text("no_such_key: 1\n")
    assert "MLflow" not in told(capsys, "status", "demo")


@pytest.mark.slow
def test_a_process_goes_on_alone_and_the_next_run_waits_for_it(tmp_path: Path) -> None:
    new_database(tmp_path)
    study, data = make_study(tmp_path)
    config = embedded(tmp_path, wait_seconds=0)
    records = [make_record(number) for number in range(4)]
    for part in (records[:2], records[2:]):
        with open_tracker(study, config, data) as tracker:
            for record in part:
                tracker.observe(events.TrialEnded(record))
    first, second = (psutil.Process(each.pid) for each in process._LEFT_ALONE[-2:])
    # A terminal that is closed ends the processes of its session.
    assert os.getsid(first.pid) == first.pid != os.getsid(0)
    psutil.wait_procs([first, second], timeout=120)
    deadline = time.monotonic() + 120
    while any(each.poll() is None for each in process._LEFT_ALONE):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert not is_sending(tracker.folder)
    assert {each.returncode for each in process._LEFT_ALONE[-2:]} == {process.ALL_SENT}
    check_trials(MlflowClient(config.tracking_uri), records)

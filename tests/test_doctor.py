"""What `topk-tune doctor` finds, and what it says of trouble."""

import shutil
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from topk_tune import cli
from topk_tune.commands.machine_checks import Finding, examine


def found(storage: Path) -> dict[str, Finding]:
    return {finding.what: finding for finding in examine(storage)}


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_everything_that_the_project_requires_is_looked_at(tmp_path: Path) -> None:
    findings = found(tmp_path)
    assert {"Python", "numba", "optuna", "ray", "mlflow", "disk", "memory"} <= set(findings)
    assert findings["numba"].ok


def test_a_full_disk_and_a_missing_package_are_told_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10, 9, 1))
    monkeypatch.setattr(
        "topk_tune.commands.machine_checks._packages", lambda: ["no-such-package>=1", "numpy>=99"]
    )
    findings = found(tmp_path / "not" / "there")
    assert not findings["disk"].ok
    assert findings["disk"].mend
    assert findings["no-such-package"].found == "missing"
    assert "pip install" in findings["no-such-package"].mend
    assert ">=99 is needed" in findings["numpy"].found


def test_the_libraries_of_learners_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert found(tmp_path)["learner river"].found.startswith("river 0.")
    monkeypatch.setitem(sys.modules, "booster.learners.river_tree", None)
    finding = found(tmp_path)["learner river"]
    assert finding.ok
    assert "run `pip install river`" in finding.found


def test_a_tracking_server_that_is_away_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://me:hidden@127.0.0.1:1")
    with pytest.raises(SystemExit) as ended:
        cli.main(["doctor"])
    out = capsys.readouterr().out
    assert ended.value.code == 1
    assert "not ok  MLflow" in out
    assert "hidden" not in out

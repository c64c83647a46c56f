"""What `topk-tune doctor` finds, and what it says of trouble."""

import shutil
import sys
from collections import namedtuple
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest
from messages import says

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
    assert not finding.ok and finding.needed  # it is installed, so it should work
    says(finding.found, "river", "cannot be imported", "pip install river")


def test_a_package_that_is_there_but_cannot_be_imported_is_not_ok(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    finding = found(tmp_path)["pyyaml"]
    assert not finding.ok
    says(finding.found, "cannot be imported", "yaml")


def test_what_nothing_needs_may_be_absent_and_its_advice_works_without_a_clone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def version(package: str) -> str:
        if package == "scikit-multiflow":
            raise metadata.PackageNotFoundError(package)
        return known(package)

    known = metadata.version
    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setattr("topk_tune.commands.machine_checks._packages", lambda: [])
    with pytest.raises(SystemExit) as ended:
        cli.main(["doctor"])
    lines = capsys.readouterr().out.splitlines()
    (at,) = [i for i, line in enumerate(lines) if "learner skmultiflow" in line]
    assert lines[at].startswith("absent ")
    assert ended.value.code == 0
    module = lines[at + 1].rpartition(" ")[2]
    assert lines[at + 1].split()[:2] == ["python", "-m"] and find_spec(module)


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

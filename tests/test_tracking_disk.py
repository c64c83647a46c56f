"""A disk without room for MLflow's own database: the study goes on, and nothing is lost."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from messages import says
from mlflow import MlflowClient
from tracking_cases import check_trials, embedded, make_study, new_database, runs_of

from topk_tune import cli
from topk_tune.backends.resources import ResourceOptions
from topk_tune.engine import events
from topk_tune.engine.stopping import StopOptions
from topk_tune.tracking import open_tracker

pytestmark = pytest.mark.slow

TRIALS = 6


class SmallDisk:
    """A disk of a few megabytes, which a file can fill to the last byte."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        """Leave no room."""
        with self._filler.open("wb", buffering=0) as file:
            try:
                while file.write(b"\0" * 4096):
                    continue
            except OSError:
                return

    def empty(self) -> None:
        """Make room again."""
        self._filler.unlink()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    place = tmp_path / "small"
    place.mkdir()
    if shutil.which("mount") is None:
        pytest.skip("there is no mount on this machine")
    mount = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)]
    mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield SmallDisk(place)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_a_full_disk_under_mlflow_is_waited_out(
    disk: SmallDisk,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config = embedded(disk.folder, finish_seconds=0)
    new_database(disk.folder)  # its tables are there when the disk fills up

    def interfere(notice: events.Notice) -> None:
        if isinstance(notice, events.TrialEnded) and notice.record.number == 2:
            disk.fill()

    study, data = make_study(tmp_path)
    with open_tracker(study, config, data) as tracker:
        watching = [tracker.observe, interfere]
        study.run(
            StopOptions(trials=TRIALS), ResourceOptions("local", 1), observers=watching, data=data
        )
    assert [record.state for record in study.records()] == ["complete"] * TRIALS

    monkeypatch.chdir(tmp_path)
    settings = f"tracking_uri: {config.tracking_uri}\nartifact_root: {config.artifact_root}\n"
    (tmp_path / "mlflow.yaml").write_text(f"{settings}finish_seconds: 1\n")
    assert sync() == 1
    says(capsys.readouterr().err, "MLflow")
    disk.empty()
    (tmp_path / "mlflow.yaml").write_text(f"{settings}finish_seconds: 90\n")
    assert sync() == 0
    client = MlflowClient(config.tracking_uri)
    check_trials(client, study.records())
    parent, _ = runs_of(client)
    assert parent.info.status == "FINISHED"


def sync() -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(["sync", "demo"])
    return int(ended.value.code or 0)

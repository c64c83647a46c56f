"""`status`, `export` and `report` with `--cluster FILE`: studies of a head, seen from elsewhere.

The head is this machine, whose folder is not the one that commands are given in.
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from messages import lines_say
from stand_ins import put_launcher
from tuning import study, tune

from topk_tune import cli
from topk_tune.engine.stopping import StopOptions

CLUSTER = "my cluster.yaml"

Called = tuple[int, str, str]
Call = Callable[..., Called]


@pytest.fixture(scope="module")
def head(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a cluster, with a study."""
    folder = tmp_path_factory.mktemp("head")
    store = study(folder / "studies").store
    tune(store, StopOptions(trials=3))
    store.close()
    return folder


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Where commands are given."""
    put_launcher(tmp_path, "127.0.0.1").rename(tmp_path / CLUSTER)
    return tmp_path


@pytest.fixture
def call(
    head: Path, here: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Call:
    """Calls `topk-tune` here, with the cluster, or on the head: exit code and what is printed."""
    monkeypatch.setenv("TOPK_TUNE_CLUSTER_HOME", str(head))
    monkeypatch.delenv("TOPK_TUNE_STORAGE", raising=False)

    def called(*arguments: str, on_head: bool = False) -> Called:
        monkeypatch.chdir(head if on_head else here)
        with pytest.raises(SystemExit) as ended:
            cli.main([*arguments, *([] if on_head else ["--cluster", CLUSTER])])
        return int(ended.value.code or 0), *capfd.readouterr()

    return called


def test_studies_of_the_head_are_seen(call: Call, here: Path) -> None:
    code, out, err = call("status", "--format", "json")
    assert (code, err) == (0, "")
    assert [row["study"] for row in yaml.safe_load(out)] == ["s"]
    assert out == call("status", "--format", "json", on_head=True)[1]
    assert os.listdir(here) == [CLUSTER]


@pytest.mark.slow
def test_advice_leads_back_to_the_cluster(call: Call) -> None:
    code, out, _ = call("status", "s")
    assert code == 0
    assert f"topk-tune report s --cluster '{CLUSTER}'" in out
    assert out.replace(f" --cluster '{CLUSTER}'", "") == call("status", "s", on_head=True)[1]


@pytest.mark.slow
def test_what_is_exported_is_written_here(call: Call, head: Path, here: Path) -> None:
    before = sorted(head.rglob("*"))
    assert call("export", "s", "-o", "best.yaml") == (0, "written to best.yaml\n", "")
    written = (here / "best.yaml").read_text()
    assert yaml.safe_load(written)["config"]["algorithm"] == "topada"
    assert written == call("export", "s")[1] == call("export", "s", on_head=True)[1]
    assert sorted(head.rglob("*")) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "files"),
    [
        ((), ["s-report.html"]),
        (("-o", "below/page.html"), ["below/page.html"]),
        (("--format", "md"), ["s-report.md", "s-report-images/history.png"]),
    ],
)
def test_a_report_comes_here(
    call: Call, head: Path, here: Path, words: tuple[str, ...], files: list[str]
) -> None:
    before = sorted(head.rglob("*"))
    assert call("report", "s", *words) == (0, f"written to {files[0]}\n", "")
    assert all((here / file).stat().st_size for file in files)
    assert sorted(head.rglob("*")) == before


@pytest.mark.slow
@pytest.mark.parametrize("words", [("status",), ("export", "-o", "x"), ("report",)])
def test_a_study_that_is_not_there_is_wrong_usage(
    call: Call, here: Path, words: tuple[str, ...]
) -> None:
    code, out, err = call(*words, "none")
    assert (code, out) == (2, "")
    assert "'none'" in err and "Traceback" not in err
    assert os.listdir(here) == [CLUSTER]


@pytest.mark.slow
def test_a_head_that_had_no_job_yet_has_no_study(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOPK_TUNE_CLUSTER_HOME", str(tmp_path / "new"))
    code, out, err = call("status")
    assert (code, err) == (0, "")
    lines_say(out, ["no study", "studies"])

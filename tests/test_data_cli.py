"""`topk-tune data`, from its arguments to what it prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from data_release import Index, make_release, serving
from messages import says, unfolded

from topk_tune import cli
from topk_tune.data import cache, load, mulan, pip_settings
from topk_tune.data.files import read_files
from topk_tune.data.quality import FEW
from topk_tune.training.baselines import baselines
from topk_tune.training.trial import test_rows as all_rows


def call(*arguments: str) -> int | str | None:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    return ended.value.code


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    """An empty cache, and an index with a small stand-in for the release."""
    release = make_release()
    for name, value in release.constants.items():
        monkeypatch.setattr(mulan, name, value)
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(pip_settings, "_from_files", dict)
    with serving(release.archive) as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.url)
        yield index


def rows(output: str) -> dict[str, list[str]]:
    """The lines of a table by their first word."""
    return {line.split()[0]: line.split() for line in output.splitlines() if line.strip()}


def test_list_says_what_is_here(index: Index, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("data", "list") == 0
    before = rows(capsys.readouterr().out)
    assert before["yeast"] == ["yeast", "river", "yes", "1,500", "917", "103", "14"]
    assert before["mediamill"][:4] == ["mediamill", "package", "index", "no"]
    assert before["m_reduced"][:5] == ["m_reduced", "rows", "of", "mediamill", "no"]
    assert call("data", "get", "mediamill") == 0
    capsys.readouterr()
    assert call("data", "list") == 0
    after = rows(capsys.readouterr().out)
    assert after["mediamill"][3] == after["m_reduced"][4] == "yes"


def test_get_says_where(index: Index, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("data", "get", "emotions", "scene", "yeast") == 0
    assert unfolded(capsys.readouterr().out).splitlines() == [
        f"Fetching emotions, scene and mediamill, 32.5 MB, into {cache.folder()}",
        "Unpacking",
        f"emotions is here: {cache.file_of('emotions')}",
        f"scene is here: {cache.file_of('scene')}",
        "yeast is here",
    ]
    assert len(index.downloads) == 1


def test_get_without_a_network_fails_with_one_sentence(
    index: Index, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert call("data", "get", "scene") == 2
    assert capsys.readouterr().err == (
        "Error: scikit-multilearn==0.0.1 cannot be downloaded: pip has no index here. Is the "
        "network up? The indexes are those of `pip config list`.\n"
    )


def test_show_prints_the_figures_of_table_6(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("data", "show", "yeast", "synthetic:rows=20,dim=3,m=2,cardinality=1") == 0
    output = capsys.readouterr().out
    header, yeast, made = (line.split() for line in output.splitlines())
    assert " ".join(header) == (
        "name train test dim m min mean max no label every label unseen form density observer "
        "fingerprint"
    )
    assert yeast == [
        *("yeast", "1,500", "917", "103", "14", "1", "4.24", "11", "0", "0", "0", "dense", "1"),
        *("gaussian", "3965aa0a9333"),
    ]
    assert made[1:5] == ["14", "6", "3", "2"]
    assert int(made[8]) + int(made[9]) > 0


def test_show_without_names_shows_the_five(
    index: Index, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from topk_tune.data import catalog

    made = load("synthetic:rows=20,dim=3,m=2,cardinality=1")
    reduced = catalog.PAPER["m_reduced"]
    replaced = {**vars(reduced), "load": lambda progress: made}
    monkeypatch.setitem(catalog.PAPER, "m_reduced", catalog.Entry(**replaced))
    assert call("data", "show") == 0
    shown = [line.split()[0] for line in unfolded(capsys.readouterr().out).splitlines()]
    assert shown == [
        "Fetching",
        "Unpacking",
        "name",
        "emotions",
        "scene",
        "yeast",
        "mediamill",
        made.name,
    ]


def test_show_tells_sparse_rows(capsys: pytest.CaptureFixture[str]) -> None:
    made = "documents:rows=20,dim=1000,m=30,nonzeros=40,binary=1"
    assert call("data", "show", made, "--format", "json") == 0
    (shown,) = json.loads(capsys.readouterr().out)
    assert (shown["dim"], shown["form"], shown["observer"]) == (1000, "sparse", "binary")
    assert 0 < shown["density"] <= 0.04
    assert shown["unseen"] == int((~load(made).Y_train.any(axis=0)).sum()) > 0


def test_a_misspelt_name_gets_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("data", "show", "emotion") == 2
    assert "Did you mean 'emotions'?" in capsys.readouterr().err


def test_check_shows_what_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.csv"
    lines = [f"{i},{i / 2},{i % 2},{int(i > 4)}" for i in range(10)]
    path.write_text("\n".join(["a,b,odd,late", *lines, ""]))
    assert call("data", "check", str(path), "--labels", "odd,late") == 0
    output = capsys.readouterr().out.splitlines()
    lines = {line.partition("  ")[0]: line for line in output}
    says(lines["rows"], 7, 3)
    says(lines["features"], 2)
    says(lines["labels"], 2, "odd", "late")


def wide_file(folder: Path) -> Path:
    """A file whose labels do not fit on a screen, with everything that is worth a warning."""
    labels = [f"a_label_with_a_rather_long_name_{i}" for i in range(300)]
    rows = [[i % 60, i % 5, 7, *(int(label < 290 - i) for label in range(300))] for i in range(80)]
    lines = [",".join(map(str, row)) for row in (["x", "y", "same", *labels], *rows)]
    path = folder / "wide.csv"
    path.write_text("\n".join([*lines, ""]))
    return path


def test_check_of_many_labels_fits_on_a_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    path = str(wide_file(tmp_path))
    check = ("data", "check", path, "--labels", "a_label_", "--split", "tail:0.1")
    assert call(*check) == 0
    output = capsys.readouterr().out
    assert len(output.splitlines()) < 24
    assert max(map(len, output.splitlines()[1:-1])) <= 80  # but for those with the path
    assert call(*check, "--all") == 0
    everything = capsys.readouterr().out
    for name in ("a_label_with_a_rather_long_name_299", "same"):
        says(everything, name)
        assert name in everything
    assert call(*check, "--format", "json") == 0
    (found,) = json.loads(capsys.readouterr().out)
    data = read_files(path, labels="a_label_", split="tail:0.1")
    counts = data.Y_train.sum(axis=0)
    assert (found["m"], found["train"], found["test"]) == (300, 72, 8)
    assert found["unseen"] == (counts == 0).sum() > 0
    assert found["rare"] == ((counts > 0) & (counts < FEW)).sum() > 0
    assert found["constant features"] == 1
    assert (found["repeated"], found["contradicting"]) == (12, 12)
    assert found["test rows in training"] == 8
    assert found["label frequency"] == baselines(all_rows(data))[0].loss


def test_one_label_is_refused_with_the_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.csv"
    path.write_text("a,b,odd\n1,2,0\n3,4,1\n5,6,0\n7,8,1\n")
    assert call("data", "check", str(path), "--labels", "odd") == 2
    says(capsys.readouterr().err, str(path), "at least 2 labels", "'odd'")


def test_check_says_what_is_wrong_and_where(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.csv"
    path.write_text("a,b,odd\n1,2,0\n3,4,maybe\n")
    assert call("data", "check", str(path), "--labels", "odd") == 2
    assert f"{path}:3" in capsys.readouterr().err


def test_help_waits_for_nothing_heavy() -> None:
    program = """
import sys
from topk_tune.cli.app import app
heavy = {"numpy", "numba", "sklearn", "pandas", "river", "unearth", "httpx2", "pyarrow"}
print(sorted(heavy & set(sys.modules)))
"""
    answer = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert answer.stdout == "[]\n"

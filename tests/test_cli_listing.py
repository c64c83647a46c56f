"""Lists for programs: every format parses, holds unrounded numbers, and is alone on its stream."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from messages import lines_say, says
from report_cases import HOSTILE, made_confirmation
from tuning import space, study, tune

from topk_tune import cli
from topk_tune.commands import listing
from topk_tune.commands.listing import FORMATS
from topk_tune.data.catalog import names
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import Confirmation
from topk_tune.spaces import Choice
from topk_tune.study import confirm
from topk_tune.study.study import Study

READERS = {
    "json": json.loads,
    "yaml": yaml.safe_load,
    "csv": lambda text: list(csv.DictReader(io.StringIO(text))),
}


def call(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    return int(ended.value.code or 0)


@pytest.fixture(autouse=True)
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPK_TUNE_STORAGE", raising=False)
    return tmp_path


@pytest.fixture
def made(workplace: Path) -> Study:
    """A study of twelve trials, one of them confirmed, and one of none."""
    searched = space(exploration=Choice(["uniform", "single-swap"]))
    one = study(workplace / "studies", searched, name="one", sampler="random")
    tune(one.store, StopOptions(trials=12))
    best = one.best()
    assert best is not None
    runs = made_confirmation(best.number, [1 / 3, 2 / 3]).runs
    confirm._keep(one, Confirmation(best.number, best.best_config, runs))
    study(workplace / "studies", name="two")
    return one


def listed(kind: str, *arguments: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """What a program reads from standard output, which must hold nothing else."""
    capsys.readouterr()
    assert call(*arguments, "--format", kind) == 0
    rows = READERS[kind](capsys.readouterr().out)
    assert isinstance(rows, list)
    return rows


@pytest.mark.parametrize("kind", READERS)
def test_studies(made: Study, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = listed(kind, "status", capsys=capsys)
    best = made.best()
    assert best is not None and best.value is not None
    assert (one["study"], two["study"]) == ("one", "two")
    assert (int(one["complete"]), int(two["complete"])) == (12, 0)
    assert float(one["best_value"]) == best.value
    assert float(one["confirmed_value"]) == 0.5
    assert two["best_value"] in (None, "")


@pytest.mark.parametrize("kind", READERS)
def test_trials_all_of_them_to_the_last_bit(
    made: Study, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = listed(kind, "status", "one", capsys=capsys)
    records = made.records()
    assert [int(row["number"]) for row in rows] == [record.number for record in records]
    for row, record in zip(rows, records, strict=True):
        assert float(row["shown_loss"]) == record.value
        assert float(row["rho"]) == record.config["rho"]
        assert row["exploration"] == record.config["exploration"]
    tested = [row["test_shown_loss"] for row in rows if row["test_shown_loss"] not in (None, "")]
    assert [float(loss) for loss in tested] == [0.5]
    assert len(listed(kind, "status", "one", "--last", "3", capsys=capsys)) == 3


@pytest.mark.parametrize("kind", READERS)
def test_data_sets(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row["name"]: row for row in listed(kind, "data", "list", capsys=capsys)}
    assert set(names()) <= set(rows)
    assert int(rows["mediamill"]["train"]) == 30993
    assert rows["PATH"]["train"] in (None, "")
    (yeast,) = listed(kind, "data", "show", "yeast", capsys=capsys)
    assert float(yeast["mean"]) == pytest.approx(4.237070748862226, abs=1e-15)
    assert len(yeast["fingerprint"]) == 64


@pytest.mark.parametrize("kind", READERS)
def test_findings(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = {row["what"]: row for row in listed(kind, "doctor", capsys=capsys)}
    assert str(rows["Python"]["ok"]) == "True"
    assert capsys.readouterr().err == ""


def test_what_is_said_besides_goes_to_the_other_stream(
    workplace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = workplace / "own.csv"
    path.write_text("a,b,x,y\n" + "1,2,0,1\n3,4,1,0\n" * 5, encoding="utf-8")
    assert call("data", "check", str(path), "--labels", "2", "--format", "json") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)[0]["m"] == 2
    says(captured.err, "own.csv")
    assert call("-q", "data", "check", str(path), "--labels", "2", "--format", "json") == 0
    captured = capsys.readouterr()
    assert (len(json.loads(captured.out)), captured.err) == (1, "")
    assert call("data", "check", str(path), "--labels", "2") == 0  # and not for ever
    says(capsys.readouterr().out, "own.csv", "x, y")


@pytest.mark.parametrize("kind", READERS)
def test_an_empty_list_is_a_list(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert listed(kind, "status", capsys=capsys) == []


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("hostile", [*HOSTILE, "a,b\n'c': \"{#}\"", "- no", "1.0", "null"])
def test_any_text_comes_through(
    kind: str, hostile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    listing.show(kind, [{"name": hostile, "other": "x"}, {"name": "y"}], lambda: None)
    first, second = READERS[kind](capsys.readouterr().out)
    assert first["name"] == hostile
    assert second.get("other") in (None, "")


def test_what_is_no_number_is_null_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    listing.show("json", [{"loss": float("nan"), "seconds": float("inf")}], lambda: None)
    assert json.loads(capsys.readouterr().out) == [{"loss": None, "seconds": None}]


@pytest.mark.parametrize("command", ["status", "data list", "data show yeast", "doctor"])
def test_a_misspelt_format_is_refused_before_anything_is_done(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(*command.split(), "--format", "jsn") == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    lines_say(captured.err, ["Error:", "format", "'jsn'", *FORMATS, "'json'"])

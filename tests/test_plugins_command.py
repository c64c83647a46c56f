"""`topk-tune plugins`: what can be named, and who brings it."""

import json
from typing import Any

import pytest

import booster.tables
from booster.plugins import Plugin, Table
from topk_tune import cli
from topk_tune.plugins.kinds import KINDS
from topk_tune.training.metrics import METRICS, Metric

TABLES = [KINDS.load(kind) for kind in KINDS]


def listed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    with pytest.raises(SystemExit) as ended:
        cli.main(["plugins", *arguments, "--format", "json"])
    assert ended.value.code == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


def test_every_name_of_every_kind_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    rows = listed(capsys)
    names = [(kind, name) for kind in KINDS for name in KINDS.load(kind)]
    assert [(row["kind"], row["name"]) for row in rows] == names
    assert all(row["help"] for row in rows)
    assert {row["package"] for row in rows} == {"topk-tune"}


def test_every_table_of_boosters_is_a_kind() -> None:
    found = [each for each in vars(booster.tables).values() if isinstance(each, Table)]
    assert found and all(any(each is table for table in TABLES) for each in found)


@pytest.mark.parametrize("table", TABLES, ids=list(KINDS))
def test_what_is_listed_can_be_loaded(table: Table) -> None:
    for name, plugin in table.own.items():
        if not plugin.install:  # of the others a package may be missing
            assert table.load(name) is not None


def test_one_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert {row["kind"] for row in listed(capsys, "samplers")} == {"samplers"}


def test_what_others_bring_is_imported_to_see_whether_it_can_be(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hits = Metric("hits", "maximize", "rankings", "how often the first is right", lambda m: 0.0)
    others = {
        "hits": Plugin("hits", hits, "from songrank", package="songrank"),
        "gone": Plugin("gone", "no_such_package:GONE", "from songrank", package="songrank"),
    }
    monkeypatch.setitem(METRICS.__dict__, "others", others)
    *_, here, gone = listed(capsys, "metrics")
    assert here == {
        "kind": "metrics",
        "name": "hits",
        "package": "songrank",
        "importable": True,
        "help": "how often the first is right",
    }
    assert gone["importable"] is False
    assert "no_such_package" in gone["help"]


def test_people_see_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["plugins", "pruners"])
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["kind", "name", "package", "importable", "help"]
    assert first.split()[:3] == ["pruners", "median", "topk-tune"]

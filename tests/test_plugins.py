"""Tables of named things, and what other packages add to them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import booster
from booster.plugins import MissingPackageError, Plugin, Table
from booster.tables import ALGORITHMS, LEARNERS, SCHEDULES, SCHEMES

OURS = [ALGORITHMS, LEARNERS, SCHEMES, SCHEDULES]
GROUP = "topk_tune.tests"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package that is installed, with entry points of which one leads nowhere."""
    (tmp_path / "tastes.py").write_text("class Sweet: ...\nclass Sour: ...\n")
    about = tmp_path / "many_tastes-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: many-tastes\nVersion: 1.0\n")
    points = "sweet = tastes:Sweet\nsour = tastes:Sour\nlost = tastes:Lost\nown = tastes:Sour\n"
    (about / "entry_points.txt").write_text(f"[{GROUP}]\n{points}")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "tastes", raising=False)
    return "many-tastes"


def table(group: str | None = GROUP) -> Table:
    return Table("taste", [Plugin("own", "booster.plugins:Plugin", "ours")], group)


@pytest.mark.parametrize("each", OURS, ids=lambda each: each.kind)
def test_every_line_of_ours_has_a_target_and_a_word_of_help(each: Table) -> None:
    assert each.own
    for name, plugin in each.own.items():
        assert (plugin.name, bool(plugin.help)) == (name, True)
        try:
            assert each.load(name) is not None
        except MissingPackageError as error:
            assert plugin.install in str(error)


def test_other_packages_add_to_an_open_table(package: str) -> None:
    found = table()
    assert list(found) == ["own", "lost", "sour", "sweet"]
    assert found["sweet"].package == package
    assert found.load("sweet").__name__ == "Sweet"
    assert found.load("own") is Plugin  # what is ours cannot be replaced
    assert list(table(group=None)) == ["own"]


def test_what_cannot_be_imported_names_its_package(package: str) -> None:
    with pytest.raises(MissingPackageError, match=f"'lost'.*{package}"):
        table().load("lost")


def test_an_import_path_stands_for_a_name_in_an_open_table_only(package: str) -> None:
    assert table().load("tastes:Sour") is table().load("sour")
    with pytest.raises(ValueError, match="unknown taste 'tastes:Sour'"):
        table(group=None).load("tastes:Sour")
    with pytest.raises(MissingPackageError, match="'nowhere:At'"):
        table().load("nowhere:At")


def test_a_class_has_a_name_if_a_table_has_it(package: str) -> None:
    found = table()
    assert found.name_of(found.load("sour")) == "sour"
    assert found.name_of(Plugin) == "own"
    assert found.name_of(Path) is None
    assert ALGORITHMS.name_of(booster.FullAda) == "fullada"


@pytest.mark.parametrize("name", ["swet", None, 1, ["sweet"]])
def test_what_is_unknown_lists_what_there_is(package: str, name: object) -> None:
    with pytest.raises(ValueError) as raised:
        table().named(name)
    assert all(word in str(raised.value) for word in ("taste", repr(name), "own", "sweet"))

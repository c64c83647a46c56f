"""Readers of other packages: found by the ending of a file, held to the rules of all formats."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import raises
from packages import SONGRANK

from booster.plugins import Plugin
from topk_tune.cluster.parcel import pack
from topk_tune.data.files import read_files
from topk_tune.data.formats import READERS
from topk_tune.data.readers import DataError, Table, table_of

NAMES = ("tempo", "loudness", "label_sad", "label_angry")
ROWS = [[0.5, 1.25, 1, 0], [0.25, -2.0, 0, 1], [3.0, 0.0, 1, 1], [0.75, 8.0, 0, 0]]


@pytest.fixture(autouse=True)
def songrank(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package beside ours is installed."""
    monkeypatch.syspath_prepend(SONGRANK)
    bring(monkeypatch, "songrank.reader:read_jsonl")
    yield


def bring(monkeypatch: pytest.MonkeyPatch, target: Any) -> None:
    plugin = Plugin("jsonl", target, package="songrank")
    monkeypatch.setitem(READERS.__dict__, "others", {"jsonl": plugin})


def write(path: Path, rows: list[list[float]] = ROWS) -> Path:
    lines = [json.dumps(dict(zip(NAMES, row, strict=True))) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_file_is_read_by_its_ending(tmp_path: Path) -> None:
    data = read_files(write(tmp_path / "songs.JSONL"), split="tail:0.25")
    assert data.feature_names == NAMES[:2]
    assert data.label_names == NAMES[2:]
    assert data.X_train.tolist() == [row[:2] for row in ROWS[:3]]
    assert data.Y_test.tolist() == [ROWS[3][2:]]
    assert (data.X_train.dtype, data.Y_train.dtype) == (np.float32, np.uint8)


def test_a_folder_of_two_parts_and_its_parcel(tmp_path: Path) -> None:
    folder = tmp_path / "songs"
    folder.mkdir()
    write(folder / "songs-train.jsonl", ROWS[:3])
    write(folder / "songs-test.jsonl", ROWS[3:])
    (folder / "notes.txt").write_text("no data")
    data = read_files(folder, labels="label_sad,label_angry")
    assert (len(data.X_train), len(data.X_test)) == (3, 1)
    pack(["run", "--dataset", str(folder)], tmp_path / "job")
    packed = sorted(p.name for p in (tmp_path / "job" / "parcel" / "files").glob("*/songs/*"))
    assert packed == ["songs-test.jsonl", "songs-train.jsonl"]


def test_without_the_package_the_ending_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "songs.jsonl")
    monkeypatch.setitem(READERS.__dict__, "others", {})
    with raises(DataError, "songs.jsonl", ".arff", ".csv"):
        read_files(path)


def test_a_reader_that_cannot_be_imported_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring(monkeypatch, "no_such_package:read")
    with raises(ValueError, "reader 'jsonl'", "no_such_package", "songrank"):
        read_files(write(tmp_path / "songs.jsonl"))


def table(**changes: Any) -> Table:
    parts: dict[str, Any] = {
        "X": np.ones((3, 2)),
        "Y": np.ones((3, 1)),
        "feature_names": ("a", "b"),
        "label_names": ("c",),
    }
    return Table(**{**parts, **changes})


@pytest.mark.parametrize(
    ("found", "facts"),
    [
        (None, ["Table", "NoneType"]),
        (table(X=np.full((3, 2), np.nan)), ["row 1", "feature", "finite", "nan", "column 1"]),
        (table(X=np.full((3, 2), 1e39)), ["row 1", "feature", "finite", "1e+39", "column 1"]),
        (table(Y=np.full((3, 1), 2)), ["row 1", "label", "0 or 1", 2, "column 1"]),
        (table(Y=np.full((3, 1), 0.5)), ["row 1", "label", "0 or 1", 0.5, "column 1"]),
        (table(Y=np.ones((2, 1))), ["labels", "features", 2, 3]),
        (table(X=np.ones((0, 2)), Y=np.ones((0, 1))), ["rows"]),
        (table(X=np.ones((3, 3))), ["(3, 3)", "2 names"]),
        (table(X=np.array([["x", "y"]] * 3)), ["feature", "number"]),
        (table(feature_names=("a", "a")), ["names", "distinct", "'a'"]),
        (table(label_names=("a",)), ["names", "distinct", "'a'"]),
    ],
)
def test_what_a_reader_returns_keeps_to_the_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: Any, facts: list[object]
) -> None:
    bring(monkeypatch, lambda path, labels: found)
    with raises(DataError, "songs.jsonl", *facts):
        read_files(write(tmp_path / "songs.jsonl"))


def test_rows_can_be_moved_whatever_array_they_came_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    X = np.arange(8, dtype=np.float32).reshape(2, 4).T  # columns first, and read-only
    X.flags.writeable = False
    bring(monkeypatch, lambda path, labels: table(X=X, Y=np.ones((4, 1), bool)))
    data = read_files(write(tmp_path / "songs.jsonl"), split="random:0.5:3")
    together = np.concatenate([data.X_train, data.X_test])
    assert sorted(together.tolist()) == X.tolist()
    assert together.tolist() != X.tolist()


def test_a_table_of_sound_numbers_is_not_copied(tmp_path: Path) -> None:
    X, Y = np.ones((3, 2), np.float32), np.ones((3, 1), np.uint8)
    made = table_of(tmp_path / "a.jsonl", X, Y, ["a", "b"], ["c"])
    assert made.X is X and made.Y is Y

"""Data sets by name, and the fingerprint that all of them have."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from messages import raises

from topk_tune.data import Dataset, catalog, load, names, synthetic


def test_every_name_is_listed() -> None:
    made_up = {"documents", "river", "skmultiflow", "synthetic"}
    paper = {"emotions", "m_reduced", "mediamill", "scene", "yeast"}
    assert names() == sorted(paper | {"bibtex", "enron"} | made_up)


@pytest.mark.parametrize(("name", "nearest"), [("yaest", "yeast"), ("Mediamil", "mediamill")])
def test_a_misspelt_name_gets_the_nearest(name: str, nearest: str) -> None:
    with pytest.raises(ValueError, match=rf"unknown data set '{name}'.*mean '{nearest}'\?"):
        load(name)


def test_an_unknown_name_gets_the_list() -> None:
    with pytest.raises(
        ValueError, match=r"emotions, enron, m_reduced.*openml:NUMBER, or the path"
    ) as caught:
        load("zoo")
    assert "Did you mean" not in str(caught.value)


def test_a_path_is_read_as_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, dict[str, Any]]] = []
    data = synthetic(rows=10, dim=2, m=3, cardinality=1)

    def read(path: str, **options: Any) -> Dataset:
        asked.append((path, options))
        return data

    monkeypatch.setattr(catalog, "read_files", read)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("some/where", "file.csv", "folder"):
        assert load(name, labels="3", split="tail:0.5") is data
        assert asked.pop() == (name, {"labels": "3", "split": "tail:0.5"})


def test_a_name_comes_before_a_folder_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "yeast").mkdir()
    assert load("yeast").n_labels == 14


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("yeast", {"split": "tail:0.5"}),
        ("yeast", {"labels": "14"}),
        ("synthetic", {"labels": "3"}),
        ("openml:1", {"labels": "3"}),
    ],
)
def test_options_that_mean_nothing_are_refused(name: str, options: dict[str, str]) -> None:
    with raises(ValueError, name, *options):
        load(name, **options)


def test_the_fingerprint_is_the_same_everywhere() -> None:
    wanted = "3965aa0a93337d7c1973f41417df682829b45270a184c92b63ea60e560222097"
    assert load("yeast").fingerprint == wanted


def small(**changes: Any) -> Dataset:
    X = np.arange(6, dtype=np.float32).reshape(3, 2)
    Y = np.array([[0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    data = Dataset("small", X, Y, X, Y, ("a", "b"), ("c", "d"))
    return dataclasses.replace(data, **changes)


def test_the_fingerprint_tells_values_shapes_types_and_arrays_apart() -> None:
    data = small()
    changed = data.X_test.copy()
    changed[2, 1] += 1
    others = [
        small(X_test=changed),
        small(X_train=changed),
        small(X_train=data.X_train.reshape(2, 3)),
        small(X_train=data.X_train.view(np.int32)),
        small(Y_test=1 - data.Y_test),
        small(X_test=data.X_test[:0]),
    ]
    assert len({data.fingerprint, *(other.fingerprint for other in others)}) == 7


def test_the_fingerprint_does_not_see_how_memory_is_laid_out() -> None:
    data = small()
    swapped = data.X_train.astype(">f4")
    columns = np.asfortranarray(data.X_test)
    assert small(X_train=swapped, X_test=columns, name="other").fingerprint == data.fingerprint

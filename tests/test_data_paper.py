"""The paper's five data sets: Table 6, and value by value the published ones."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from topk_tune.data import DataError, Dataset, cache, load, mulan, sparse_rows
from topk_tune.data.catalog import OTHERS, PAPER
from topk_tune.data.dataset import ARRAYS
from topk_tune.data.index import download
from topk_tune.data.summary import summarise

# Rows to train and to test, features, labels; the fewest, mean and most labels of a row.
TABLE_6 = {
    "emotions": (391, 202, 72, 6, 1, "1.87", 3),
    "scene": (1211, 1196, 294, 6, 1, "1.07", 3),
    "yeast": (1500, 917, 103, 14, 1, "4.24", 11),
    "mediamill": (30993, 12914, 120, 101, 0, "4.38", 18),
    "m_reduced": (1500, 500, 120, 101, 0, "4.39", 13),
}


def published(folder: Path, name: str) -> Dataset:
    with np.load(folder / f"{name}.npz") as arrays:
        return cache.numbered(name, dict(arrays))


@pytest.fixture(scope="module")
def filled_folder(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        with cache.filling() as scratch:
            for name in ("emotions", "scene", "mediamill"):
                cache.write(published(shared_data, name), scratch)
    return folder


@pytest.fixture
def filled_cache(filled_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache that holds the published arrays, so that nothing is downloaded."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(filled_folder))
    monkeypatch.setattr(mulan, "download", None)


@pytest.mark.parametrize("name", TABLE_6)
def test_table_6(name: str, filled_cache: None) -> None:
    s = summarise(load(name))
    spread = (s.min_labels, f"{s.mean_labels:.2f}", s.max_labels)
    assert (s.n_train, s.n_test, s.n_features, s.n_labels, *spread) == TABLE_6[name]


@pytest.mark.parametrize("name", TABLE_6)
def test_the_catalogue_tells_the_sizes(name: str) -> None:
    entry = PAPER[name]
    sizes = (entry.n_train, entry.n_test, entry.n_features, entry.n_labels)
    assert sizes == TABLE_6[name][:4]


def test_yeast_is_the_published_one(shared_data: Path) -> None:
    assert_same(load("yeast"), published(shared_data, "yeast"))


def test_rows_without_a_label_are_kept(filled_cache: None) -> None:
    data = load("mediamill")
    without = sum(int((Y.sum(axis=1) == 0).sum()) for Y in (data.Y_train, data.Y_test))
    assert summarise(data).rows_without_label == without == 1730


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The real archive, from the index of whoever runs the tests."""
    folder = tmp_path_factory.mktemp("archive")
    try:
        return download(mulan._RELEASE, mulan._ARCHIVE_SHA256, folder)
    except DataError as error:
        if "instead of" in str(error):  # an index did answer, with another file
            raise
        pytest.skip(f"no package index within reach: {error}")


@pytest.mark.slow
def test_the_archive_holds_the_published_documents(archive: Path, shared_data: Path) -> None:
    # Bibtex takes the same way, and 20 seconds to decompress: each of its files has a known hash,
    # which is checked whenever it is read, and the fingerprint of its rows is compared below.
    name = "enron"
    data, wanted = mulan.read_archive(archive, name), published(shared_data, name)
    assert data.form == "sparse"
    assert data.fingerprint == mulan.FINGERPRINTS[name]
    assert data.matches(wanted.fingerprint)  # value by value, since it hashes all of them
    entry = OTHERS[name]
    assert data.X_train.shape == (entry.n_train, entry.n_features)
    assert data.Y_test.shape == (entry.n_test, entry.n_labels)


@pytest.mark.parametrize("name", OTHERS)
def test_the_fingerprints_are_those_of_the_published_documents(
    name: str, shared_data: Path
) -> None:
    with np.load(shared_data / f"{name}.npz") as arrays:
        rows = {key: sparse_rows(array) for key, array in arrays.items() if key.startswith("X")}
        assert cache.numbered(name, {**arrays, **rows}).fingerprint == mulan.FINGERPRINTS[name]


@pytest.mark.slow
def test_the_archive_holds_yeast_as_it_ships_with_the_project(
    archive: Path, shared_data: Path
) -> None:
    data = mulan.read_archive(archive, "yeast")
    assert_same(data, published(shared_data, "yeast"))
    assert data.fingerprint == load("yeast").fingerprint


@pytest.mark.slow
def test_the_real_archive_fills_an_empty_cache(
    archive: Path, shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PIP_FIND_LINKS", str(archive.parent))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    for name in ("mediamill", "emotions", "scene"):  # the first fetches all
        data = load(name)
        assert_same(data, published(shared_data, name))
        assert data.fingerprint == mulan.FINGERPRINTS[name]
        assert summarise(data).max_labels == TABLE_6[name][-1]
    assert sorted(os.listdir(cache.folder())) == [
        ".lock",
        "emotions.npz",
        "mediamill.npz",
        "scene.npz",
    ]


def assert_same(data: Dataset, wanted: Dataset) -> None:
    for name in ARRAYS:
        ours, theirs = getattr(data, name), getattr(wanted, name)
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)

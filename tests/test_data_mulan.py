"""The data sets of the archive: fetched, checked, kept, and read again."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from data_release import Index, Release, loading_process, make_release, serving
from messages import raises

from topk_tune.data import DataError, Dataset, cache, load, mulan, pip_settings
from topk_tune.data.dataset import ARRAYS
from topk_tune.data.rows import is_sparse

PAPER = {"emotions.npz", "scene.npz", "mediamill.npz"}
DOCUMENTS = {"bibtex.npz", "enron.npz"}


@pytest.fixture(scope="module")
def release() -> Release:
    return make_release()


@pytest.fixture
def index(release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    """An empty cache, and the stand-in for the release on the only index that pip knows."""
    for name, value in release.constants.items():
        monkeypatch.setattr(mulan, name, value)
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    # Starting pip takes most of a second; tests/test_data_pip_settings.py does it.
    monkeypatch.setattr(pip_settings, "_from_files", dict)
    with serving(release.archive) as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.url)
        yield index


def files() -> set[str]:
    """What lies in the cache beside its lock."""
    return {path.name for path in cache.folder().glob("*")} - {".lock"}


def assert_same(data: Dataset, wanted: Dataset) -> None:
    for name in ARRAYS:
        ours, theirs = getattr(data, name), getattr(wanted, name)
        assert ours.dtype == theirs.dtype
        if is_sparse(theirs):
            assert is_sparse(ours)
            ours, theirs = ours.toarray(), theirs.toarray()
        assert ours.flags.c_contiguous
        np.testing.assert_array_equal(ours, theirs)


def test_one_download_brings_all_three(index: Index, release: Release) -> None:
    told: list[tuple[int, int | None]] = []
    assert_same(load("emotions", progress=lambda *now: told.append(now)), release.data["emotions"])
    assert told[-1] == (len(release.archive), len(release.archive))
    assert files() == PAPER
    for name in ("scene", "mediamill", "emotions"):
        assert_same(load(name), release.data[name])
    assert len(index.downloads) == 1


def test_one_download_brings_both_sets_of_documents(index: Index, release: Release) -> None:
    for name in ("enron", "bibtex"):
        assert_same(load(name), release.data[name])
    assert files() == DOCUMENTS
    assert len(index.downloads) == 1
    load("scene")
    assert files() == PAPER | DOCUMENTS


def test_the_cache_needs_no_network(
    index: Index, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    load("mediamill")

    def refuse(*_: Any) -> NoReturn:
        raise AssertionError("the cache must be enough")

    monkeypatch.setattr(mulan, "download", refuse)
    assert_same(load("mediamill"), release.data["mediamill"])


@pytest.mark.parametrize("damage", ["cut", "empty", "flipped", "other values", "text"])
@pytest.mark.parametrize("name", ["scene", "bibtex"])
def test_a_damaged_cache_is_noticed_and_replaced(
    damage: str, name: str, index: Index, release: Release, caplog: pytest.LogCaptureFixture
) -> None:
    load(name)
    path = cache.file_of(name)
    content = path.read_bytes()
    middle = len(content) // 2
    if damage == "other values":
        arrays = {array: getattr(release.data["emotions"], array) for array in ARRAYS}
        np.savez(path, **arrays)
    else:
        path.write_bytes(
            {
                "cut": content[:middle],
                "empty": b"",
                "flipped": content[:200] + bytes([content[200] ^ 1]) + content[201:],
                "text": b"not an archive",
            }[damage]
        )
    assert_same(load(name), release.data[name])
    assert f"{path} is damaged" in caplog.text
    assert len(index.downloads) == 2
    assert path.read_bytes() == content


def test_a_wrong_hash_is_refused(index: Index, release: Release) -> None:
    index.archive = release.archive + b"!"
    with raises(DataError, release.constants["_ARCHIVE_SHA256"]):
        load("emotions")
    assert files() == set()


def test_a_wrong_member_is_refused(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(mulan._DUMP_SHA256, "scene-test", "0" * 64)
    with pytest.raises(DataError, match=r"scene-test .* 0000"):
        load("emotions")
    assert files() == set()


def test_a_download_that_is_cut_short_is_refused(index: Index) -> None:
    index.cut_at = 100
    with raises(DataError, "scikit-multilearn==0.0.1"):
        load("emotions")
    assert files() == set()
    index.cut_at = None
    load("emotions")


def test_without_a_network_one_sentence_says_so(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:  # bound, but nobody listens
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/simple")
        with pytest.raises(DataError, match="Is the network up"):
            load("mediamill")
    assert files() == set()


def test_a_password_is_not_shown(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", index.url.replace("http://", "http://user:secret@"))
    index.cut_at = 10
    with pytest.raises(DataError, match="received 10 bytes") as caught:
        load("scene")
    assert "127.0.0.1" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_certificates_that_are_not_there(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_CERT", "missing.pem")
    with raises(DataError, "cert", "missing.pem"):
        load("scene")


def test_a_source_that_fails_is_passed_over(
    index: Index, release: Release, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{closed.getsockname()[1]}/simple")
        monkeypatch.setenv("PIP_EXTRA_INDEX_URL", index.url)
        assert_same(load("mediamill"), release.data["mediamill"])


def test_an_archive_in_a_folder_needs_no_index(
    index: Index, release: Release, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "wheels"
    folder.mkdir()
    kept = folder / "scikit-multilearn-0.0.1.tar.gz"
    kept.write_bytes(release.archive)
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    assert_same(load("mediamill"), release.data["mediamill"])
    assert index.downloads == []
    assert kept.read_bytes() == release.archive


def no_space(*_: Any, **__: Any) -> NoReturn:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_that_fills_up_while_the_cache_is_written(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half_written(path: Path, **_: Any) -> NoReturn:
        path.write_bytes(b"half")
        no_space()

    monkeypatch.setattr(np, "savez", half_written)
    with pytest.raises(DataError, match="cannot be written: No space left on device"):
        load("emotions")
    assert files() == set()


def test_a_disk_that_fills_up_during_the_download(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match="cannot be written: No space left on device"):
        load("emotions", progress=no_space)  # called between the writes of the download
    assert files() == set()


def test_what_a_killed_process_left_is_cleared_away(index: Index) -> None:
    left = cache.folder() / "unfinished-abc"
    left.mkdir(parents=True)
    (left / "mediamill.npz").write_bytes(b"half")
    load("emotions")
    assert files() == PAPER


@pytest.mark.slow
def test_two_processes_at_once_share_one_download(
    index: Index, release: Release, tmp_path: Path
) -> None:
    both = [loading_process(release, index, tmp_path) for _ in range(2)]
    answers = [process.communicate() for process in both]
    wanted = release.constants["FINGERPRINTS"]["mediamill"] + "\n"
    assert answers == [(wanted, ""), (wanted, "")]
    assert len(index.downloads) == 1
    assert files() == PAPER


def test_m_reduced_takes_the_listed_rows_of_mediamill(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with np.load(shared_data / "mediamill.npz") as arrays, cache.filling() as scratch:
        whole = cache.numbered("mediamill", dict(arrays))
        cache.write(whole, scratch)
    data = load("m_reduced")
    assert data.X_train.shape == (1500, 120)
    assert data.Y_test.shape == (500, 101)
    np.testing.assert_array_equal(data.X_train[0], whole.X_train[5060])
    np.testing.assert_array_equal(data.Y_train[1], whole.Y_train[2218])

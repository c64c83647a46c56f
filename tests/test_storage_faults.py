"""Storages that are locked, gone, full or torn for a while."""

import json
import resource
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tuning import FakeBackend, ended, settings, study, tune

from topk_tune.engine.events import Notice
from topk_tune.engine.stopping import StopOptions
from topk_tune.storage import Location, Store
from topk_tune.storage.journal import BatchedJournal
from topk_tune.storage.store import names

TRIALS = 6


class Fault:
    """Something that begins after some polls of a backend, and ends after some more."""

    def __init__(self, begin: Callable[[], None], end: Callable[[], None]) -> None:
        self._begin, self._end = begin, end
        self._polls = 0
        self.shown: list[Notice] = []
        self.before = 0
        self.during = 0

    def poll(self) -> None:
        self._polls += 1
        if self._polls == 8:
            self.before = len(ended(self.shown))
            self._begin()
        if self._polls == 80:
            self.during = len(ended(self.shown)) - self.before
            self._end()

    def check(self, store: Store) -> None:
        """The study comes through: nothing is shown that is not written, all is there once."""
        backend = FakeBackend(2, on_poll=self.poll)
        assert tune(store, StopOptions(trials=TRIALS), backend, notices=self.shown) == (
            f"all {TRIALS} trials are done"
        )
        assert self._polls >= 80, "the fault did not end before the study"
        assert self.during <= 2, "trials were announced while they could not be written"
        assert sorted(r.number for r in ended(self.shown)) == list(range(TRIALS))
        assert sorted(task.id for task in backend.submitted) == list(range(TRIALS))
        records = Store.open(store.location, "s").records()
        assert [r.state for r in records] == ["complete"] * TRIALS


def test_a_journal_whose_lock_is_held(tmp_path: Path) -> None:
    store = study(tmp_path).store
    lock = tmp_path / "s" / "journal.log.lock"

    def take() -> None:
        while True:  # the study may hold it at the moment
            try:
                return lock.symlink_to("journal.log")
            except FileExistsError:
                continue

    Fault(take, lock.unlink).check(store)


def test_a_folder_that_is_moved_away_and_back(tmp_path: Path) -> None:
    store = study(tmp_path).store
    here, away = tmp_path / "s", tmp_path / "away"
    Fault(lambda: here.rename(away) and None, lambda: away.rename(here) and None).check(store)


@pytest.mark.slow
def test_a_database_that_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store.create(Location.of(f"sqlite:///{tmp_path / 'studies.db'}"), settings())
    other = sqlite3.connect(tmp_path / "studies.db", isolation_level=None, timeout=30)
    Fault(
        lambda: other.execute("BEGIN EXCLUSIVE") and None,
        lambda: other.execute("ROLLBACK") and None,
    ).check(store)
    other.close()


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    store = study(tmp_path).store
    journal = tmp_path / "s" / "journal.log"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill() -> None:
        room = journal.stat().st_size + 50  # in the middle of a line
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))

    try:
        Fault(fill, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, before)).check(store)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert all(json.loads(line) for line in journal.read_text().splitlines())


def test_a_trial_whose_beginning_was_written_but_not_confirmed_begins_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operation is in the journal, and then its folder is gone before it is read back."""
    store = study(tmp_path).store
    write, failures = BatchedJournal.append_logs, [2, 1]

    def write_and_fail(self: BatchedJournal, logs: list[dict[str, object]]) -> None:
        write(self, logs)
        if failures and logs and "user_attrs" in logs[0]:
            failures.pop()
            raise OSError("gone")

    monkeypatch.setattr(BatchedJournal, "append_logs", write_and_fail)
    tune(store, StopOptions(trials=4))
    assert not failures
    assert [r.state for r in Store.open(store.location, "s").records()] == ["complete"] * 4


@pytest.mark.parametrize("lost", [1, 40])
def test_a_torn_last_line_is_cut_off_by_the_next_driver(tmp_path: Path, lost: int) -> None:
    store = study(tmp_path).store
    tune(store, StopOptions(trials=3))
    store.close()
    journal = tmp_path / "s" / "journal.log"
    journal.write_bytes(journal.read_bytes()[:-lost])
    assert len(Store.open(store.location, "s").records()) == 3  # it can be read as it is
    again = Store.open(store.location, "s")
    again.drive()
    tune(again, StopOptions(trials=5))
    assert [r.state for r in Store.open(store.location, "s").records()] == ["complete"] * 5


def test_the_lock_of_a_driver_that_was_killed_is_taken_away(tmp_path: Path) -> None:
    store = study(tmp_path).store
    store.close()
    lock = tmp_path / "s" / "journal.log.lock"
    lock.symlink_to("journal.log")
    again = Store.open(store.location, "s")
    again.drive()
    assert not lock.is_symlink()


def test_a_journal_that_is_whole_is_left_alone(tmp_path: Path) -> None:
    store = study(tmp_path).store
    tune(store, StopOptions(trials=2))
    store.close()
    before = (tmp_path / "s" / "journal.log").read_bytes()
    again = Store.open(store.location, "s")
    again.drive()
    again.close()
    assert (tmp_path / "s" / "journal.log").read_bytes() == before


@pytest.mark.parametrize("lines", [0, 1])
def test_a_study_that_was_half_made_is_made_anew(tmp_path: Path, lines: int) -> None:
    """Its maker was killed before the study, or before its settings, were in the journal."""
    store = study(tmp_path, runtime_objective=True).store
    store.close()
    journal = tmp_path / "s" / "journal.log"
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(True)[:lines]))
    assert names(store.location) == []
    with pytest.raises(ValueError, match="unknown study 's'"):
        Store.open(store.location, "s")
    made = study(tmp_path)
    tune(made.store, StopOptions(trials=2))
    assert [r.state for r in Store.open(store.location, "s").records()] == ["complete"] * 2


def test_folders_that_are_no_studies_are_passed_over(tmp_path: Path) -> None:
    for name in (".hidden", "not a study", "empty"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "journal.log").touch()
    store = study(tmp_path).store
    assert names(store.location) == ["s"]


def test_a_store_that_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            study(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []

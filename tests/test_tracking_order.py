"""Figures first, files later: in what order a spool is sent, and where the next process goes on."""

from collections import Counter
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from tracking_cases import make_record

from topk_tune.tracking import TrackingConfig, entries, writer
from topk_tune.tracking.jobs import Job
from topk_tune.tracking.process import ALL_SENT, left_in
from topk_tune.tracking.senders import each, threads_for
from topk_tune.tracking.spool import NAME, Spool
from topk_tune.tracking.writer import Finish, SpoolWriter

FILE = TrackingConfig(tracking_uri="sqlite:///no.db")
SERVER = TrackingConfig(tracking_uri="http://127.0.0.1:1")
TRIALS = 50
"""More than are sent together."""


class Killed(BaseException):
    """Stands in for SIGKILL: nothing handles it."""


class Recording:
    """Stands in for the sender: notes the trials whose figures and files arrive."""

    known = True

    def __init__(self) -> None:
        self.arrived: list[tuple[str, int]] = []
        self.lives = TRIALS * 10

    def made(self, *arguments: Any) -> "Recording":
        """The same for every process."""
        return self

    def ids(self) -> tuple[str, str]:
        return "1", "abc"

    def commit(self) -> None:
        """Everything has arrived at once."""

    def close(self) -> None:
        """There is nothing to close."""

    def send(self, job: Job) -> None:
        if isinstance(job, entries.Trial):
            self._note("figures", job.trial)

    def send_files(self, entry: entries.Trial) -> None:
        self._note("files", entry.trial)

    def _note(self, what: str, trial: int) -> None:
        self.lives -= 1
        if self.lives < 0:
            raise Killed
        self.arrived.append((what, trial))


@pytest.fixture
def sender(monkeypatch: pytest.MonkeyPatch) -> Recording:
    made = Recording()
    monkeypatch.setattr(writer, "Sender", made.made)
    return made


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    spool = Spool(tmp_path / NAME)
    spool.append(entries.Study("1", {}, {}, None))
    for number in range(TRIALS):
        spool.append(entries.Trial.of(make_record(number), {}, None))
    spool.close()
    return tmp_path


def send(folder: Path, config: TrackingConfig) -> int:
    finish = Finish(60.0)
    finish.begin()
    return SpoolWriter(folder, config, finish).run()


EVERYTHING = [(what, number) for what in ("figures", "files") for number in range(TRIALS)]


def test_all_figures_come_before_the_first_file(folder: Path, sender: Recording) -> None:
    assert left_in(folder, FILE) == 1 + TRIALS
    assert send(folder, FILE) == ALL_SENT
    assert sender.arrived == EVERYTHING
    assert left_in(folder, FILE) == 0
    assert send(folder, FILE) == ALL_SENT
    assert sender.arrived == EVERYTHING  # and nothing again


def test_without_files_there_is_nothing_left(folder: Path, sender: Recording) -> None:
    config = FILE.model_copy(update={"log": FILE.log.model_copy(update={"trial_files": False})})
    assert send(folder, config) == ALL_SENT
    assert sender.arrived == EVERYTHING[:TRIALS]
    assert left_in(folder, config) == 0


@pytest.mark.parametrize("config", [FILE, SERVER])
def test_a_kill_anywhere_loses_nothing(
    folder: Path, sender: Recording, config: TrackingConfig
) -> None:
    """What was on its way is sent again; that MLflow has it once is for the sender to see to."""
    kills = 0
    while True:
        sender.lives = 45
        try:
            assert send(folder, config) == ALL_SENT
            break
        except Killed:
            kills += 1
    assert kills >= 2
    assert set(sender.arrived) == set(EVERYTHING)
    figures = [number for what, number in sender.arrived if what == "figures"]
    assert max(Counter(sender.arrived).values()) <= 2
    last = len(sender.arrived) - 1 - sender.arrived[::-1].index(("figures", figures[-1]))
    assert "files" not in {what for what, _ in sender.arrived[:last]}


def test_a_server_gets_several_trials_at_once_and_a_file_one() -> None:
    threads = threads_for(SERVER.tracking_uri)
    assert (threads > 1, threads_for(FILE.tracking_uri)) == (True, 1)
    meeting = Barrier(threads, timeout=300)
    each(threads, lambda _: meeting.wait() and None, range(2 * threads))


def test_an_error_of_one_is_that_of_all() -> None:
    def fail(number: int) -> None:
        if number == 3:
            raise Killed

    with pytest.raises(Killed):
        each(2, fail, range(10))

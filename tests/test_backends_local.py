"""Workers as processes of this machine: they run, stop, die and are replaced."""

import os
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from messages import raises, says
from packages import songrank
from tuning import DATA, settings, shown

from booster import machine_code
from booster.plugins import MissingPackageError
from topk_tune.backends.base import BackendError, Event, Failed, Finished, Lost, Reported, Task
from topk_tune.backends.local import LocalBackend
from topk_tune.backends.packages import check_installed, needed
from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import load
from topk_tune.study.rows import tuning_rows
from topk_tune.training.training import run_trial
from topk_tune.training.trial import SplitRows, TrialConfig

CONFIG = {"algorithm": "topada", "loops": 4, "n_learners": 3, "rho": 0.1}
ENDLESS = {**CONFIG, "loops": 1_000_000}


@pytest.fixture(scope="module")
def rows() -> SplitRows:
    return tuning_rows(load(DATA), settings())


@contextmanager
def started(rows: SplitRows, workers: int) -> Iterator[LocalBackend]:
    backend = LocalBackend(workers)
    backend.start(rows)
    try:
        until(backend, lambda events: backend.free() == workers)
        yield backend
    finally:
        backend.close()


@pytest.fixture(scope="module")
def backend(rows: SplitRows) -> Iterator[LocalBackend]:
    """Two workers; a test leaves both of them free."""
    with started(rows, 2) as made:
        yield made


def task(number: int, config: dict[str, object] = CONFIG, seeds: tuple[int, ...] = (0,)) -> Task:
    return Task(number, config, seeds, "read-only")


def until(backend: LocalBackend, done: Callable[[list[Event]], bool]) -> list[Event]:
    """Collect events until there are enough of them; a test has a time limit of its own."""
    events: list[Event] = []
    while not done(events):
        events += backend.poll(0.25)
    return events


def ends(events: list[Event]) -> dict[int, Event]:
    return {event.task: event for event in events if not isinstance(event, Reported)}


def reported(number: int) -> Callable[[list[Event]], bool]:
    return lambda events: any(isinstance(e, Reported) and e.task == number for e in events)


def children() -> list[psutil.Process]:
    return [p for p in psutil.Process().children() if "local_worker" in " ".join(p.cmdline())]


def test_a_worker_reports_the_bits_that_this_process_would(
    backend: LocalBackend, rows: SplitRows
) -> None:
    backend.submit(task(0, seeds=(0, 1)))
    backend.submit(task(1, seeds=(1,)))
    assert backend.free() == 0
    assert {worker.task for worker in backend.workers()} == {0, 1}
    events = until(backend, lambda events: len(ends(events)) == 2)
    assert ends(events) == {0: Finished(0), 1: Finished(1)}
    for number, seed in [(0, 0), (0, 1), (1, 1)]:
        there = [
            e.report
            for e in events
            if isinstance(e, Reported) and (e.task, e.seed) == (number, seed)
        ]
        here = run_trial(TrialConfig.of(CONFIG), seed, rows, "read-only")
        assert shown(there) == shown(here)
    assert backend.free() == 2


def test_a_task_that_is_stopped_finishes_after_its_loop(backend: LocalBackend) -> None:
    backend.submit(task(2, ENDLESS))
    until(backend, reported(2))
    backend.stop(2)
    assert ends(until(backend, lambda events: 2 in ends(events))) == {2: Finished(2)}


def test_a_stop_that_comes_too_late_harms_nothing(backend: LocalBackend) -> None:
    backend.submit(task(3))
    worker = next(w for w in backend._workers if w.task == 3)
    while not worker.pipe.poll(0.1):
        pass
    events = until(backend, lambda events: 3 in ends(events))
    worker.send(("stop", 3))
    backend.submit(task(4))
    backend.submit(task(5))
    events = until(backend, lambda events: {4, 5} <= set(ends(events)))
    assert sum(isinstance(event, Reported) for event in events) == 8


def test_an_error_comes_back_in_words_and_the_worker_goes_on(backend: LocalBackend) -> None:
    pids = {worker.pid for worker in backend._workers}
    backend.submit(task(6, {**CONFIG, "rho": 7.0}))
    (failed,) = ends(until(backend, lambda events: 6 in ends(events))).values()
    assert isinstance(failed, Failed)
    says(failed.error, "ValueError", "0 < rho < 1", 7.0)
    assert {worker.pid for worker in backend._workers} == pids


@pytest.mark.slow
def test_a_worker_that_is_killed_is_lost_and_replaced(backend: LocalBackend) -> None:
    backend.submit(task(7, ENDLESS))
    until(backend, reported(7))
    os.kill(next(w.pid for w in backend._workers if w.task == 7), signal.SIGKILL)
    events = until(backend, lambda events: 7 in ends(events))
    lost = ends(events)[7]
    assert isinstance(lost, Lost)
    says(lost.reason, "worker", "signal 9")
    until(backend, lambda events: backend.free() == 2)
    backend.submit(task(8))
    assert ends(until(backend, lambda events: 8 in ends(events))) == {8: Finished(8)}


@pytest.mark.slow
def test_kill_ends_a_task_without_a_word(backend: LocalBackend) -> None:
    backend.submit(task(9, ENDLESS))
    until(backend, reported(9))
    backend.kill(9)
    assert 9 not in {worker.task for worker in backend.workers()}
    assert 9 not in ends(until(backend, lambda events: backend.free() == 2))


@pytest.mark.slow
def test_all_workers_may_die_at_once(
    backend: LocalBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is a machine short of memory, not workers that cannot start."""
    monkeypatch.setattr("topk_tune.backends.local._MOST_STARTS", 0)
    gone = {worker.pid for worker in backend._workers}
    for pid in gone:
        os.kill(pid, signal.SIGKILL)
    until(backend, lambda events: not gone & {worker.pid for worker in backend._workers})
    until(backend, lambda events: backend.free() == 2)


@pytest.mark.slow
def test_workers_that_cannot_start_are_an_error(
    rows: SplitRows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    backend = LocalBackend(2)
    try:
        with raises(BackendError, "workers", "start", "exit code 1"):
            backend.start(rows)
            until(backend, lambda events: False)
    finally:
        backend.close()


@pytest.mark.slow
def test_close_leaves_no_process(rows: SplitRows) -> None:
    before = set(children())
    with started(rows, 2):
        assert len(set(children()) - before) == 2
    assert set(children()) == before


def test_a_machine_without_a_package_says_which(backend: LocalBackend) -> None:
    """The driver knows what brings a name; the worker cannot."""
    config = {**CONFIG, "algorithm": "popularity"}
    lacking = replace(task(30, config), needs={"algorithm 'popularity'": "songrank"})
    backend.submit(lacking)
    failed = ends(until(backend, lambda events: 30 in ends(events)))[30]
    assert isinstance(failed, Failed)
    for part in (socket.gethostname(), "lacks songrank", "algorithm 'popularity'", "every node"):
        assert part in failed.error


def test_what_a_configuration_needs(tmp_path: Path) -> None:
    assert needed(CONFIG, "shown_loss") == {}
    assert needed({**CONFIG, "algorithm": "of a later version"}, "shown_loss") == {}
    with songrank(tmp_path):
        needs = needed({"algorithm": "popularity", "learner": "frequency"}, "shown_loss")
        assert needs == dict.fromkeys(("algorithm 'popularity'", "learner 'frequency'"), "songrank")
        check_installed(needs)
    with pytest.raises(MissingPackageError, match="lacks songrank"):
        check_installed(needs)


@pytest.mark.slow
def test_workers_import_what_the_driver_can(rows: SplitRows, tmp_path: Path) -> None:
    """A module that lies beside a script, say."""
    (tmp_path / "beside.py").write_text("from booster import TopAda\nclass Mine(TopAda): ...\n")
    with pytest.MonkeyPatch.context() as changed:
        changed.syspath_prepend(str(tmp_path))
        with started(rows, 1) as backend:
            backend.submit(task(31, {**CONFIG, "algorithm": "beside:Mine"}))
            events = until(backend, lambda events: 31 in ends(events))
    assert isinstance(ends(events)[31], Finished)


@pytest.mark.slow
def test_prepared_workers_start_before_there_are_rows_and_get_them_later(rows: SplitRows) -> None:
    with ResourceOptions("local", workers=1).prepared() as made:
        assert isinstance(made, LocalBackend)
        (worker,) = made._workers
        made.start(rows)
        until(made, lambda events: made.free() == 1)
        assert made._workers == [worker]
        made.submit(task(0))
        assert until(made, lambda events: Finished(0) in events)
    assert not psutil.pid_exists(worker.pid)
    made.close()  # as the study does before


@pytest.mark.slow
def test_a_worker_lost_before_there_are_rows_is_replaced(rows: SplitRows) -> None:
    with ResourceOptions("local", workers=1).prepared() as made:
        assert isinstance(made, LocalBackend)
        os.kill(made._workers[0].pid, signal.SIGKILL)
        made.start(rows)
        until(made, lambda events: made.free() == 1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("resources", "complete", "wanted"),
    [
        (ResourceOptions("local"), False, True),  # each would compile for itself
        (ResourceOptions("local"), True, False),
        (ResourceOptions("ray"), True, True),
    ],
)
def test_nothing_is_prepared_in_vain(
    resources: ResourceOptions, complete: bool, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_code, "is_complete", lambda: complete)
    with resources.prepared(wanted) as made:
        assert made is None

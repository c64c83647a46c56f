"""Studies in their storage: made, opened, driven by one or by several."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import optuna
import pytest
from messages import raises
from optuna.storages import JournalStorage, RDBStorage
from optuna.storages.journal import JournalFileBackend
from tuning import (
    FakeBackend,
    Training,
    report,
    scripted,
    settings,
    space,
    study,
    tune,
)

from topk_tune.backends.base import Task
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import SeedRun, TrialRecord
from topk_tune.spaces import Fixed, Float
from topk_tune.storage import Location, Store, StudyBusyError
from topk_tune.storage.store import names


@pytest.fixture(params=["folder", "database"])
def location(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: Any) -> Location:
    monkeypatch.chdir(tmp_path)  # where the folder of a database study is made
    url = f"sqlite:///{tmp_path / 'studies.db'}"
    return Location.of("studies" if request.param == "folder" else url)


@pytest.fixture
def store(location: Location) -> Iterator[Store]:
    made = Store.create(location, settings())
    yield made
    made.close()


def begun(store: Store) -> tuple[int, Proposer, Any, dict[str, Any]]:
    """A trial that was asked for: its number, and how to finish it."""
    search = Proposer(settings(), space())
    asked = search.ask("0")
    assert asked is not None
    trial, config = asked
    number = store.begin(config, trial.params, trial.distributions)
    assert number is not None
    return number, search, trial, config


def finish(store: Store, loss: float = 0.25) -> TrialRecord:
    number, search, trial, config = begun(store)
    runs = (SeedRun(0, (report(1, 0.5), report(2, loss))),)
    record = TrialRecord(number, "complete", config, runs, trial.params)
    trial.report(0.5, 1)
    store.finish(record, search.outcome(trial, record))
    return record


def test_a_study_comes_back_as_it_was_made(location: Location, store: Store) -> None:
    assert Store.open(location, "s").settings == settings()
    assert names(location) == ["s"]


def test_a_finished_trial_comes_back_as_it_was_written(location: Location, store: Store) -> None:
    written = finish(store)
    (read,) = Store.open(location, "s").records()
    for field in ("number", "state", "config", "runs", "params", "error", "reused", "attempts"):
        assert getattr(read, field) == getattr(written, field), field
    assert read.ended is not None


def test_a_trial_is_finished_once(location: Location, store: Store) -> None:
    number, search, trial, config = begun(store)
    for loss in (0.3, 0.1):
        record = TrialRecord(number, "complete", config, (SeedRun(0, (report(1, loss),)),))
        store.finish(record, search.outcome(trial, record))
    finish(store)  # what comes after it is not harmed
    assert [r.value for r in Store.open(location, "s").records()] == [0.3, 0.25]


def test_what_is_given_back_can_be_claimed_once(location: Location, store: Store) -> None:
    number, *_ = begun(store)
    store.give_back(number)
    other = Store.open(location, "s")
    assert other.abandoned() == [number]
    assert other.claim(number)
    assert not store.claim(number)
    assert not other.claim(number)


def test_a_finished_trial_can_neither_be_claimed_nor_given_back(store: Store) -> None:
    number = finish(store).number
    store.give_back(number)
    assert not store.claim(number)
    assert store.abandoned() == []
    assert [r.state for r in store.records()] == ["complete"]


def test_no_more_trials_begin_than_the_limit(store: Store) -> None:
    trial = Proposer(settings(), space()).ask("0")
    assert trial is not None
    arguments = (trial[1], trial[0].params, trial[0].distributions, 2)
    assert [store.begin(*arguments) for _ in range(3)] == [0, 1, None]


def test_a_second_study_of_the_same_name_is_refused(location: Location, store: Store) -> None:
    finish(store)
    wider = settings(space(rho=Float(0.01, 0.4)))
    with raises(ValueError, "'s'", "exists", "topk-tune resume s"):
        Store.create(location, wider)
    again = Store.open(location, "s")
    assert again.settings == settings()
    assert len(again.records()) == 1


def test_an_unknown_study_lists_those_there_are(location: Location, store: Store) -> None:
    with pytest.raises(ValueError, match=r"unknown study 't'; choose from s"):
        Store.open(location, "t")


def test_looking_for_a_study_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is none yet"):
        Store.open(Location.of(str(tmp_path / "studies")), "s")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_has_one_driver(tmp_path: Path) -> None:
    location = Location.of(str(tmp_path))
    first = Store.create(location, settings())
    second = Store.open(location, "s")
    with raises(StudyBusyError, "'s'", "another process"):
        second.drive()
    first.close()
    second.drive()
    second.close()


def test_a_deterministic_study_has_one_driver_in_a_database_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    location = Location.of(f"sqlite:///{tmp_path / 'studies.db'}")
    first = Store.create(location, settings(deterministic=True))
    second = Store.open(location, "s")
    with pytest.raises(StudyBusyError, match="one driver only"):
        second.drive()
    first.close()
    second.drive()


def test_optuna_reads_a_journal(tmp_path: Path) -> None:
    made = study(tmp_path, seeds=2)
    tune(made.store, StopOptions(trials=3))
    storage = JournalStorage(JournalFileBackend(str(tmp_path / "s" / "journal.log")))
    check_optunas_view(optuna.load_study(study_name="s", storage=storage), made.records())


@pytest.mark.slow
def test_optuna_reads_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path / 'studies.db'}"
    store = Store.create(Location.of(url), settings(pruner="median", seeds=2))
    tune(store, StopOptions(trials=3))
    storage = RDBStorage(url)
    check_optunas_view(optuna.load_study(study_name="s", storage=storage), store.records())
    storage.engine.dispose()  # Optuna leaves its connections open


def check_optunas_view(seen: optuna.Study, records: list[TrialRecord]) -> None:
    assert len(seen.trials) == len(records) == 3
    for trial, record in zip(seen.trials, records, strict=True):
        assert trial.state == optuna.trial.TrialState.COMPLETE
        assert trial.value == record.value
        assert (
            trial.params
            == record.params
            == {name: record.config[name] for name in ("n_learners", "rho")}
        )
        assert list(trial.intermediate_values.values()) == [
            report.metrics["shown_loss"] for run in record.runs for report in run.reports
        ]
    assert seen.best_trial.number == min(records, key=lambda r: r.value or 1).number


@pytest.mark.slow
def test_two_drivers_of_a_database_share_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    location = Location.of(f"sqlite:///{tmp_path / 'studies.db'}")
    stores = [Store.create(location, settings()), Store.open(location, "s")]
    backends, both = [FakeBackend(1), FakeBackend(1)], Barrier(2)

    def meets(task: Task) -> Training:
        if any(backend.submitted[0] is task for backend in backends if backend.submitted):
            both.wait(60)  # each driver has begun a trial
        yield from scripted(task)

    for backend in backends:
        backend.train = meets
    with ThreadPoolExecutor(2) as threads:
        ends = list(threads.map(tune, stores, [StopOptions(trials=8)] * 2, backends))
    assert ends == ["all 8 trials are done"] * 2
    ran = [task.id for backend in backends for task in backend.submitted]
    assert len(ran) == len(set(ran))
    records = Store.open(location, "s").records()
    assert len({repr(r.config) for r in records}) == len(records)
    # When both ask for the last one in the same moment, the second one waits.
    assert [r.state for r in records] in (["complete"] * 8, ["complete"] * 8 + ["waiting"])


@pytest.mark.slow
def test_drivers_that_ask_for_the_last_trial_in_the_same_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    location = Location.of(f"sqlite:///{tmp_path / 'studies.db'}")
    stores = [Store.create(location, settings()), Store.open(location, "s")]
    both = Barrier(2)

    def last(store: Store) -> int | None:
        count = store._storage.get_n_trials

        def counted(study: int) -> int:
            found = count(study)
            both.wait(60)  # neither begins a trial before the other has counted
            return found

        monkeypatch.setattr(store._storage, "get_n_trials", counted)
        return store.begin({"driver": store.driver}, {}, {}, limit=1)

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(last, stores), key=str) == [0, None]
    assert [r.state for r in Store.open(location, "s").records()] == ["running", "waiting"]


@pytest.mark.slow
def test_a_trial_beyond_the_limit_waits_until_there_may_be_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store.create(Location.of(f"sqlite:///{tmp_path / 'studies.db'}"), settings())
    tune(store, StopOptions(trials=2))
    config = store.records()[0].config
    for rho in (0.2, 0.25):
        store.give_back(store.begin({**config, "rho": rho}, {}, {}) or 0)
    tune(store, StopOptions(trials=3), FakeBackend(2))
    assert [r.state for r in store.records()] == [*["complete"] * 3, "waiting"]
    tune(store, StopOptions(trials=5), FakeBackend(2))
    assert [r.state for r in store.records()] == ["complete"] * 5


def test_a_url_that_is_none_is_refused_without_its_password() -> None:
    with pytest.raises(ValueError, match=r"but got nosuch://\.\.\.$"):
        Location.of("nosuch://user:secret@host/name")


def test_a_password_is_not_shown() -> None:
    printable = Location.of("postgresql://user:secret@host/name").printable
    assert "secret" not in printable
    assert "host" in printable


def test_settings_can_be_replaced(location: Location, store: Store) -> None:
    wider = settings(space(rho=Float(0.01, 0.4), k=Fixed(2)))
    store.replace_settings(wider)
    assert Store.open(location, "s").settings == wider

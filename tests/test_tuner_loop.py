"""The study's loop, on workers whose every event is known."""

from pathlib import Path

import pytest
from messages import says
from tuning import (
    LOOPS,
    Clock,
    FakeBackend,
    Training,
    WorkerGoneError,
    ended,
    loss_of,
    report,
    scripted,
    space,
    states,
    study,
    tune,
)

from topk_tune.backends.base import Task
from topk_tune.backends.resources import ResourceOptions
from topk_tune.engine.events import LoopDone, Notice, StudyEnded, StudyStarted, TrialStarted
from topk_tune.engine.loop import INTERRUPTED
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import TrialRecord
from topk_tune.spaces import Choice, Fixed
from topk_tune.storage import Location, Store


def reopened(folder: Path) -> Store:
    """The study as a second process would open it."""
    store = Store.open(Location.of(str(folder)), "s")
    store.drive()
    return store


def stored(folder: Path) -> list[TrialRecord]:
    return Store.open(Location.of(str(folder)), "s").records()


@pytest.mark.parametrize("workers", [1, 3])
def test_every_trial_is_written_once_and_announced_once(tmp_path: Path, workers: int) -> None:
    notices: list[Notice] = []
    store = study(tmp_path).store
    reason = tune(store, StopOptions(trials=7), FakeBackend(workers), notices=notices)
    assert reason == "all 7 trials are done"
    records = stored(tmp_path)
    assert [r.number for r in records] == list(range(7))
    assert sorted(r.number for r in ended(notices)) == list(range(7))
    for record in records:
        assert record.state == "complete"
        assert record.value == pytest.approx(loss_of(record.config, 0, LOOPS))
        assert record.best_loop == LOOPS
    assert isinstance(notices[0], StudyStarted)
    assert notices[-1] == StudyEnded(reason)
    assert sum(isinstance(n, LoopDone) for n in notices) == 7 * LOOPS


def test_a_trial_is_announced_only_when_it_is_in_the_storage(tmp_path: Path) -> None:
    store = study(tmp_path).store
    seen: list[str] = []

    class Watching(list[Notice]):
        def append(self, notice: Notice) -> None:
            seen.extend(stored(tmp_path)[r.number].state for r in ended([notice]))

    tune(store, StopOptions(trials=4), FakeBackend(2), notices=Watching())
    assert seen == ["complete"] * 4


def test_seeds_reach_the_search_as_their_mean(tmp_path: Path) -> None:
    made = study(tmp_path, seeds=3, seed=5)
    tune(made.store, StopOptions(trials=2))
    for record, frozen in zip(made.records(), made.store.finished(), strict=True):
        losses = [loss_of(record.config, seed, LOOPS) for seed in (5, 6, 7)]
        assert [run.seed for run in record.runs] == [5, 6, 7]
        assert frozen.values == [pytest.approx(sum(losses) / 3)]
        assert record.spread is not None
        assert frozen.user_attrs["spread"] == record.spread > 0


def test_a_lost_worker_costs_an_attempt_and_no_more(tmp_path: Path) -> None:
    died: list[int] = []

    def dies_once(task: Task) -> Training:
        for seed, each in scripted(task):
            if task.id == 1 and not died and each.loop == 4:
                died.append(seed)
                raise WorkerGoneError("the worker was ended by signal 9")
            yield seed, each

    notices: list[Notice] = []
    backend = FakeBackend(2, dies_once)
    tune(study(tmp_path).store, StopOptions(trials=4), backend, notices=notices)
    records = stored(tmp_path)
    assert [(r.state, r.attempts) for r in records] == [
        ("complete", 1),
        ("complete", 2),
        ("complete", 1),
        ("complete", 1),
    ]
    assert records[1].runs[0].reports == tuple(r for _, r in scripted(backend.submitted[1]))
    loops = [n.report.loop for n in notices if isinstance(n, LoopDone) and n.number == 1]
    assert loops == list(range(1, LOOPS + 1))  # none is shown twice


def test_a_lost_worker_does_not_train_finished_seeds_again(tmp_path: Path) -> None:
    def dies_on_the_second_seed(task: Task) -> Training:
        for seed, each in scripted(task):
            if seed == 1 and 0 in task.seeds:
                raise WorkerGoneError("gone")
            yield seed, each

    backend = FakeBackend(1, dies_on_the_second_seed)
    tune(study(tmp_path, seeds=3).store, StopOptions(trials=1), backend)
    assert [task.seeds for task in backend.submitted] == [(0, 1, 2), (1, 2)]
    assert states(tmp_path) == ["complete"]


def test_a_trial_that_always_loses_its_worker_fails_and_the_study_goes_on(tmp_path: Path) -> None:
    def dies(task: Task) -> Training:
        if task.id == 0:
            raise WorkerGoneError("the worker was ended by signal 9")
        yield from scripted(task)

    backend = FakeBackend(1, dies)
    tune(study(tmp_path).store, StopOptions(trials=3), backend, ResourceOptions(retries=2))
    first, *others = stored(tmp_path)
    assert (first.state, first.attempts) == ("failed", 3)
    assert first.error == "the worker was ended by signal 9; tried 3 times"
    assert [r.state for r in others] == ["complete"] * 2


def test_a_trial_that_raises_fails_at_once_with_its_error(tmp_path: Path) -> None:
    def raises(task: Task) -> Training:
        yield next(scripted(task))
        if task.id == 1:
            raise ZeroDivisionError("division by zero")
        yield from list(scripted(task))[1:]

    tune(study(tmp_path).store, StopOptions(trials=3), FakeBackend(2, raises))
    records = stored(tmp_path)
    assert [r.state for r in records] == ["complete", "failed", "complete"]
    assert records[1].attempts == 1
    assert str(records[1].error).startswith("ZeroDivisionError: division by zero (raises in ")
    assert len(records[1].runs[0].reports) == 1  # what was known is kept


def test_a_study_whose_every_trial_fails_gives_up(tmp_path: Path) -> None:
    def raises(task: Task) -> Training:
        raise OSError("no memory")
        yield

    store = study(tmp_path).store
    reason = tune(store, StopOptions(trials=50, failures=3), FakeBackend(1, raises))
    store.close()
    says(reason, "last 3 trials failed", "OSError: no memory")
    assert states(tmp_path)[:3] == ["failed"] * 3
    again = Store.open(Location.of(str(tmp_path)), "s")
    again.drive()
    mended = tune(again, StopOptions(trials=8, failures=3), FakeBackend(1))
    assert mended == "all 8 trials are done"


def test_a_trial_past_its_time_is_ended_and_the_next_begins(tmp_path: Path) -> None:
    clock = Clock()

    def hangs(task: Task) -> Training:
        for seed, each in scripted(task):
            clock.now += 100 if task.id == 1 else 1
            yield seed, each

    backend = FakeBackend(1, hangs)
    tune(
        study(tmp_path).store,
        StopOptions(trials=3),
        backend,
        ResourceOptions(trial_timeout=50),
        clock,
    )
    assert backend.killed == [1]
    records = stored(tmp_path)
    assert [r.state for r in records] == ["complete", "failed", "complete"]
    assert records[1].error == "took longer than the limit of 50 s"


def test_time_is_a_limit(tmp_path: Path) -> None:
    backend = FakeBackend(2)
    reason = tune(study(tmp_path).store, StopOptions(timeout=30), backend, clock=Clock(step=1.0))
    says(reason, "time", 30)
    assert "running" not in states(tmp_path)  # given back for a resume


def test_a_target_is_a_limit(tmp_path: Path) -> None:
    reason = tune(study(tmp_path).store, StopOptions(trials=500, target=0.2))
    assert reason == "the target of 0.2 is reached"
    *others, last = [r for r in stored(tmp_path) if r.state == "complete"]
    assert last.value is not None
    assert last.value <= 0.2
    assert all(r.value is not None and r.value > 0.2 for r in others)


def test_patience_is_a_limit(tmp_path: Path) -> None:
    reason = tune(study(tmp_path).store, StopOptions(patience=4))
    assert reason == "no improvement in 4 trials"
    done = [r for r in stored(tmp_path) if r.state == "complete"]
    assert min(done, key=lambda r: r.value or 0).number == len(done) - 5


def worse(task: Task) -> Training:
    """Eight good trials, then bad ones."""
    for seed, each in scripted(task):
        yield seed, report(each.loop, 0.3 if task.id < 8 else 0.9)


def test_a_hopeless_trial_is_stopped_and_pruned(tmp_path: Path) -> None:
    made = study(tmp_path, pruner="median")
    tune(made.store, StopOptions(trials=10), FakeBackend(1, worse))
    assert states(tmp_path) == ["complete"] * 8 + ["pruned"] * 2
    assert len(made.records()[9].runs[0].reports) < LOOPS
    best = made.best()
    assert best is not None
    assert best.number == 0


def test_pruning_ends_the_seeds_that_are_left(tmp_path: Path) -> None:
    made = study(tmp_path, pruner="median", seeds=3)
    tune(made.store, StopOptions(trials=9), FakeBackend(1, worse))
    last = made.records()[-1]
    assert last.state == "pruned"
    assert [run.seed for run in last.runs] == [0]


def test_a_hopeless_trial_whose_worker_dies_is_not_tried_again(tmp_path: Path) -> None:
    class DyingBackend(FakeBackend):
        def stop(self, task: int) -> None:
            self._running[task] = _gone()

    backend = DyingBackend(1, worse)
    tune(study(tmp_path, pruner="median").store, StopOptions(trials=9), backend)
    assert states(tmp_path)[-1] == "pruned"
    assert len(backend.submitted) == 9


def _gone() -> Training:
    raise WorkerGoneError("gone")
    yield


def test_what_was_trained_before_is_not_trained_again(tmp_path: Path) -> None:
    two = space(n_learners=Choice([1, 2]), rho=Fixed(0.1))
    backend = FakeBackend(1)
    tune(study(tmp_path, two, sampler="random").store, StopOptions(trials=8), backend)
    records = stored(tmp_path)
    assert states(tmp_path) == ["complete"] * 8
    assert len(backend.submitted) == 2
    assert sum(r.reused for r in records) == 6
    assert len({r.value for r in records}) == 2


def test_a_resumed_study_reuses_what_it_has(tmp_path: Path) -> None:
    one = space(n_learners=Fixed(1), rho=Choice([0.1]))
    store = study(tmp_path, one, sampler="random", seeds=2).store
    tune(store, StopOptions(trials=1))
    store.close()
    backend = FakeBackend(1)
    tune(reopened(tmp_path), StopOptions(trials=3), backend)
    assert not backend.submitted
    assert [r.reused for r in stored(tmp_path)] == [0, 2, 2]


def test_a_longer_training_serves_a_shorter(tmp_path: Path) -> None:
    """Loops is a choice: whoever trained 6 has trained 3, and not the other way round."""
    both = space(n_learners=Fixed(1), rho=Fixed(0.1), loops=Choice([6, 3]))
    backend = FakeBackend(1)
    tune(study(tmp_path, both, sampler="grid").store, StopOptions(), backend)
    assert [task.config["loops"] for task in backend.submitted] == [6]
    longer, shorter = stored(tmp_path)
    assert shorter.reused == 1
    assert shorter.runs[0] == longer.runs[0].up_to(3)


def test_ctrl_c_leaves_what_is_finished_and_gives_back_the_rest(tmp_path: Path) -> None:
    def interrupted(task: Task) -> Training:
        if task.id == 3:
            raise KeyboardInterrupt
        yield from scripted(task)

    store = study(tmp_path).store
    notices: list[Notice] = []
    assert tune(store, StopOptions(trials=9), FakeBackend(1, interrupted), notices=notices) == (
        INTERRUPTED
    )
    assert states(tmp_path)[:4] == ["complete"] * 3 + ["waiting"]
    assert "running" not in states(tmp_path)
    assert notices[-1] == StudyEnded(INTERRUPTED)
    store.close()
    before = stored(tmp_path)[:3]
    backend = FakeBackend(2)
    tune(reopened(tmp_path), StopOptions(trials=9), backend)
    assert states(tmp_path) == ["complete"] * 9
    assert stored(tmp_path)[:3] == before
    assert sorted(task.id for task in backend.submitted) == list(range(3, 9))


def test_a_given_back_trial_keeps_its_configuration(tmp_path: Path) -> None:
    def interrupted(task: Task) -> Training:
        raise KeyboardInterrupt
        yield

    store = study(tmp_path).store
    tune(store, StopOptions(trials=2), FakeBackend(1, interrupted))
    store.close()
    waiting = stored(tmp_path)
    notices: list[Notice] = []
    tune(reopened(tmp_path), StopOptions(trials=2), notices=notices)
    started = [n.config for n in notices if isinstance(n, TrialStarted)]
    assert started[: len(waiting)] == [r.config for r in waiting]


def test_two_objectives(tmp_path: Path) -> None:
    made = study(tmp_path, runtime_objective=True)
    tune(made.store, StopOptions(trials=5))
    for record, frozen in zip(made.records(), made.store.finished(), strict=True):
        assert frozen.values == [record.value, record.seconds]

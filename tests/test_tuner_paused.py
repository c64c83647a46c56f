"""Trials that pause and go on: in the loop, in the storage, and after a kill."""

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from tuning import (
    LOOPS,
    FakeBackend,
    Training,
    WorkerGoneError,
    loss_of,
    report,
    space,
    study,
    tune,
)

from topk_tune.backends.base import Event, Finished, Kept, Task
from topk_tune.backends.local import LocalBackend
from topk_tune.engine.events import Notice, TrialPaused, TrialStarted
from topk_tune.engine.halving import Halving
from topk_tune.engine.loop import INTERRUPTED
from topk_tune.engine.paused_trials import PausedTrials
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.running_trial import RunningTrial
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import SeedRun, TrialRecord
from topk_tune.spaces import Fixed, Int
from topk_tune.storage import Location, Store
from topk_tune.study.rows import tuning_rows
from topk_tune.training.training import Progress

TRIALS = 9
RUNG = Halving(LOOPS).steps[0]


def continuing(task: Task) -> Training:
    """What a training would report, from where it was kept."""
    first = 1 if task.start is None else task.start.progress.loop + 1
    for loop in range(first, task.config["loops"] + 1):
        yield task.seeds[0], report(loop, loss_of(task.config, task.seeds[0], loop))


class KeepingBackend(FakeBackend):
    """Workers that keep what they are asked to; states are numbers here."""

    def __init__(self, workers: int = 1, **options: Any) -> None:
        super().__init__(workers, continuing, **options)

    def _step(self, task: int) -> Event:
        event = super()._step(task)
        if isinstance(event, Finished) and task in self._stopped:
            self._stopped.remove(task)
            kept = Kept(0, Progress(self.trained(task)), size=1, state=task)
            return Finished(task, kept)
        return event

    def trained(self, task: int) -> int:
        return RUNG


def records(folder: Path) -> list[TrialRecord]:
    return Store.open(Location.of(str(folder)), "s").records()


@pytest.mark.parametrize("workers", [1, 3])
def test_a_third_of_the_trials_go_on_where_they_were(tmp_path: Path, workers: int) -> None:
    store, backend = study(tmp_path, pruner="asha").store, KeepingBackend(workers)
    notices: list[Notice] = []
    reason = tune(store, StopOptions(trials=TRIALS), backend, notices=notices)
    assert reason == f"all {TRIALS} trials are done"
    found = records(tmp_path)
    best = sorted(found, key=lambda r: loss_of(r.config, 0, RUNG))[: TRIALS // 3]
    complete = [r for r in found if r.state == "complete"]
    assert {r.number for r in best} <= {r.number for r in complete}
    assert {r.state for r in found} == {"complete", "pruned"}
    for record in found:
        loops = LOOPS if record.state == "complete" else RUNG
        assert record.curve == [loss_of(record.config, 0, n) for n in range(1, loops + 1)]
    paused = {notice.record.number for notice in notices if isinstance(notice, TrialPaused)}
    continued = [task for task in backend.submitted if task.start is not None]
    assert {task.id for task in continued} <= paused
    assert all(task.start and task.start.progress.loop == RUNG for task in continued)
    started = [notice.number for notice in notices if isinstance(notice, TrialStarted)]
    assert len(started) == TRIALS + len(continued)
    assert {kept.state for kept in backend.dropped} == paused  # nothing is kept after the end
    assert all(record.attempts == 1 for record in found)


@pytest.mark.parametrize("pruner", ["asha", "thaw"])
def test_a_study_of_one_trial_completes_it(tmp_path: Path, pruner: str) -> None:
    tune(study(tmp_path, pruner=pruner).store, StopOptions(trials=1), KeepingBackend())
    assert [r.state for r in records(tmp_path)] == ["complete"]


@pytest.mark.parametrize("pruner", ["asha", "thaw"])
def test_an_interrupted_study_leaves_paused_trials_that_go_on(tmp_path: Path, pruner: str) -> None:
    store = study(tmp_path, pruner=pruner).store
    polls = iter(range(8))

    def interrupt() -> None:
        # Polls while the first trial waits for its number do not count: a slow disk has many.
        if backend.submitted and next(polls, None) is None:
            raise KeyboardInterrupt

    backend = KeepingBackend(on_poll=interrupt)
    assert tune(store, StopOptions(trials=TRIALS), backend) == INTERRUPTED
    store.close()
    halfway = records(tmp_path)
    assert "paused" in [r.state for r in halfway]
    again = Store.open(Location.of(str(tmp_path)), "s")
    again.drive()
    backend = KeepingBackend()
    tune(again, StopOptions(trials=TRIALS), backend)
    found = records(tmp_path)
    assert len(found) == TRIALS
    assert {r.state for r in found} == {"complete", "pruned"}
    for record in found:
        assert record.curve == [loss_of(record.config, 0, n + 1) for n in range(len(record.curve))]
    # States are lost with the driver: trials that go on are trained from their beginning.
    first = {task.id: task for task in reversed(backend.submitted)}
    assert all(task.start is None for number, task in first.items() if number < len(halfway))


def test_a_worker_lost_while_it_pauses_loses_the_state_only(tmp_path: Path) -> None:
    class Dying(KeepingBackend):
        def _step(self, task: int) -> Event:
            if task in self._stopped:
                self._running[task] = dies()
                self._stopped.remove(task)
            return super()._step(task)

    def dies() -> Training:
        raise WorkerGoneError("gone")
        yield

    tune(study(tmp_path, pruner="asha").store, StopOptions(trials=3), Dying())
    assert sorted(r.state for r in records(tmp_path)) == ["complete", "pruned", "pruned"]


def test_the_states_of_the_worst_trials_are_dropped_first() -> None:
    dropped: list[int] = []
    paused = PausedTrials(lambda kept: dropped.append(kept.state), room=2)
    for number, loss in enumerate([0.3, 0.1, 0.2, 0.4]):
        trial = RunningTrial(*[None] * 3, *[None] * 2)  # type: ignore[arg-type]
        trial.given = _number(number)
        trial.kept = Kept(0, Progress(1), size=1, state=number)
        trial.outcome = _paused(number, loss)
        paused.add(trial)
    assert dropped == [0, 3]
    assert all(number in paused.numbers for number in range(4))


def _number(number: int) -> Any:
    known: Future[int | None] = Future()
    known.set_result(number)
    return known


def _paused(number: int, loss: float) -> TrialRecord:
    return TrialRecord(number, "paused", {"loops": LOOPS}, (SeedRun(0, (report(1, loss),)),))


def test_samplers_see_a_trial_that_went_on_once(tmp_path: Path) -> None:
    made = study(tmp_path, pruner="asha")
    proposer = Proposer(made.settings, made.space)
    trial, config = proposer.ask("0") or pytest.fail("a trial must be proposed")
    run = RunningTrial(trial, config, (0,), made.settings.goal, _number(0))
    run.reports[0] = [report(1, 0.5), report(2, 0.4)]
    proposer.pause(trial, _paused(0, 0.4))
    states = [t.state.name for t in proposer._study.trials]
    assert states == ["PRUNED"]
    run.trial = proposer.go_on(run)
    assert [t.state.name for t in proposer._study.trials] == ["FAIL", "RUNNING"]
    assert proposer._study.trials[1].intermediate_values == {1: 0.5, 2: 0.4}


@pytest.mark.slow
def test_real_workers_continue_trainings_of_each_other_with_the_same_bits(tmp_path: Path) -> None:
    paused = study(tmp_path, space(n_learners=Int(1, 3), k=Fixed(2)), pruner="asha")
    backend = LocalBackend(2)
    rows = tuning_rows(paused.data(), paused.settings)
    backend.start(rows)
    try:
        tune(paused.store, StopOptions(trials=TRIALS), backend)  # type: ignore[arg-type]
    finally:
        backend.close()
    fake = FakeBackend(1, None)
    fake.start(rows)  # type: ignore[arg-type]
    found = paused.records()
    assert [r.state for r in found].count("complete") >= TRIALS // 3
    for record in found:
        fake.submit(Task(record.number, record.config, (0,), "read-only"))
        again = [fake.poll(0)[0] for _ in record.runs[0].reports]
        metrics = [event.report.metrics for event in again]  # type: ignore[union-attr]
        assert metrics == [each.metrics for each in record.runs[0].reports]
        fake.kill(record.number)

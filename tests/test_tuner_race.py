"""Seeds that only contenders get: in the loop, in the search, and in what counts as best."""

from pathlib import Path
from statistics import fmean

import pytest
from tuning import (
    LOOPS,
    FakeBackend,
    Training,
    loss_of,
    report,
    shown,
    space,
    study,
    tune,
)

from topk_tune.backends.base import Task
from topk_tune.backends.local import LocalBackend
from topk_tune.engine.loop import INTERRUPTED
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import SeedRun, TrialRecord, ranked
from topk_tune.spaces import Fixed, Int
from topk_tune.storage import Location, Store
from topk_tune.study.rows import tuning_rows

TRIALS, SEEDS = 18, 3


def records(folder: Path) -> list[TrialRecord]:
    return Store.open(Location.of(str(folder)), "s").records()


def whole(record: TrialRecord) -> list[SeedRun]:
    """The seeds that a trial has trained to the end."""
    return [run for run in record.runs if len(run.reports) == LOOPS]


def mean(record: TrialRecord, seeds: int) -> float:
    """The loss over the first seeds, which are the same for all trials."""
    return fmean(min(shown(run.reports)) for run in record.runs[:seeds])


@pytest.mark.parametrize("workers", [1, 4])
def test_the_best_of_those_with_as_many_seeds_get_another(tmp_path: Path, workers: int) -> None:
    store, backend = study(tmp_path, pruner="race", seeds=SEEDS).store, FakeBackend(workers)
    reason = tune(store, StopOptions(trials=TRIALS), backend)
    assert reason == f"all {TRIALS} trials are done"
    found = records(tmp_path)
    assert len(found) == TRIALS
    for seeds in range(1, SEEDS):
        same = sorted((r for r in found if len(whole(r)) >= seeds), key=lambda r: mean(r, seeds))
        go_on = same[: max(1, len(same) * seeds // (seeds + 1))]
        assert all(len(whole(record)) > seeds for record in go_on)
        assert len(go_on) < len(same)
    assert {r.state for r in found if len(whole(r)) < SEEDS} == {"pruned"}
    assert {r.state for r in found if len(whole(r)) == SEEDS} == {"complete"}
    for record in found:
        assert all(
            shown(run.reports) == [loss_of(record.config, run.seed, n + 1) for n in range(n_loops)]
            for run in record.runs
            if (n_loops := len(run.reports))
        )


def test_every_seed_is_a_task_and_none_is_trained_twice(tmp_path: Path) -> None:
    backend = FakeBackend(2)
    tune(
        study(tmp_path, pruner="race", seeds=SEEDS).store,
        StopOptions(trials=TRIALS),
        backend,
    )
    later = [(task.id, task.seeds) for task in backend.submitted if task.seeds != (0,)]
    assert later
    assert all(len(seeds) == 1 for _, seeds in later)
    assert len(set(later)) == len(later)
    assert sum(len(whole(r)) for r in records(tmp_path) if len(whole(r)) > 1) < SEEDS * TRIALS / 2


def test_a_lucky_seed_does_not_make_the_best(tmp_path: Path) -> None:
    def lucky(task: Task) -> Training:
        for seed in task.seeds:
            for loop in range(1, LOOPS + 1):
                bad = 0.9 if seed else 0.01
                yield seed, report(loop, bad if task.id == 5 else 0.3 + task.id / 100)

    backend = FakeBackend(1, lucky)
    tune(study(tmp_path, pruner="race", seeds=SEEDS).store, StopOptions(trials=TRIALS), backend)
    found = records(tmp_path)
    assert min(found, key=lambda r: mean(r, 1)).number == 5
    assert len(whole(found[5])) == 2  # it was a contender, and is none on the seeds of the others
    best = ranked(found)[0]
    assert best.number != 5
    assert best.usable_runs == SEEDS


def test_a_resumed_study_trains_only_the_seeds_that_are_missing(tmp_path: Path) -> None:
    store = study(tmp_path, pruner="race", seeds=SEEDS).store
    backend = FakeBackend()

    def waits_with_a_seed() -> bool:
        waiting = [r for r in records(tmp_path) if r.state == "paused"]
        return any(whole(record) for record in waiting)

    def interrupt() -> None:
        if len(backend.submitted) > TRIALS / 2 and waits_with_a_seed():
            raise KeyboardInterrupt

    backend = FakeBackend(on_poll=interrupt)
    assert tune(store, StopOptions(trials=TRIALS), backend) == INTERRUPTED
    store.close()
    had = {r.number: len(whole(r)) for r in records(tmp_path) if r.state == "paused"}
    again = Store.open(Location.of(str(tmp_path)), "s")
    again.drive()
    backend = FakeBackend()
    tune(again, StopOptions(trials=TRIALS), backend)
    found = records(tmp_path)
    assert {r.state for r in found} == {"complete", "pruned"}
    assert len(ranked(found)[0].runs) == SEEDS
    for task in backend.submitted:
        assert task.seeds[0] >= had.get(task.id, 0)
    for record in found:
        for run in record.runs:
            expected = [loss_of(record.config, run.seed, n + 1) for n in range(len(run.reports))]
            assert shown(run.reports) == expected


def test_the_search_sees_the_mean_over_seeds_after_each(tmp_path: Path) -> None:
    longest = study(tmp_path, space(loops=Int(2, 4)), pruner="race", seeds=2)
    proposer = Proposer(longest.settings, longest.space)
    runs = [[report(1, 0.5), report(2, 0.1)], [report(1, 0.4), report(2, 0.3)]]
    steps = proposer.steps({"loops": 2}, runs)
    assert steps == {1: 0.5, 2: 0.1, 4: 0.1, 5: 0.4, 6: 0.3, 8: pytest.approx(0.2)}


def test_all_loops_of_a_seed_count_although_other_seeds_are_missing() -> None:
    config = {"loops": 2, "schedule": "linear"}
    full, half = (SeedRun(0, tuple(report(n + 1, 0.2) for n in range(loops))) for loops in (2, 1))
    assert TrialRecord(0, "paused", config, (full,)).usable_runs == 1
    assert TrialRecord(0, "paused", config, (full, half)).usable_runs == 1
    assert TrialRecord(0, "paused", config, (half,)).usable_runs == 0
    assert TrialRecord(0, "failed", config, (full,)).usable_runs == 0


@pytest.mark.slow
def test_real_workers_train_the_same_bits_seed_by_seed(tmp_path: Path) -> None:
    made = study(tmp_path, space(n_learners=Int(1, 3), k=Fixed(2)), pruner="race", seeds=2)
    backend = LocalBackend(2)
    rows = tuning_rows(made.data(), made.settings)
    backend.start(rows)
    try:
        tune(made.store, StopOptions(trials=12), backend)  # type: ignore[arg-type]
    finally:
        backend.close()
    fake = FakeBackend(1, None)
    fake.start(rows)  # type: ignore[arg-type]
    found = made.records()
    assert {len(whole(record)) for record in found} == {0, 1, 2}
    for record in found:
        for run in record.runs:
            fake.submit(Task(record.number, record.config, (run.seed,), "read-only"))
            again = [fake.poll(0)[0] for _ in run.reports]
            metrics = [event.report.metrics for event in again]  # type: ignore[union-attr]
            assert metrics == [each.metrics for each in run.reports]
            fake.kill(record.number)

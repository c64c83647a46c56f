"""Tables of learning curves, and searches that replay them."""

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.curves.collect import SECONDS, Job, _missing, kept
from benchmarks.curves.plain_optuna import search_plainly
from benchmarks.curves.portfolio import portfolio
from benchmarks.curves.scores import Aims, regret, score, time_to
from benchmarks.curves.search import Known, Method, Outcome, search
from benchmarks.curves.surrogate import Curve, Encoder
from benchmarks.curves.table import CurveTable
from benchmarks.curves.tasks import Task as Cell
from benchmarks.curves.tasks import random_configurations
from benchmarks.curves.workers import ReplayedWorkers
from topk_tune.backends.base import Event, Finished, Reported, Task
from topk_tune.spaces import Choice, Fixed, Float, Int, Space

pytestmark = pytest.mark.slow  # a benchmark, which others need not run at each change

LOOPS = 4
SPACE = Space(
    {
        "algorithm": Fixed("topada"),
        "loops": Fixed(LOOPS),
        "n_learners": Int(10, 100, step=10),
        "rho": Float(0.01, 1.0, log=True),
        "exploration": Choice(["uniform", "single-swap"]),
    }
)


def known_table(count: int = 12) -> CurveTable:
    """Losses that fall with loops and are least at rho 0.1; seconds grow with the learners."""
    configs = list(islice(random_configurations(SPACE), count))
    values = np.empty((count, 2, LOOPS, 2))
    for row, config in enumerate(configs):
        for seed in (0, 1):
            for loop in range(LOOPS):
                loss = 0.2 + 0.1 * abs(np.log10(config["rho"]) + 1) + 0.05 / (loop + 1)
                values[row, seed, loop] = loss + 0.001 * seed, (loop + 1) * config["n_learners"]
    return CurveTable(SPACE, configs, ["shown_loss", SECONDS], values.astype(np.float32))


@pytest.fixture(scope="module")
def known() -> Known:
    return Known.of(known_table())


def task(number: int, name: str, loops: int = 2) -> Task:
    return Task(number, {"name": name, "loops": loops}, (0,), "read-only")


def curve_of(config: Any, seed: int) -> Curve:
    """The curve of a task by its name: seconds a loop, and losses that tell it."""
    step = {"quick": 1.0, "slow": 2.5}[config["name"]]
    return Curve(step / 10 - np.arange(9) / 100, step * np.arange(1, 10))


def polled(workers: ReplayedWorkers, count: int) -> list[tuple[float, Event]]:
    seen: list[tuple[float, Event]] = []
    while len(seen) < count:
        seen += [(workers.now, event) for event in workers.poll(0.25)]
    return seen


def test_reports_come_in_the_order_of_their_times() -> None:
    workers = ReplayedWorkers(2, curve_of)
    workers.submit(task(0, "quick"))
    workers.submit(task(1, "slow"))
    assert workers.free() == 0
    before = polled(workers, 3)
    workers.submit(task(2, "quick"))  # by the worker that is free since second 2
    seen = before + polled(workers, 6)
    assert [(at, type(event), event.task) for at, event in seen] == [
        (1.0, Reported, 0),
        (2.0, Reported, 0),
        (2.0, Finished, 0),
        (2.5, Reported, 1),
        (3.0, Reported, 2),
        (4.0, Reported, 2),
        (4.0, Finished, 2),
        (5.0, Reported, 1),
        (5.0, Finished, 1),
    ]
    assert workers.free() == 2
    assert workers.busy == 1 + 1 + 2.5 + 1 + 1 + 2.5


def test_a_report_has_the_loss_and_the_seconds_of_its_loop() -> None:
    workers = ReplayedWorkers(1, curve_of)
    workers.submit(task(0, "slow"))
    reports = [event.report for _, event in polled(workers, 3) if isinstance(event, Reported)]
    assert [(r.loop, r.metrics["shown_loss"], r.seconds) for r in reports] == [
        (1, pytest.approx(0.25), 2.5),
        (2, pytest.approx(0.24), 5.0),
    ]


@pytest.mark.parametrize(("prompt", "ends"), [(True, 2.5), (False, 5.0)])
def test_a_stopped_task_ends_at_once_only_if_workers_are_prompt(prompt: bool, ends: float) -> None:
    workers = ReplayedWorkers(1, curve_of, prompt=prompt)
    workers.submit(task(0, "slow", loops=9))
    polled(workers, 1)
    workers.stop(0)
    *_, (at, event) = polled(workers, 1 if prompt else 2)
    assert (at, event) == (ends, Finished(0))
    assert workers.free() == 1


def test_time_stands_still_while_a_free_worker_waits_for_its_task() -> None:
    workers = ReplayedWorkers(2, curve_of)
    workers.submit(task(0, "quick"))
    assert workers.poll(0.005) == []
    assert workers.now == 0.0


def test_a_search_gives_the_same_result_twice(known: Known) -> None:
    first, again = (search(known, Method(), 3, 5, 20 * known.trial_seconds) for _ in range(2))
    assert np.array_equal(first.core_seconds, again.core_seconds)
    assert np.array_equal(first.best, again.best)


def test_a_search_without_pruning_takes_the_seconds_of_its_trials(known: Known) -> None:
    configs = tuple(known.table.configs[:3])
    times = [known.surrogate.curve(config, 0).seconds[-1] for config in configs]
    method = Method("random", "none")
    found = search(known, method, 1, 0, sum(times), configs)
    assert found.core_seconds[-1] == pytest.approx(sum(times))
    losses = [known.surrogate.curve(config, 0).loss for config in configs]
    assert found.best[-1] == pytest.approx(np.min(losses))
    assert len(found.best) == 3 * LOOPS


def test_fewer_loops_end_a_trial_earlier(known: Known) -> None:
    config = known.table.configs[0]
    seconds = known.surrogate.curve(config, 0).seconds
    found = search(known, Method("random", "none", loops=2), 1, 0, seconds[-1] * 0.99, (config,))
    assert found.trials > 1
    assert list(found.core_seconds[:2]) == pytest.approx(list(seconds[:2]))


def test_plain_optuna_sees_the_same_curves(known: Known) -> None:
    first, again = (search_plainly(known, 2, 0, 9 * known.trial_seconds) for _ in range(2))
    assert np.array_equal(first.best, again.best)
    assert first.core_seconds[-1] <= 9 * known.trial_seconds
    assert first.best[-1] < first.best[0]


def test_curves_of_trained_configurations_are_those_of_the_table(known: Known) -> None:
    table = known.table
    for row, config in enumerate(table.configs):
        for seed in (0, 1, 2):
            curve = known.surrogate.curve(config, seed)
            assert np.array_equal(curve.loss, table.of("shown_loss")[row, seed % 2])
            assert np.array_equal(curve.seconds, table.seconds[row, seed % 2])


def test_other_curves_are_plausible_and_always_the_same(known: Known) -> None:
    config = next(random_configurations(SPACE, seed=99))
    curve, again = (
        known.surrogate.curve(config, 0),
        Known.of(known_table()).surrogate.curve(config, 0),
    )
    assert np.array_equal(curve.loss, again.loss)
    assert (np.diff(curve.seconds) > 0).all()
    assert 0.15 < curve.loss.min() < 0.5


def test_points_of_the_unit_cube() -> None:
    config = {"n_learners": 100, "rho": 0.1, "exploration": "single-swap"}
    assert list(Encoder(SPACE)(config)) == pytest.approx([1.0, 0.5, 0.0, 1.0])


def test_a_table_is_read_as_it_was_saved(tmp_path: Path) -> None:
    table = known_table()
    table.save(tmp_path / "cell")
    read = CurveTable.read(tmp_path / "cell")
    assert read.configs == table.configs
    assert read.metrics == table.metrics
    assert read.space == table.space
    assert np.array_equal(read.values, table.values)


def test_the_trials_of_a_table_make_it_again() -> None:
    table = known_table(3)
    again = CurveTable.of_trials(SPACE, list(table.trials()))
    assert again.configs == table.configs
    assert np.array_equal(again.values, table.values)


def test_a_table_has_only_configurations_with_every_seed() -> None:
    curves = {"shown_loss": [0.3, 0.2], SECONDS: [1.0, 2.0]}
    trials = [
        {"place": place, "seed": seed, "config": {"rho": place}, "curves": curves}
        for place, seed in [(1, 0), (0, 1), (0, 0), (2, 0), (2, 1)]
    ]
    table = CurveTable.of_trials(SPACE, trials)
    assert table.configs == [{"rho": 0}]
    assert table.values.shape == (1, 2, 2, 2)
    assert list(table.seconds[0, 0]) == [1.0, 2.0]


def test_collecting_goes_on_after_a_kill(tmp_path: Path) -> None:
    cell = Cell("topada", "yeast")
    whole = json.dumps({"place": 0, "seed": 0, "config": {}, "curves": {}}) + "\n"
    (tmp_path / "topada-yeast.jsonl").write_text(whole + whole[:20], encoding="utf-8")
    wanted = [Job(cell, place, {}, seed) for place in (0, 1) for seed in (0, 1)]
    missing = list(_missing(iter(wanted), tmp_path))
    assert [(job.place, job.seed) for job in missing] == [(0, 1), (1, 0), (1, 1)]
    assert (tmp_path / "topada-yeast.jsonl").read_text(encoding="utf-8") == whole
    assert [trial["place"] for trial in kept(cell, tmp_path)] == [0]


def test_scores_of_a_search_by_hand() -> None:
    outcome = Outcome(np.array([1.0, 4.0, 9.0]), np.array([0.4, 0.204, 0.2]), 3)
    assert time_to(outcome, 0.205, 20.0) == 4.0
    assert time_to(outcome, 0.1, 20.0) == 20.0
    assert list(regret(outcome, 0.2, np.array([0.5, 4.0, 10.0]))) == pytest.approx([100, 2, 0])
    found = score(outcome, Aims(best=0.2, even=0.4), unit=2.0, trials=10, marks=(1, 5))
    assert (found.even, found.near, found.nearer) == (0.5, 2.0, 4.5)
    assert list(found.marks) == pytest.approx([100, 0])


def test_a_portfolio_begins_with_what_is_best_elsewhere(known: Known) -> None:
    losses = known.table.of("shown_loss").min(axis=2).mean(axis=1)
    best = known.table.configs[int(losses.argmin())]
    chosen = portfolio([known], SPACE, 3)
    assert chosen[0] == best
    assert len(chosen) == 3
    few = SPACE.fixed(n_learners=best["n_learners"])
    assert all(config["n_learners"] == best["n_learners"] for config in portfolio([known], few, 9))


def test_a_paused_task_goes_on_with_the_next_loop() -> None:
    workers = ReplayedWorkers(1, curve_of, prompt=True)
    workers.submit(replace(task(0, "slow", loops=3), keep=True))
    polled(workers, 1)
    workers.stop(0)
    ((_, finished),) = polled(workers, 1)
    assert isinstance(finished, Finished)
    assert finished.kept is not None
    assert finished.kept.progress.loop == 1
    workers.submit(replace(task(0, "slow", loops=3), keep=True, start=finished.kept))
    seen = [(at, e.report.loop) for at, e in polled(workers, 3) if isinstance(e, Reported)]
    assert seen == [(5.0, 2), (7.5, 3)]


def test_a_search_that_pauses_trains_no_loop_twice(
    known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, begin = [], ReplayedWorkers._begin_loop

    def noted(workers: ReplayedWorkers, run: Any) -> None:
        begun.append((run.task.id, run.loop))
        begin(workers, run)

    monkeypatch.setattr(ReplayedWorkers, "_begin_loop", noted)
    search(known, Method("random", "asha"), 2, 0, 60 * known.trial_seconds)
    assert len(begun) == len(set(begun))
    last = LOOPS - 1
    assert {task for task, loop in begun if loop == last} < {task for task, _ in begun}

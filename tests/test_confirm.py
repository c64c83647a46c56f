"""The best configurations on fresh seeds and the test rows."""

import json
from pathlib import Path

import numpy as np
import pytest
from messages import says
from tuning import (
    DATA,
    FakeBackend,
    FakeResources,
    Training,
    WorkerGoneError,
    report,
    settings,
    shown,
    space,
    study,
    tune,
)

from topk_tune.backends.base import Task
from topk_tune.backends.work import work
from topk_tune.commands.status import study_row as status_row
from topk_tune.data import load
from topk_tune.data.split import fold_rows
from topk_tune.engine.stopping import StopOptions
from topk_tune.export.config import best_config, exported
from topk_tune.records.trials import Confirmation, SeedRun, ranked
from topk_tune.report.content import Content
from topk_tune.spaces import Choice, Fixed
from topk_tune.storage import Location
from topk_tune.study import confirm as confirm_module
from topk_tune.study.confirm import FRESH, FRESH_HELD, confirm, confirmations, fresh_holdout
from topk_tune.study.confirmed_figures import ranking
from topk_tune.study.study import Study
from topk_tune.training.training import run_trial
from topk_tune.training.trial import FoldedRows, TrialConfig, train_booster
from topk_tune.training.trial import test_rows as all_rows

DATASET = load(DATA)


def tuned(folder: Path, trials: int = 4) -> Study:
    made = study(folder, seed=2)
    tune(made.store, StopOptions(trials=trials))
    return made


def confirmed(
    made: Study, backend: FakeBackend, top: int = 2, seeds: int = 3
) -> list[Confirmation]:
    return confirm(made, top, seeds, FakeResources(made=backend, retries=1))


def test_finalists_are_ranked_anew_on_rows_that_were_held_out_otherwise(tmp_path: Path) -> None:
    made = tuned(tmp_path)
    results = confirmed(made, FakeBackend(2, train=None))
    assert {r.trial for r in results} == {r.number for r in ranked(made.records())[:2]}
    rule = f"folds:4:{FRESH_HELD}"
    fold = fold_rows(len(DATASET.X_train), rule)
    rows = FoldedRows(DATASET.X_train, DATASET.Y_train, fold)
    for result in results:
        held = result.held
        assert held.seeds == [FRESH_HELD + 2, FRESH_HELD + 3, FRESH_HELD + 4]
        assert result.holdout == rule
        config = TrialConfig.of(result.config)
        last = [list(run_trial(config, seed, rows, "read-only"))[-1] for seed in held.seeds]
        assert held.values == shown(last)
        assert held.value == pytest.approx(np.mean(shown(last)))
        assert held.spread == pytest.approx(np.std(shown(last), ddof=1))
    assert results == sorted(results, key=lambda r: r.held.value)


def test_only_the_first_is_tested_with_fresh_seeds_in_every_way(tmp_path: Path) -> None:
    first, *others = confirmed(tuned(tmp_path), FakeBackend(2, train=None), top=3)
    assert [other.runs for other in others] == [(), ()]
    with pytest.raises(ValueError, match="measured on these rows"):
        assert others[0].value
    assert first.seeds == [FRESH + 2, FRESH + 3, FRESH + 4]
    config, rows = TrialConfig.of(first.config), all_rows(DATASET)
    for run in first.runs:
        metrics = run.reports[-1].metrics
        (*_, learning) = run_trial(config, run.seed, rows, "paper")
        (*_, frozen) = run_trial(config, run.seed, rows, "read-only")
        order = np.random.default_rng(run.seed).permutation(len(rows.X_measure))
        mixed = rows._replace(X_measure=rows.X_measure[order], Y_measure=rows.Y_measure[order])
        (*_, shuffled) = run_trial(config, run.seed, mixed, "paper")
        assert metrics.items() >= learning.metrics.items()
        for name in ("shown_loss", "greedy_loss", "ties"):
            assert metrics[f"frozen/{name}"] == frozen.metrics[name]
            assert metrics[f"shuffled/{name}"] == shuffled.metrics[name]
        assert metrics["frozen/average_precision"] == frozen.metrics["average_precision"]
        assert "frozen/stream_loss" not in metrics  # of the training, whatever came after it


def test_the_first_by_held_out_rows_is_tested_even_if_another_won_the_search(
    tmp_path: Path,
) -> None:
    made = tuned(tmp_path)
    last = ranked(made.records())[2].number

    def upside_down(task: Task) -> Training:
        numbers = {json.dumps(r.best_config): r.number for r in made.records()}
        better = numbers[json.dumps(task.config)] == last
        yield task.seeds[0], report(6, 0.1 if better else 0.2)

    first, *_ = confirmed(made, FakeBackend(1, upside_down), top=3)
    assert first.trial == last and first.runs


@pytest.mark.parametrize(
    ("holdout", "fresh"),
    [
        ("random:0.25:0", f"folds:4:{FRESH_HELD}"),
        ("random:0.3:7", f"folds:3:{FRESH_HELD + 7}"),
        ("random:0.75:7", f"folds:2:{FRESH_HELD + 7}"),
        ("random:0.01:7", f"folds:56:{FRESH_HELD + 7}"),
        ("folds:5:1", f"folds:5:{FRESH_HELD + 1}"),
        ("tail:0.25", "tail:0.25"),
    ],
)
def test_parts_are_drawn_anew_unless_they_are_the_end_of_the_file(holdout: str, fresh: str) -> None:
    assert fresh_holdout(settings(holdout=holdout), 56) == fresh


def test_a_study_by_the_test_rows_tests_all_finalists(tmp_path: Path) -> None:
    made = study(tmp_path, protocol="paper")
    tune(made.store, StopOptions(trials=4))
    results = confirmed(made, FakeBackend(1, train=None))
    assert [(len(r.runs), bool(r.held)) for r in results] == [(3, False), (3, False)]
    assert results == sorted(results, key=lambda r: r.value)
    assert "chosen on the test rows (protocol paper)" in ranking(results, made.settings).title


def test_what_earlier_versions_tested_is_ranked_anew_and_tested_in_every_way(
    tmp_path: Path,
) -> None:
    made = tuned(tmp_path)
    for record in ranked(made.records())[:2]:
        runs = tuple(SeedRun(FRESH + 2 + i, (report(6, 0.3),)) for i in range(3))
        confirm_module._keep(made, Confirmation(record.number, record.best_config, runs))
    old = confirmations(made)
    assert [bool(each.held) for each in old] == [False, False]
    says(ranking(old, made.settings).title, "test rows", "not ranked again")
    first, second = confirmed(made, FakeBackend(1, train=None))
    assert first.held and second.held
    assert "frozen/shown_loss" in first.metrics
    assert first.values != [0.3, 0.3, 0.3]
    assert second.values == [0.3, 0.3, 0.3]  # not tested again, and not forgotten


def test_a_single_finalist_is_tested_without_a_ranking(tmp_path: Path) -> None:
    made = tuned(tmp_path)
    (only,) = confirmed(made, FakeBackend(1, train=None), top=1)
    assert (len(only.runs), bool(only.held)) == (3, False)
    assert only.trial == ranked(made.records())[0].number


def test_who_was_ranked_first_before_stays_the_one_to_be_tested(tmp_path: Path) -> None:
    made = tuned(tmp_path)
    first, *_ = confirmed(made, FakeBackend(1, train=None), top=4)
    backend = FakeBackend(1, train=None)
    assert confirmed(made, backend, top=1, seeds=4)[0].trial == first.trial
    assert [task.seeds for task in backend.submitted] == [(FRESH + 5,)]


def test_a_better_trial_of_a_resumed_study_is_ranked_with_who_was_first(tmp_path: Path) -> None:
    made = tuned(tmp_path)
    first, *_ = confirmed(made, FakeBackend(1, train=None), seeds=4)
    tune(made.store, StopOptions(trials=40))
    new = ranked(made.records())[0].number
    assert new >= 4

    def interrupted(task: Task) -> Training:
        if task.id == 1:
            raise KeyboardInterrupt
        yield from work(task, all_rows(DATASET), lambda: False)

    with pytest.raises(KeyboardInterrupt):
        confirmed(made, FakeBackend(1, interrupted), top=1, seeds=2)
    assert confirmations(made)[0] == first
    backend = FakeBackend(1, train=None)
    after = confirmed(made, backend, top=1, seeds=2)
    seen = [(task.config, task.seeds) for task in backend.submitted if task.measure == "read-only"]
    config = made.records()[new].best_config
    assert seen == [(config, (FRESH_HELD + 2 + i,)) for i in range(1, 4)]
    assert {len(each.held_runs) for each in after} == {4}
    assert after[0].runs and after[0].held.value <= first.held.value


def test_who_has_fewer_seeds_is_not_first_by_luck(tmp_path: Path) -> None:
    made = tuned(tmp_path)
    results = confirmed(made, FakeBackend(1, train=None), top=2, seeds=3)
    third = ranked(made.records())[2]
    lucky = (SeedRun(FRESH_HELD + 2, (report(6, 0.0),)),)
    confirm_module._keep(made, Confirmation(third.number, third.best_config, (), held_runs=lucky))
    assert confirmations(made)[:2] == results


def test_what_is_only_ranked_is_not_called_confirmed(tmp_path: Path) -> None:
    made = tuned(tmp_path)
    (best, *_) = ranked(made.records())
    held = (SeedRun(FRESH_HELD + 2, (report(6, 0.2),)),)
    config = best.best_config
    confirm_module._keep(made, Confirmation(best.number, config, (), held_runs=held))
    provenance = best_config(made)["provenance"]
    assert provenance["confirmed"] is False
    assert provenance["note"] == "ranked anew, not tested yet"
    row = status_row(made)
    assert (row["confirmed_trial"], row["note"]) == (None, "ranked anew, not tested yet")
    assert Content.of(made).context.test == ()
    confirmed(made, FakeBackend(1, train=None))
    assert "note" not in best_config(made)["provenance"]
    assert status_row(made)["note"] is None
    assert Content.of(made).context.test


def test_progress_counts_the_ranking_and_the_test(tmp_path: Path) -> None:
    heard: list[tuple[int, int]] = []
    machines = FakeResources(made=FakeBackend(1, train=None))
    confirm(tuned(tmp_path), 2, 3, machines, done=lambda *now: heard.append(now))
    assert heard == [(i, 9) for i in range(1, 10)]


def test_the_best_number_of_loops_is_confirmed(tmp_path: Path) -> None:
    made = study(tmp_path)
    made.run(StopOptions(trials=3), FakeResources(made=FakeBackend(1, train=None)))
    for result in confirmed(made, FakeBackend(1, train=None), top=3):
        assert result.config["loops"] == made.records()[result.trial].best_loop


def test_what_was_confirmed_is_not_trained_again(tmp_path: Path) -> None:
    made = tuned(tmp_path)
    confirmed(made, FakeBackend(1, train=None))
    backend = FakeBackend(1, train=None)
    again = Study.open(Location.of(str(tmp_path)), "s")
    assert confirmed(again, backend) == confirmations(made)
    assert not backend.submitted
    confirmed(again, backend, top=3, seeds=4)
    ranking_again = [task for task in backend.submitted if task.measure == "read-only"]
    assert len(ranking_again) == 3 * 4 - 2 * 3


def test_a_configuration_that_was_tried_twice_is_confirmed_once(tmp_path: Path) -> None:
    two = space(n_learners=Choice([1, 2]), rho=Fixed(0.1))
    made = study(tmp_path, two, sampler="random")
    tune(made.store, StopOptions(trials=8))
    results = confirmed(made, FakeBackend(1, train=None), top=2)
    assert sorted(r.config["n_learners"] for r in results) == [1, 2]


def test_a_lost_worker_is_made_up_for(tmp_path: Path) -> None:
    lost: list[int] = []

    def dies_once(task: Task) -> Training:
        if not lost:
            lost.append(task.id)
            raise WorkerGoneError("gone")
        yield from work(task, all_rows(DATASET), lambda: False)

    results = confirmed(tuned(tmp_path), FakeBackend(1, dies_once))
    assert [len(r.held_runs) for r in results] == [3, 3]
    assert lost


def test_too_many_lost_workers_are_an_error(tmp_path: Path) -> None:
    def gone(task: Task) -> Training:
        raise WorkerGoneError("the worker was ended by signal 9")
        yield

    with pytest.raises(RuntimeError, match="ended by signal 9; tried 2 times"):
        confirmed(tuned(tmp_path), FakeBackend(1, gone))


def test_what_was_confirmed_before_an_interruption_is_kept(tmp_path: Path) -> None:
    made = tuned(tmp_path)

    def interrupted(task: Task) -> Training:
        if task.id == 4:
            raise KeyboardInterrupt
        yield from work(task, all_rows(DATASET), lambda: False)

    with pytest.raises(KeyboardInterrupt):
        confirmed(made, FakeBackend(1, interrupted))
    backend = FakeBackend(1, train=None)
    assert [len(r.held_runs) for r in confirmed(made, backend)] == [3, 3]
    assert len([task for task in backend.submitted if task.measure == "read-only"]) == 2


def test_without_a_trial_there_is_nothing_to_confirm(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="study 's' has no trial to confirm"):
        confirmed(study(tmp_path), FakeBackend(1))
    with pytest.raises(ValueError, match="study 's' has no trial to export"):
        best_config(Study.open(Location.of(str(tmp_path)), "s"))


def test_an_export_says_whether_it_is_confirmed(tmp_path: Path) -> None:
    made = tuned(tmp_path)
    before = best_config(made)
    assert (before["provenance"]["confirmed"], before["data"]["dataset"]) == (False, DATA)
    results = confirmed(made, FakeBackend(1, train=None))
    after = best_config(made)
    assert after["config"] == results[0].config
    assert after["provenance"]["confirmed"] is True
    assert after["provenance"]["ranked_anew"] is True
    assert after["provenance"]["held_out_shown_loss"] == results[0].held.value
    assert after["provenance"]["held_out_spread"] == results[0].held.spread
    assert after["provenance"]["held_out_rows"] == results[0].holdout
    assert after["provenance"]["test_shown_loss"] == results[0].value
    assert after["provenance"]["test_frozen/shown_loss"] == results[0].metrics["frozen/shown_loss"]
    for name in ("shown_loss", "frozen/greedy_loss", "shuffled/shown_loss"):
        spread = after["provenance"]["test_spreads"][name]
        assert spread == results[0].spread_of(name)
    assert after["provenance"]["seeds"] == [FRESH + 2, FRESH + 3, FRESH + 4]
    assert len(exported(made, "csv").splitlines()) == 5


def test_training_the_confirmed_best_gives_its_booster(tmp_path: Path) -> None:
    (best, *_) = confirmed(tuned(tmp_path), FakeBackend(1, train=None))
    model = train_booster(best.config, best.runs[0].seed, DATASET)
    assert float(model.run(DATASET.X_test, DATASET.Y_test).shown_loss[0]) == best.values[0]

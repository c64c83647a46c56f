"""The best configurations on fresh seeds and the test rows."""

from pathlib import Path

import numpy as np
import pytest
from tuning import (
    DATA,
    FakeBackend,
    FakeMachines,
    Training,
    WorkerGoneError,
    shown,
    space,
    study,
    tune,
)

from topk_tune.backends.base import Task
from topk_tune.backends.work import work
from topk_tune.confirm import FRESH, confirm, confirmations
from topk_tune.data import load
from topk_tune.export import best_config, exported
from topk_tune.records import Confirmation, ranked
from topk_tune.spaces import Choice, Fixed
from topk_tune.stopping import StopRule
from topk_tune.storage import Location
from topk_tune.study import Study
from topk_tune.trial import TrialConfig, run_trial, train_booster
from topk_tune.trial import test_rows as all_rows
from topk_tune.tuner import Limits

DATASET = load(DATA)


def tuned(folder: Path, trials: int = 4) -> Study:
    made = study(folder, seed=2)
    tune(made.store, StopRule(trials=trials))
    return made


def confirmed(
    made: Study, backend: FakeBackend, top: int = 2, seeds: int = 3
) -> list[Confirmation]:
    return confirm(made, top, seeds, FakeMachines(made=backend), Limits(retries=1))


def test_fresh_seeds_all_training_rows_and_the_test_rows(tmp_path: Path) -> None:
    made = tuned(tmp_path)
    results = confirmed(made, FakeBackend(2, train=None))
    assert {r.trial for r in results} == {r.number for r in ranked(made.records())[:2]}
    for result in results:
        assert [run.seed for run in result.runs] == [FRESH + 2, FRESH + 3, FRESH + 4]
        config = TrialConfig.of(result.config)
        last = [
            list(run_trial(config, run.seed, all_rows(DATASET), "predict-then-learn"))[-1]
            for run in result.runs
        ]
        losses = shown(last)
        assert result.values == losses
        assert result.value == pytest.approx(np.mean(losses))
        assert result.spread == pytest.approx(np.std(losses, ddof=1))
    assert results == sorted(results, key=lambda r: r.value)


def test_the_best_number_of_loops_is_confirmed(tmp_path: Path) -> None:
    made = study(tmp_path)
    made.run(StopRule(trials=3), FakeMachines(made=FakeBackend(1, train=None)))
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
    assert len(backend.submitted) == 3 * 4 - 2 * 3


def test_a_configuration_that_was_tried_twice_is_confirmed_once(tmp_path: Path) -> None:
    two = space(n_learners=Choice([1, 2]), rho=Fixed(0.1))
    made = study(tmp_path, two, sampler="random")
    tune(made.store, StopRule(trials=8))
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
    assert [len(r.runs) for r in results] == [3, 3]
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
    assert [len(r.runs) for r in confirmed(made, backend)] == [3, 3]
    assert len(backend.submitted) == 2


def test_without_a_complete_trial_there_is_nothing_to_confirm(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="study 's' has no complete trial to confirm"):
        confirmed(study(tmp_path), FakeBackend(1))
    with pytest.raises(ValueError, match="study 's' has no complete trial to export"):
        best_config(Study.open(Location.of(str(tmp_path)), "s"))


def test_an_export_says_whether_it_is_confirmed(tmp_path: Path) -> None:
    made = tuned(tmp_path)
    before = best_config(made)
    assert (before["provenance"]["confirmed"], before["provenance"]["dataset"]) == (False, DATA)
    results = confirmed(made, FakeBackend(1, train=None))
    after = best_config(made)
    assert after["config"] == results[0].config
    assert after["provenance"]["confirmed"] is True
    assert after["provenance"]["test_shown_loss"] == results[0].value
    assert after["provenance"]["seeds"] == [FRESH + 2, FRESH + 3, FRESH + 4]
    assert len(exported(made, "csv").splitlines()) == 5


def test_training_the_confirmed_best_gives_its_booster(tmp_path: Path) -> None:
    (best, *_) = confirmed(tuned(tmp_path), FakeBackend(1, train=None))
    model = train_booster(best.config, best.runs[0].seed, DATASET)
    assert float(model.run(DATASET.X_test, DATASET.Y_test).shown_loss[0]) == best.values[0]

"""Whole studies with real, small boosters: every way to search, every way to give up."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from tuning import DATA, FakeBackend, FakeResources, shown, space, states, study

from topk_tune.data import load
from topk_tune.engine.pruners import PRUNERS
from topk_tune.engine.samplers import SAMPLERS
from topk_tune.engine.stopping import StopOptions
from topk_tune.spaces import Choice, Fixed, Float, Int, SpaceError
from topk_tune.storage import Location
from topk_tune.study.rows import tuning_rows
from topk_tune.study.study import Study, _warn_of_order
from topk_tune.training.training import run_trial
from topk_tune.training.trial import SplitRows, TrialConfig

GRID = space(loops=Fixed(3), n_learners=Choice([1, 2]), rho=Float(0.1, 0.3, step=0.1))


def real(workers: int = 2) -> FakeResources:
    """Workers that take turns in this process, and train."""
    return FakeResources(made=FakeBackend(workers, train=None))


def opened(folder: Path) -> Study:
    made = Study.open(Location.of(str(folder)), "s")
    made.store.drive()
    return made


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_every_sampler(tmp_path: Path, sampler: str) -> None:
    if sampler == "gp" and find_spec("torch") is None:
        pytest.skip("PyTorch is not installed")
    made = study(tmp_path, GRID if sampler == "grid" else None, sampler=sampler)
    assert made.run(StopOptions(trials=6), real()) == "all 6 trials are done"
    assert states(tmp_path) == ["complete"] * 6
    best = made.best()
    assert best is not None
    assert best.value is not None
    assert 0 < best.value < 0.6


@pytest.mark.parametrize("pruner", PRUNERS)
def test_every_pruner(tmp_path: Path, pruner: str) -> None:
    # Trees that learn enough from few rows to differ, and exploration that costs enough to.
    eager = space(tie_threshold=Fixed(0.5), rho=Float(0.05, 0.9))
    made = study(tmp_path, eager, pruner=pruner, seeds=5 if pruner == "wilcoxon" else 1)
    assert made.run(StopOptions(trials=14), real()) == "all 14 trials are done"
    assert set(states(tmp_path)) == {"complete"} | ({"pruned"} if pruner != "none" else set())


def test_a_trial_is_a_pure_function_of_its_configuration_and_seed(tmp_path: Path) -> None:
    made = study(tmp_path, seed=3, seeds=2)
    made.run(StopOptions(trials=3), real())
    rows = tuning_rows(load(DATA), made.settings)
    for record in made.records():
        for run in record.runs:
            here = run_trial(TrialConfig.of(record.config), run.seed, rows, "read-only")
            assert shown(run.reports) == shown(here)
        assert [run.seed for run in record.runs] == [3, 4]


def test_the_protocol_decides_which_rows_measure(tmp_path: Path) -> None:
    held, paper = study(tmp_path / "a"), study(tmp_path / "b", protocol="paper")
    data = load(DATA)
    rows = tuning_rows(data, paper.settings)
    assert np.array_equal(rows.X, data.X_train)
    assert np.array_equal(rows.X_measure, data.X_test)
    aside = tuning_rows(data, held.settings)
    held_out = {row.tobytes() for row in aside.X_measure}
    assert held_out | {row.tobytes() for row in aside.X} == {r.tobytes() for r in data.X_train}
    assert len(held_out) == len(aside.X_measure) == len(data.X_train) // 4
    paper.run(StopOptions(trials=1), real())
    (record,) = paper.records()
    here = run_trial(TrialConfig.of(record.config), 0, rows, "paper")
    assert shown(record.runs[0].reports) == shown(here)


def test_with_folds_every_row_measures_once_in_a_trial(tmp_path: Path) -> None:
    made = study(tmp_path, holdout="folds:3:0", seed=4, seeds=3)
    data = load(DATA)
    rows = tuning_rows(data, made.settings)
    measured = []
    for seed in (4, 5, 6):
        part = rows.of(seed)
        assert len(part.X) + len(part.X_measure) == len(data.X_train)
        assert not keys(part.X, part.Y) & keys(part.X_measure, part.Y_measure)
        measured += keys(part.X_measure, part.Y_measure)
    assert len(measured) == len(data.X_train)
    assert set(measured) == keys(data.X_train, data.Y_train)
    made.run(StopOptions(trials=1), real())
    (record,) = made.records()
    for run in record.runs:
        here = run_trial(TrialConfig.of(record.config), run.seed, rows.of(run.seed), "read-only")
        assert shown(run.reports) == shown(here)


def keys(X: np.ndarray, Y: np.ndarray) -> set[bytes]:
    """Rows that can be compared, features and labels."""
    return {x.tobytes() + y.tobytes() for x, y in zip(X, Y, strict=True)}


def test_a_grid_visits_every_point_once_also_after_a_resume(tmp_path: Path) -> None:
    made = study(tmp_path, GRID, sampler="grid")
    assert made.run(StopOptions(trials=4), real()) == "all 4 trials are done"
    made.store.close()
    made = opened(tmp_path)
    assert made.run(StopOptions(), real()) == "every point of the grid was tried"
    assert [record.config for record in made.records()] == GRID.grid()
    made.store.close()
    machines = real()
    assert opened(tmp_path).run(StopOptions(), machines) == "every point of the grid was tried"
    assert isinstance(machines.made, FakeBackend)
    assert not machines.made.submitted


def test_two_objectives_give_a_pareto_front(tmp_path: Path) -> None:
    made = study(tmp_path, runtime_objective=True)
    made.run(StopOptions(trials=8), real())
    storage = JournalStorage(JournalFileBackend(str(tmp_path / "s" / "journal.log")))
    front = optuna.load_study(study_name="s", storage=storage).best_trials
    points = {r.number: (r.value or 0.0, r.seconds) for r in made.records()}

    def dominated(one: tuple[float, float]) -> bool:
        return any(o != one and o[0] <= one[0] and o[1] <= one[1] for o in points.values())

    assert {t.number for t in front} == {n for n, p in points.items() if not dominated(p)}
    assert min(points, key=lambda n: points[n]) in {t.number for t in front}


def test_a_space_may_be_widened_later(tmp_path: Path) -> None:
    made = study(tmp_path, space(rho=Float(0.1, 0.2)))
    made.run(StopOptions(trials=12), real())
    wider = made.with_space(space(rho=Float(0.05, 0.9)))
    wider.run(StopOptions(trials=30), real())
    wider.store.close()
    records = opened(tmp_path).records()
    assert [r.state for r in records] == ["complete"] * 30
    assert all(0.1 <= r.config["rho"] <= 0.2 for r in records[:12])
    assert any(not 0.1 <= r.config["rho"] <= 0.2 for r in records[12:])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"rho": Choice([0.1, 0.2])}, "must keep the type of a parameter"),
        ({"rho": Float(0.05, 0.3, log=True)}, "must keep the scale of a range"),
        ({"rho": Float(0.05, 1.5)}, "rho"),  # no booster would take it
    ],
)
def test_a_space_that_the_study_cannot_go_on_with(
    tmp_path: Path, change: dict[str, Any], sentence: str
) -> None:
    made = study(tmp_path)
    with pytest.raises(SpaceError, match=sentence):
        made.with_space(space(**change))
    assert opened_settings(tmp_path) == made.settings


def opened_settings(folder: Path) -> Any:
    return Study.open(Location.of(str(folder)), "s").settings


def test_a_study_never_goes_on_with_other_data(tmp_path: Path) -> None:
    made = study(tmp_path, fingerprint="0" * 64)
    with pytest.raises(ValueError, match=r"other data: the fingerprint of .* 0000"):
        made.run(StopOptions(trials=1), real())


def test_nothing_is_made_of_a_space_that_the_data_does_not_allow(tmp_path: Path) -> None:
    with pytest.raises(SpaceError, match="k"):
        study(tmp_path, space(k=Int(2, 9)))  # of four labels
    assert list(tmp_path.iterdir()) == []


def test_the_budget_is_remembered_without_the_time(tmp_path: Path) -> None:
    made = study(tmp_path)
    made.run(StopOptions(trials=2, timeout=100, patience=5), real())
    assert StopOptions(**made.budget) == StopOptions(trials=2, patience=5)


def test_rows_sorted_by_label_are_noticed(caplog: pytest.LogCaptureFixture) -> None:
    labels = np.repeat(np.eye(4, dtype=np.uint8), 5, axis=0)
    features = np.zeros((20, 2), np.float32)
    half = slice(0, 10), slice(10, 20)
    _warn_of_order(
        SplitRows(features[half[0]], labels[half[0]], features[half[1]], labels[half[1]])
    )
    assert "2 of 4 labels are relevant in the measuring rows but never" in caplog.text
    caplog.clear()
    _warn_of_order(SplitRows(features[::2], labels[::2], features[1::2], labels[1::2]))
    assert not caplog.text

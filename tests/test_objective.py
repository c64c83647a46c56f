"""Studies by another objective, from the search to the report."""

import math
from pathlib import Path
from typing import Any

import optuna
import pytest
from tuning import FakeBackend, FakeResources, Training, settings, space, study, tune

from topk_tune.backends.base import Task
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.stopping import StopOptions
from topk_tune.export.config import best_config
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import SeedRun, TrialRecord, ranked
from topk_tune.report import write_report
from topk_tune.study.confirm import confirm
from topk_tune.study.study import Study
from topk_tune.training.metrics import MAIN_OF_LOGS, METRICS, WHILE_LEARNING, every_metric, metric
from topk_tune.training.objective import Objective
from topk_tune.training.trial import LoopReport

BOUND = 0.015
"""A cost of exploration that few random configurations keep to."""


def trained(folder: Path, **changes: Any) -> Study:
    made = study(folder, **changes)
    made.run(StopOptions(trials=6), FakeResources(made=FakeBackend(2, train=None)))
    return made


def searching(**changes: Any) -> Proposer:
    return Proposer(settings(**changes), space())


def dear(task: Task) -> Training:
    """The more is explored the better the greedy ranking, and the dearer what is shown."""
    rho = task.config["rho"]
    for seed in task.seeds:
        for loop in range(1, task.config["loops"] + 1):
            greedy = 0.4 - rho / 2 + 0.1 / loop
            metrics = {"greedy_loss": greedy, "shown_loss": (1 - rho) * greedy + rho / 2}
            metrics["ties"] = 0.003 / loop
            yield seed, LoopReport(loop, metrics, 0.1 * loop)


@pytest.mark.parametrize("objective", [name for name in METRICS if name not in MAIN_OF_LOGS])
def test_every_metric_can_be_searched_by(tmp_path: Path, objective: str) -> None:
    made = trained(tmp_path, objective=objective, seeds=2)
    records, best = made.records(), made.best()
    assert best is not None and best.value is not None
    pick = min if metric(objective).direction == "minimize" else max
    assert best.value == pick(r.value for r in records if r.value is not None)
    for record in records:
        assert record.value == pick(record.curve)
    frame = made.dataframe()
    assert frame[objective].tolist() == [r.value for r in records]
    assert {"shown_loss", "greedy_loss", "stream_loss"} <= set(frame)
    assert made.store.finished()[0].value == records[0].value
    page = write_report(made).read_text(encoding="utf-8")
    assert objective.replace("_", " ") in page


def test_more_is_better_to_stopping_too(tmp_path: Path) -> None:
    made = trained(tmp_path, objective="average_precision")
    best = made.best()
    assert best is not None and best.value is not None
    records = made.records()
    assert StopOptions(target=best.value).reason(records, 0) is not None
    assert StopOptions(target=best.value + 1e-9).reason(records, 0) is None


def test_what_cannot_be_measured_while_learning_is_tested_on_a_booster_that_stands_still(
    tmp_path: Path,
) -> None:
    made = trained(tmp_path, objective="coverage")
    found = confirm(made, 2, 2, FakeResources(made=FakeBackend(2, train=None)))
    assert [c.held.metric for c in found] == ["coverage"] * 2
    assert found[0].held.value <= found[1].held.value
    assert found[0].metric == "frozen/coverage"
    provenance = best_config(made)["provenance"]
    assert provenance["objective"] == "coverage"


@pytest.mark.parametrize(
    "metric", [m.name for m in every_metric() if m.needs not in WHILE_LEARNING]
)
def test_the_paper_s_protocol_has_no_rankings(metric: str) -> None:
    with pytest.raises(ValueError, match=f"protocol paper.* shown_loss.*but got {metric}"):
        searching(objective=metric, protocol="paper")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"objective": "los"}, "unknown objective 'los'"),
        ({"exploration_cost": -0.1}, "greater than or equal to 0"),
        ({"exploration_cost": 0.1, "objective": "ties"}, "must be greedy_loss, but got ties"),
        ({"exploration_cost": 0.1, "sampler": "cmaes"}, "sampler cmaes.*exploration_cost"),
    ],
)
def test_objectives_that_cannot_be(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        searching(**changes)


def test_a_cost_of_exploration_is_kept(tmp_path: Path) -> None:
    made = study(tmp_path, exploration_cost=BOUND, pruner="median", deterministic=True)
    assert made.settings.objective == "greedy_loss"
    tune(made.store, StopOptions(trials=40), FakeBackend(2, train=dear))
    records = made.records()
    means = {r.number: r.metrics for r in records}
    costs = {n: m["shown_loss"] - (m["greedy_loss"] - m["ties"]) for n, m in means.items()}
    best = made.best()
    assert best is not None and costs[best.number] <= BOUND
    kept = [r for r in ranked(records) if costs[r.number] <= BOUND]
    assert 0 < len(kept) < len(ranked(records))
    assert ranked(records)[: len(kept)] == kept
    assert best.value == min(r.value for r in kept if r.value is not None)
    # The search hears of it: it keeps to it more often than the first trials, which are random.
    within = [costs[r.number] <= BOUND for r in records]
    assert sum(within[20:]) / 20 > sum(within[:10]) / 10
    seen = [t for t in made.store.finished() if t.state == optuna.trial.TrialState.COMPLETE]
    for trial in seen:
        assert trial.constraints == {"exploration_cost": pytest.approx(costs[trial.number] - BOUND)}


def test_a_resumed_study_still_knows_the_cost(tmp_path: Path) -> None:
    made = study(tmp_path / "one", exploration_cost=BOUND, deterministic=True, pruner="none")
    tune(made.store, StopOptions(trials=16), FakeBackend(1, train=dear))
    again = study(tmp_path / "two", exploration_cost=BOUND, deterministic=True, pruner="none")
    for trials in (4, 11, 16):
        tune(again.store, StopOptions(trials=trials), FakeBackend(1, train=dear))
    assert [r.config for r in again.records()] == [r.config for r in made.records()]


def test_the_front_leaves_out_what_exceeds_the_bound(tmp_path: Path) -> None:
    made = study(tmp_path, exploration_cost=BOUND, runtime_objective=True)
    tune(made.store, StopOptions(trials=20), FakeBackend(1, train=dear))
    assert all(r.key[0] == 0 for r in made.pareto())


def test_the_best_loop_is_one_that_keeps_to_the_bound() -> None:
    goal = Objective.of("greedy_loss", 0.05)
    pairs = [(0.3, 0.33), (0.2, 0.3), (0.25, 0.29)]
    reports = tuple(
        LoopReport(i, {"greedy_loss": greedy, "shown_loss": shown, "ties": 0.0})
        for i, (greedy, shown) in enumerate(pairs, 1)
    )
    config = {"algorithm": "topada", "loops": 3}
    record = TrialRecord(0, "complete", config, (SeedRun(0, reports),), objective=goal)
    assert (record.best_loop, record.value) == (3, 0.25)
    assert record.metrics == {"greedy_loss": 0.25, "shown_loss": 0.29, "ties": 0.0}


def test_a_metric_that_was_not_measured_is_no_value() -> None:
    run = SeedRun(0, (LoopReport(1, {"greedy_loss": 0.2}),))
    record = TrialRecord(0, "complete", {"algorithm": "topada", "loops": 1}, (run,))
    assert (record.value, record.best_loop, record.curve) == (None, None, [])
    assert ranked([record]) == []
    assert math.isnan(Objective().value({}))


def test_settings_are_by_shown_loss_unless_they_say_otherwise() -> None:
    assert settings().goal == Objective("shown_loss", "minimize", None)
    assert StudySettings.model_fields["objective"].default == "shown_loss"

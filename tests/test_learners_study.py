"""A study that searches over all three kinds of learners, on Ray workers, seen in MLflow."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from learner_cases import LIBRARIES, library
from mlflow import MlflowClient
from tracking_cases import DATASET, SPACE, embedded, make_study, new_database, runs_of

from booster.tables import NATIVE
from topk_tune.backends.memory import largest_memory
from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import load
from topk_tune.engine.stopping import StopOptions
from topk_tune.session import confirm_tracked, run_tracked
from topk_tune.spaces import Choice, Fixed, Space
from topk_tune.study.plan import Plan
from topk_tune.study.study import Study
from topk_tune.training.trial import test_rows as all_rows

SMALL = {**SPACE.parameters, "loops": Fixed(1), "n_learners": Fixed(2), "rho": Fixed(0.1)}


def study_of(folder: Path, learners: tuple[str, ...]) -> Study:
    space = Space({**SMALL, "learner": Choice(learners)})
    made, _ = make_study(folder, space=space.to_dict(), sampler="grid", pruner="none")
    return made


@pytest.mark.slow
def test_all_three_run_on_ray_workers_and_are_a_parameter_in_mlflow(tmp_path: Path) -> None:
    for name in LIBRARIES:
        library(name)
    learners = (NATIVE, *LIBRARIES)
    made = study_of(tmp_path, learners)
    few = {"study_plots": False, "trial_files": False}
    new_database(tmp_path)
    tracking = embedded(tmp_path, finish_seconds=120, log=few)
    plan = Plan.resumed(made, StopOptions(trials=3), ResourceOptions("ray", workers=1))
    run_tracked(made, plan, [], tracking)
    records = made.records()
    assert [record.state for record in records] == ["complete"] * 3
    assert {record.config["learner"] for record in records} == set(learners)
    _, runs = runs_of(MlflowClient(tracking.tracking_uri))
    assert {run.data.params["learner"] for run in runs} == set(learners)


@pytest.mark.slow
def test_a_best_booster_that_cannot_be_saved_is_confirmed_without_a_model_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    made = study_of(tmp_path, ("river",))
    new_database(tmp_path)
    tracking = embedded(tmp_path, finish_seconds=0)
    machines = ResourceOptions("local", workers=1)
    made.run(StopOptions(trials=1), machines)
    with caplog.at_level(logging.INFO, logger="topk_tune"):
        confirmed = confirm_tracked(made, 1, 1, machines, lambda *_: None, tracking)
    assert [one.config["learner"] for one in confirmed] == ["river"]
    said = [record.message for record in caplog.records if "no model file" in record.message]
    assert len(said) == 1 and "'river'" in said[0]
    assert not list(tmp_path.rglob("*.npz"))


def test_a_trial_asks_for_the_memory_of_the_hungriest_learner() -> None:
    rows = all_rows(load(DATASET))
    native = largest_memory(Space(SMALL), rows)
    both = largest_memory(Space({**SMALL, "learner": Choice(("native", "river"))}), rows)
    assert both > native == largest_memory(Space({**SMALL, "learner": Fixed("native")}), rows)


def test_trees_without_a_limit_are_taken_to_be_large() -> None:
    rows = all_rows(load(DATASET))
    usual = largest_memory(Space(SMALL), rows)
    assert largest_memory(Space({**SMALL, "paper": Fixed(False)}), rows) == usual
    large = largest_memory(Space({**SMALL, "paper": Choice((True, False))}), rows)
    assert usual < large == largest_memory(Space({**SMALL, "max_nodes": Fixed(2550)}), rows)

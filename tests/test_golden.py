"""What the first version has written is read, resumed and reported."""

import json
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from databases import postgresql
from golden_cases import FIRST, NAME, restored
from mlflow import MlflowClient
from sqlalchemy import NullPool
from tracking_cases import embedded, history, new_database, runs_of
from tuning import FakeBackend, FakeResources

from topk_tune.engine.stopping import StopOptions
from topk_tune.export.config import exported
from topk_tune.records import codec
from topk_tune.records.trials import SeedRun
from topk_tune.report import write_report
from topk_tune.reproduce import outcome_file
from topk_tune.storage import store
from topk_tune.study.confirm import confirm, confirmations
from topk_tune.study.study import Study
from topk_tune.tracking import entries, spool
from topk_tune.tracking.figures import trial_points
from topk_tune.tracking.process import ALL_SENT
from topk_tune.tracking.writer import REFUSED, Finish, SpoolWriter

STATES = ["complete", "complete", "failed", "complete", "complete", "complete", "pruned"]
"""Of the first trials; the others differ from storage to storage."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgresql() as url:
        yield url


@pytest.fixture(params=["journal", "sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def study(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: Any) -> Study:
    monkeypatch.chdir(tmp_path)  # where the folder of a database study is made
    # Connections must not outlive the database that a test has for itself.
    monkeypatch.setattr(store, "RDBStorage", partial(unpooled, store.RDBStorage))
    server = request.getfixturevalue("server") if request.param == "postgresql" else ""
    return Study.open(restored(FIRST, request.param, tmp_path, server), NAME)


def unpooled(make: Any, url: str, engine_kwargs: dict[str, Any]) -> Any:
    return make(url, {**engine_kwargs, "poolclass": NullPool})


def greedy(run: SeedRun) -> list[float]:
    return [report.metrics["greedy_loss"] for report in run.reports]


def written_losses(study: Study) -> dict[int, list[list[float]]]:
    """The losses of each trial's seeds, read without any of our code."""
    trials = study.store.finished()
    runs = {trial.number: json.loads(trial.user_attrs["runs"]) for trial in trials}
    return {number: [run["loss"] for run in found] for number, found in runs.items()}


def test_an_old_study_is_read(study: Study) -> None:
    records, losses = study.records(), written_losses(study)
    assert [r.state for r in records[:7]] == STATES
    assert records[-1].state == "waiting"
    assert records[2].error is not None and "no such luck" in records[2].error
    for record in records[:7]:
        assert [greedy(run) for run in record.runs] == losses[record.number]
        assert all("hinge_loss" in r.metrics for run in record.runs for r in run.reports)
    assert records[6].value == 0.9
    assert study.settings.objective == "greedy_loss"  # by which it was searched
    assert study.budget == {"trials": 10, "target": None, "patience": 50}
    assert len(confirmations(study)) == 2


def test_an_old_study_goes_on(study: Study) -> None:
    known, best = study.records(), study.best()
    machines = FakeResources(made=FakeBackend(1, None))
    study.store.drive()
    assert study.run(StopOptions(trials=11), machines) == "all 11 trials are done"
    records = study.records()
    assert records[:7] == known[:7]
    assert len(records) == 11 and all(r.state != "waiting" for r in records)
    assert best is not None
    assert confirm(study, 1, 3, FakeResources(made=FakeBackend(1, None)))
    study.store.close()


def test_an_old_study_is_reported_and_exported(study: Study, tmp_path: Path) -> None:
    page = write_report(study, tmp_path / "report.html").read_text(encoding="utf-8")
    best = study.best()
    assert best is not None
    assert f"{best.value:.4f}" in page
    assert f"{confirmations(study)[0].value:.4f}" in page
    assert "confirmed: true" in exported(study, "yaml")
    assert len(exported(study, "csv").splitlines()) == 10


def test_an_old_spool_is_read() -> None:
    lines = [line.entry for line in spool.read(FIRST / "spool.jsonl")]
    assert isinstance(lines[0], entries.Study)
    settings = codec.read_settings(lines[0].settings, "the study")
    goal = settings.goal
    trials = [each.record_for(goal) for each in lines if isinstance(each, entries.Trial)]
    assert not any(isinstance(each, entries.Unreadable) for each in lines)
    loops = [each for each in lines if isinstance(each, entries.Loop)]
    assert loops[0].metrics == {
        "train_loss": 0.6964285714285714,
        "greedy_loss": 0.42261904761904756,
    }
    confirmed = next(each for each in lines if isinstance(each, entries.Confirmed))
    assert confirmed.metrics["greedy_loss"]["1000000"] == 0.14583333333333334
    assert [record.state for record in trials[:7]] == STATES
    points = trial_points(settings, trials[0], 0)
    assert ("greedy_loss", trials[0].value, 0, 0) in points


@pytest.mark.slow
def test_an_old_spool_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = embedded(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", config.tracking_uri)
    shutil.copyfile(FIRST / "spool.jsonl", tmp_path / spool.NAME)
    new_database(tmp_path)
    finish = Finish(60.0)
    finish.begin()
    assert SpoolWriter(tmp_path, config, finish).run() == ALL_SENT
    assert not (tmp_path / REFUSED).exists()
    client = MlflowClient(config.tracking_uri)
    (experiment,) = client.search_experiments(filter_string="name LIKE 'topk-tune/%'")
    parent, children = runs_of(client, experiment.name)
    assert parent.data.tags["objective"] == "greedy_loss"
    assert len(children) == 8
    assert "confirmed_greedy_loss" in {name for run in children for name in run.data.metrics}
    assert history(client, children[6], "loops/greedy_loss")[1] == 0.9


def test_old_outcomes_are_read() -> None:
    found = outcome_file.read(FIRST / "outcomes.jsonl")
    lines = (FIRST / "outcomes.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(found) == len(lines) == 10
    for one, line in zip(found, lines, strict=True):
        assert one.outcome.confirmation.values == json.loads(line)["loss"]

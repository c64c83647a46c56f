"""Records that can grow: written, read, upgraded, kept and refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from report_cases import made_confirmation, made_record
from tuning import report, settings, study, tune

from topk_tune import __version__
from topk_tune.engine.stopping import StopOptions
from topk_tune.records import codec
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import SeedRun
from topk_tune.reproduce import outcome_file
from topk_tune.storage import Location
from topk_tune.study.confirm import _keep, confirmations
from topk_tune.study.study import Study
from topk_tune.tracking import entries
from topk_tune.training.objective import Objective
from topk_tune.training.trial import LoopReport

GOAL = Objective()
NEWER = {"schema": codec.SCHEMA + 1, "version": "9.8.7"}
REFUSAL = rf"written by topk-tune 9\.8\.7 in schema {codec.SCHEMA + 1}.*pip install --upgrade"

ABOUT = ("dataset", "made")


def run(seed: int, *losses: float) -> SeedRun:
    return SeedRun(seed, tuple(report(i + 1, loss) for i, loss in enumerate(losses)))


def changed(text: str, **changes: Any) -> str:
    return json.dumps({**json.loads(text), **changes})


def test_runs_come_back_as_they_were() -> None:
    runs = (run(7, 0.5, 1 / 3), run(8), SeedRun(9, (LoopReport(1, {"ties": float("inf")}),)))
    assert codec.read_runs(codec.runs_text(runs), "it") == runs


def test_a_metric_that_only_some_loops_have_is_absent_from_the_others() -> None:
    runs = (SeedRun(0, (LoopReport(1, {"ties": 0.0}), LoopReport(2, {"coverage": 2.0}))),)
    assert codec.read_runs(codec.runs_text(runs), "it") == runs


def test_everything_says_who_wrote_it() -> None:
    stamp = {"schema": codec.SCHEMA, "version": __version__}
    texts = [
        codec.runs_text([]),
        codec.confirmation_text(made_confirmation(0, [0.2])),
        codec.outcome_text(made_confirmation(0, [0.2]), {}),
    ]
    contents = [
        *map(json.loads, texts),
        codec.settings_content(settings()),
        codec.trial_content(made_record(0)),
        entries.content(entries.Loop.of(0, 0, report(1, 0.5))),
        entries.content(entries.Confirmed.of(made_confirmation(0, [0.2]))),
    ]
    for content in contents:
        assert stamp.items() <= content.items()


def test_settings_come_back_with_what_is_unknown() -> None:
    made = settings(exploration_cost=0.02, seeds=3)
    assert codec.read_settings(codec.settings_content(made), "it") == made
    later = {**codec.settings_content(made), "mood": "good"}
    read = codec.read_settings(later, "it")
    assert read.objective == "greedy_loss" and read.extra == {"mood": "good"}
    assert codec.settings_content(read) == later
    wider = read.model_copy(update={"seeds": 4})
    assert codec.settings_content(wider)["mood"] == "good"


def test_settings_that_nobody_wrote_are_still_an_error() -> None:
    with pytest.raises(ValueError, match="mood"):
        StudySettings.model_validate({**settings().model_dump(), "mood": "good"})


def test_unknown_fields_of_reports_and_runs_are_kept() -> None:
    content = json.loads(codec.runs_text([run(0, 0.5, 0.4)]))
    content["runs"][0] |= {"joules": [1, 2], "rack": "b"}
    (read,) = codec.read_runs(json.dumps(content), "it")
    assert [r.extra for r in read.reports] == [{"joules": 1}, {"joules": 2}]
    assert read.extra == {"rack": "b"}
    assert read.up_to(1).reports[0].as_dict()["joules"] == 1
    assert json.loads(codec.runs_text([read])) == content


def test_missing_fields_take_their_defaults() -> None:
    text = json.dumps({"schema": 2, "runs": [{"seed": 3, "loop": [1], "metrics": {}}]})
    assert codec.read_runs(text, "it") == (SeedRun(3, (LoopReport(1, {}),)),)
    record = codec.read_trial({"schema": 2, "number": 0, "state": "failed", "config": {}}, GOAL)
    assert (record.runs, record.attempts, record.ended) == ((), 1, None)


def test_confirmations_and_outcomes_keep_what_is_unknown() -> None:
    before = made_confirmation(3, [0.2, 0.3])
    text = changed(codec.confirmation_text(before), judge="somebody")
    read = codec.read_confirmation(text, GOAL, "it")
    assert read.runs == before.runs and read.extra == {"judge": "somebody"}
    assert json.loads(codec.confirmation_text(read)) == json.loads(text)

    line = codec.outcome_text(before, {"dataset": "yeast", "made": "here"})
    line = changed(line, joules=[1, 2], judge="somebody")
    found, about = codec.read_outcome(line, ABOUT, "it")
    assert about == {"dataset": "yeast", "made": "here"}
    assert found.runs == before.runs
    assert json.loads(codec.outcome_text(found, about)) == json.loads(line)


def test_an_outcome_says_by_what_it_was_found() -> None:
    goal = Objective.of("greedy_loss", 0.01)
    made = made_confirmation(3, [0.2, 0.3])
    line = codec.outcome_text(type(made)(3, made.config, made.runs, goal), {})
    assert codec.read_outcome(line, (), "it")[0].objective == goal


@pytest.mark.parametrize(
    "read",
    [
        lambda: codec.read_settings(NEWER, "study 's'"),
        lambda: codec.read_runs(json.dumps(NEWER), "trial 3 of study 's'"),
        lambda: codec.read_trial(NEWER, GOAL),
        lambda: codec.read_report(NEWER),
        lambda: codec.read_seeds(NEWER),
        lambda: codec.read_confirmation(json.dumps(NEWER), GOAL, "it"),
        lambda: codec.read_outcome(json.dumps(NEWER), ABOUT, "outcomes.jsonl:7"),
    ],
)
def test_what_a_newer_version_wrote_is_refused_by_name(read: Any) -> None:
    with pytest.raises(codec.SchemaError, match=REFUSAL):
        read()


@pytest.mark.parametrize("schema", ["2", 0, -1, 2.0, True, None])
def test_a_schema_that_is_none(schema: Any) -> None:
    with pytest.raises(ValueError, match="schema must be a whole number >= 1, but got"):
        codec.read_settings({"schema": schema}, "study 's'")


def test_a_study_of_a_newer_version_is_refused_by_its_name(tmp_path: Path) -> None:
    made = study(tmp_path)
    made.store.note("settings", json.dumps(NEWER))
    with pytest.raises(codec.SchemaError, match=f"study 's' was {REFUSAL}"):
        Study.open(Location.of(str(tmp_path)), "s")


def test_outcomes_of_a_newer_version_are_refused_by_their_line(tmp_path: Path) -> None:
    path = tmp_path / "outcomes.jsonl"
    path.write_text(json.dumps(NEWER) + "\n", encoding="utf-8")
    with pytest.raises(codec.SchemaError, match=r"outcomes\.jsonl:1 was written by"):
        outcome_file.read(path)


def test_a_confirmation_with_more_seeds_keeps_what_was_unknown(tmp_path: Path) -> None:
    made = study(tmp_path)
    tune(made.store, StopOptions(trials=1))
    text = changed(codec.confirmation_text(made_confirmation(0, [0.2])), judge="somebody")
    made.store.note("confirmed:0", text)
    (found,) = confirmations(made)
    _keep(made, found)
    assert json.loads(made.store.notes()["confirmed:0"])["judge"] == "somebody"

"""What a report tells of a study: sentences, tables, and the values that its page draws."""

import itertools
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from messages import says
from report_cases import (
    made_confirmation,
    made_content,
    made_record,
    made_records,
    made_settings,
)
from tuning import FakeBackend, study, tune

from topk_tune.engine.stopping import StopOptions
from topk_tune.report import tables
from topk_tune.report.content import Content
from topk_tune.report.payload import FIELDS, study_facts, trial_row
from topk_tune.report.recipe import files, recipe
from topk_tune.study.caveats import Shape
from topk_tune.study.confirmed_figures import UNTESTED
from topk_tune.study.context import Context
from topk_tune.training.baselines import Baseline


def test_content_is_that_of_the_study(tmp_path: Path) -> None:
    made = study(tmp_path, seeds=2)
    tune(made.store, StopOptions(trials=12), FakeBackend())
    content = Content.of(made)
    best = made.best()
    assert best is not None and content.best == best
    assert content.counts == {"complete": 12}
    assert content.seconds == pytest.approx(sum(r.seconds for r in made.records()))
    assert set(content.searched) == {"n_learners", "rho"} == set(content.importances or ())
    assert sum((content.importances or {}).values()) == pytest.approx(1)
    (sentence, *_) = tables.headline(content)
    assert (
        f"Trial {best.number} has the least shown loss: {best.value:.4f} ± {best.spread:.4f}"
        in sentence
    )
    assert "on held-out training rows (random:0.25:0)" in sentence


def test_protocol_paper_is_said_to_choose_on_the_test_rows() -> None:
    content = made_content(made_records(5), settings=made_settings(protocol="paper"), confirmed=())
    words = " ".join(tables.headline(content))
    assert "on the TEST rows" in words and "chosen on the test rows (protocol paper)" in words
    assert "not confirmed on fresh seeds yet" in words


def test_confirmations_are_told_with_mean_and_spread() -> None:
    content = made_content(made_records(5))
    sentence = tables.headline(content)[-1]
    assert "shown loss of 0.2600 ± 0.0141 on the test rows over 2 fresh seeds" in sentence
    assert "the best of 2 configurations by these rows" in sentence
    (row, _) = tables.confirmations(content).rows
    assert [cell.text for cell in row] == ["0", "0.2600", "0.0141", "2", "test", "0.2500, 0.2700"]
    one = made_content(made_records(5), confirmed=[made_confirmation(2, [0.3, 0.3])])
    assert "the best of" not in tables.headline(one)[-1]


def test_what_was_ranked_anew_is_told_by_held_out_rows_and_only_the_first_by_test_rows() -> None:
    confirmed = [
        made_confirmation(1, [0.3, 0.4], held=[0.25, 0.27]),
        made_confirmation(0, [], held=[0.31, 0.35]),
    ]
    content = made_content(made_records(5), confirmed=confirmed)
    sentence = tables.headline(content)[-1]
    assert "trial 1, the best of 2 configurations by shown loss on held-out training rows " in (
        sentence
    )
    assert "(0.2600 ± 0.0141 over 2 fresh seeds)" in sentence
    assert "shown loss of 0.3500 ± 0.0707 on the test rows over 2 fresh seeds" in sentence
    rows = [[cell.text for cell in row] for row in tables.confirmations(content).rows]
    assert rows[1] == ["0", "0.3300", "0.0283", "2", "held-out", "0.3100, 0.3500"]
    tested = tables.tested(content)
    assert tested is not None
    (row,) = tested.rows
    assert [cell.text for cell in row][1:3] == ["0.3500", "0.0707"]


def test_an_untested_winner_is_said_to_be_one() -> None:
    content = made_content(made_records(5), confirmed=[made_confirmation(1, [], held=[0.2, 0.3])])
    said = tables.headline(content)[-1]
    says(said, "fresh seeds", "0.2500", UNTESTED)
    assert tables.tested(content) is None
    assert study_facts(content)["tested"] is None


def test_baselines_and_caveats_stand_beside_the_result() -> None:
    context = Context(
        Shape(4, 4),
        [Baseline("label frequency", 0.21, False), Baseline("ExtraTrees", 0.1, True)],
        [Baseline("label frequency", 0.25, False)],
    )
    content = made_content(made_records(5), context=context)
    *_, beside, caveat = tables.headline(content)
    assert beside.endswith("on the same rows: label frequency 0.2100, ExtraTrees 0.1000.")
    assert caveat.startswith("Note: the loss of 0.2600 is not below that of label frequency, 0.25")
    assert [row[0].text for row in tables.baselines(content).rows] == [
        "label frequency",
        "ExtraTrees",
    ]
    tested = tables.tested(content)
    assert tested is not None
    assert [cell.text for cell in tested.rows[-1]][:2] == ["label frequency", "0.2500"]


def test_trial_table_is_best_first_and_cut_with_a_word() -> None:
    content = made_content(made_records(30))
    table = tables.trials(content)
    failed = [row[1].text == "failed" for row in table.rows]
    assert [state for state, _ in itertools.groupby(failed)] == [False, True]
    losses = [row[2].value for row in table.rows if row[1].text != "failed"]
    assert losses == sorted(losses, key=lambda loss: loss or math.inf)
    assert table.rows[-1][-1].text == "ValueError: no such luck"
    assert tables.left_out(content) == ""
    assert len(tables.trials(content, 10).rows) == 10
    assert tables.left_out(content, 10).startswith("The best 10 of 30 trials")


def test_recipe_holds_what_repeats_the_study() -> None:
    content = made_content(made_records(5), settings=made_settings(seed=7, seeds=3), budget=50)
    found = recipe(content)
    assert found["command"].startswith("topk-tune run --dataset synthetic:")
    assert "--trials 50" in found["command"] and "--seeds 3 --seed 7" in found["command"]
    assert found["seeds of each trial"] == "7, 8, 9"
    assert found["seeds of confirmations"] == "1000000, 1000001"
    assert found["fingerprint of the data"] == content.settings.fingerprint
    assert "numpy" in found["versions that wrote this report"]
    assert "low: 0.01" in files(content)["space.yaml"]
    many = made_content([], settings=made_settings(seeds=100), confirmed=())
    assert recipe(many)["seeds of each trial"] == "0 to 99 (100 seeds)"


def test_a_row_of_a_trial_has_what_the_page_draws() -> None:
    record = made_record(5, seeds=3)
    found = dict(zip(FIELDS, trial_row(record), strict=True))
    assert (found["value"], found["spread"]) == (record.value, record.spread)
    assert found["params"] == record.params and found["loop"] == record.best_loop
    assert found["curve"] == pytest.approx(record.curve, rel=1e-4) and len(found["band"]) == 4
    one = dict(zip(FIELDS, trial_row(made_record(5)), strict=True))
    assert one["band"] == []
    running = dict(zip(FIELDS, trial_row(made_record(6, "running")), strict=True))
    assert running["value"] is None and running["curve"] == [] and running["excess"] is None


def test_facts_have_every_part_of_a_study_with_everything() -> None:
    facts = study_facts(made_content(made_records(60, seeds=3), budget=80))
    assert [each["name"] for each in facts["parameters"]] == [
        "n_learners",
        "rho",
        "exploration",
        "weight_cap",
    ]
    assert [each["log"] for each in facts["parameters"]] == [False, True, False, False]
    assert facts["parameters"][3]["options"] == [None, 1, 100]
    assert [each["trial"] for each in facts["confirmed"]["seeds"]] == [0, 1]
    assert facts["confirmed"]["seeds"][0]["values"] == [0.25, 0.27]
    assert facts["tested"]["table"]["rows"] and facts["budget"] == 80
    json.dumps(facts, allow_nan=False)


def test_what_is_no_number_is_none() -> None:
    (run,) = made_record(0).runs
    lost = replace(run.reports[-1], metrics={"shown_loss": math.nan})
    record = replace(made_record(0), runs=(replace(run, reports=(lost,)),))
    json.dumps(trial_row(record), allow_nan=False)


def test_a_report_says_why_the_study_ended() -> None:
    assert "stopped" not in tables.summary(made_content(made_records(3)))
    ended = made_content(made_records(3), ended="all 3 trials are done")
    assert tables.summary(ended)["stopped"] == "all 3 trials are done"

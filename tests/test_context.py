"""What a study's results are seen beside: baselines that are kept with it, and caveats."""

import logging
from pathlib import Path
from typing import Any

import pytest
from messages import says
from report_cases import made_confirmation
from tuning import DATA, FakeBackend, FakeResources, study, tune

from topk_tune.data import load
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import TrialRecord, ranked
from topk_tune.report import write_report
from topk_tune.session import confirm_tracked, run_tracked
from topk_tune.storage import Location
from topk_tune.study import context as context_module
from topk_tune.study.caveats import Shape
from topk_tune.study.context import Context, context_of, kept, make_context, provide
from topk_tune.study.plan import Plan
from topk_tune.study.rows import tuning_rows
from topk_tune.study.study import Study
from topk_tune.training.baselines import LABEL_FREQUENCY, Baseline, baselines
from topk_tune.training.trial import test_rows as all_rows

DATASET = load(DATA)


def frequency(loss: float) -> list[Baseline]:
    return [Baseline(LABEL_FREQUENCY, loss, False)]


def names(found: Any) -> list[str]:
    return [each.name for each in found]


def best_of(made: Study) -> TrialRecord:
    tune(made.store, StopOptions(trials=3))
    return ranked(made.records())[0]


def test_baselines_are_of_the_rows_of_the_trials_and_of_the_test_rows(tmp_path: Path) -> None:
    made = study(tmp_path, holdout="folds:3:0", seeds=2, seed=5)
    rows = tuning_rows(DATASET, made.settings)
    found = make_context(made.settings, DATASET, test=True)
    assert found.tuning == baselines(rows, [5, 6])
    assert found.test == baselines(all_rows(DATASET))
    assert found.shape == (DATASET.n_features, DATASET.n_labels)
    assert make_context(made.settings, DATASET).test == ()


@pytest.mark.slow
def test_they_are_kept_with_the_study_and_not_computed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = study(tmp_path)
    assert kept(made) == Context()
    first = provide(made, DATASET)
    more = provide(made, DATASET, test=True, more=True)
    assert (len(first.tuning), len(more.tuning), len(more.test)) == (1, 3, 3)
    monkeypatch.setattr(context_module, "baselines", None)
    again = Study.open(Location.of(str(tmp_path)), "s")
    assert provide(again, DATASET) == provide(again, DATASET, test=True, more=True) == more
    assert context_of(again, test=True, more=True) == kept(again) == more


def test_a_study_that_is_only_read_is_not_written_to(tmp_path: Path) -> None:
    made = study(tmp_path)
    assert names(context_of(made, test=True).test) == [LABEL_FREQUENCY]
    assert kept(made) == Context()


def test_without_its_data_a_study_is_reported_without_baselines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = study(tmp_path)
    best_of(made)

    def gone(self: Study) -> None:
        raise FileNotFoundError("no such file")

    monkeypatch.setattr(Study, "data", gone)
    with caplog.at_level(logging.WARNING):
        page = write_report(made).read_text(encoding="utf-8")
    assert "the data could not be loaded" in page
    assert "no such file" in caplog.text


def test_the_best_trial_is_compared_on_its_own_rows(tmp_path: Path) -> None:
    made = study(tmp_path)
    best = best_of(made)
    assert best.value is not None
    low = Context(tuning=frequency(best.value - 0.01), test=frequency(1.0))
    high = Context(tuning=frequency(best.value + 0.01), test=frequency(0.0))
    assert "not below that of label frequency" in low.caveats(made.space, best)[0]
    assert not any("frequency" in said for said in high.caveats(made.space, best))


def test_the_confirmed_best_is_compared_on_the_test_rows_once_it_is_tested(tmp_path: Path) -> None:
    made = study(tmp_path)
    best = best_of(made)
    only = Context(tuning=frequency(0.25), test=frequency(0.35))
    tested = made_confirmation(0, [0.3, 0.3], held=[0.2, 0.2])
    ranked_only = made_confirmation(0, [], held=[0.3, 0.3])
    assert not only.caveats(made.space, best, [tested])
    assert "0.3000 is not below" in only.caveats(made.space, best, [ranked_only])[0]


def test_edges_are_those_of_the_confirmed_configuration(tmp_path: Path) -> None:
    made = study(tmp_path)
    best = best_of(made)
    shape = Context(Shape(DATASET.n_features, DATASET.n_labels))
    confirmed = made_confirmation(0, [0.3])
    confirmed.config.update(n_learners=8, rho=0.2)
    (said,) = shape.caveats(made.space, best, [confirmed])
    says(said, "n_learners = 8", "upper end", "1 to 8")
    assert shape.caveats(made.space, None) == []


def test_a_run_and_a_confirmation_provide_it(tmp_path: Path) -> None:
    made = study(tmp_path)
    resources = FakeResources(made=FakeBackend(1, train=None))
    plan = Plan.resumed(made, StopOptions(trials=3), resources)
    run_tracked(made, plan, [], None, baselines=True)
    assert (len(kept(made).tuning), len(kept(made).test)) == (3, 0)
    confirm_tracked(made, 2, 2, resources, lambda *_: None, None)
    assert (len(kept(made).tuning), len(kept(made).test)) == (3, 1)

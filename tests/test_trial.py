"""One training: exploration that fades over any number of rounds, and what is measured."""

from typing import Any

import numpy as np
import pytest
from messages import raises
from tuning import DATA, settings, shown

from booster import TopAda
from booster.feedback import TopFeedback
from topk_tune.data import load
from topk_tune.records.trials import SeedRun, TrialRecord, training_key
from topk_tune.study.rows import tuning_rows
from topk_tune.training.metrics import MAIN_OF_LOGS, METRICS, WHILE_LEARNING, every_metric
from topk_tune.training.training import run_trial
from topk_tune.training.trial import LoopReport, SplitRows, TrialConfig, train_booster
from topk_tune.training.trial import test_rows as all_rows

CONFIG: dict[str, Any] = {"algorithm": "topada", "loops": 4, "n_learners": 3, "rho": 0.4, "k": 2}
FADING = {**CONFIG, "schedule": "linear", "rho_end": 0.01}
FIRST = {**FADING, "schedule": "explore_first"}


def held_out() -> SplitRows:
    rows = tuning_rows(load(DATA), settings())
    assert isinstance(rows, SplitRows)
    return rows


@pytest.mark.parametrize(("fade", "horizon"), [(None, 400), (1.0, 400), (0.5, 200), (0.0001, 1)])
def test_the_horizon_is_a_share_of_all_rounds(fade: float | None, horizon: int) -> None:
    config = FADING if fade is None else {**FADING, "fade": fade}
    made = TrialConfig.of(config).booster(4, 4, seed=0, n_rows=100)
    assert isinstance(made, TopFeedback)
    assert made.horizon == horizon
    assert TrialConfig.of(config).flat() == config


def test_a_constant_rate_has_no_horizon() -> None:
    made = TrialConfig.of(CONFIG).booster(4, 4, seed=0, n_rows=100)
    assert isinstance(made, TopFeedback)
    assert made.horizon is None


@pytest.mark.parametrize(
    ("config", "facts"),
    [
        ({**FADING, "horizon": 100}, ["fade", "horizon", 100]),
        ({**CONFIG, "horizon": None}, ["fade", "horizon", None]),
        ({**CONFIG, "fade": 0.5}, ["fade", "other than constant", 0.5]),
        ({**FADING, "schedule": "constant", "fade": 0.5}, ["fade", "other than constant", 0.5]),
    ],
)
def test_what_would_have_no_effect_is_refused(config: dict[str, Any], facts: list[object]) -> None:
    with raises(ValueError, *facts):
        TrialConfig.of(config)


@pytest.mark.parametrize("fade", [0, -0.1, 1.01, "much", None, True, float("nan")])
def test_fade_is_a_share(fade: Any) -> None:
    with raises(ValueError, "0 < fade <= 1", fade):
        TrialConfig.of({**FADING, "fade": fade})


def test_a_model_of_all_rows_fades_over_all_rows() -> None:
    data = load(DATA)
    model = train_booster({**FADING, "fade": 0.5}, 0, data)
    assert isinstance(model, TopFeedback)
    assert model.horizon == 2 * len(data.X_train)


def run(config: dict[str, Any], *losses: float) -> TrialRecord:
    reports = [LoopReport(i, {"shown_loss": loss}) for i, loss in enumerate(losses, 1)]
    return TrialRecord(0, "complete", config, (SeedRun(0, tuple(reports)),))


@pytest.mark.parametrize("config", [CONFIG, FIRST, {**FIRST, "fade": 1}, {**CONFIG, "fade": 0.5}])
def test_an_earlier_loop_may_be_best_if_a_shorter_training_would_end_there(config: Any) -> None:
    record = run(config, 0.5, 0.2, 0.4, 0.3)
    assert (record.best_loop, record.value) == (2, 0.2)
    assert record.best_config["loops"] == 2
    assert training_key(config, 0) == training_key({**config, "loops": 9}, 0)


@pytest.mark.parametrize("config", [FADING, {**FADING, "fade": 0.5}, {**FIRST, "fade": 0.5}])
def test_else_the_last_loop_counts(config: Any) -> None:
    record = run(config, 0.5, 0.2, 0.4, 0.3)
    assert (record.best_loop, record.value) == (4, 0.3)
    assert record.best_config["loops"] == 4
    assert training_key(config, 0) != training_key({**config, "loops": 9}, 0)


@pytest.mark.parametrize("config", [CONFIG, FIRST])
def test_such_a_training_is_the_beginning_of_a_longer_one(config: dict[str, Any]) -> None:
    short = TrialConfig.of({**config, "loops": 2})
    for measure in ("read-only", "paper"):
        whole = list(run_trial(TrialConfig.of(config), 3, held_out(), measure))
        begun = list(run_trial(short, 3, held_out(), measure))
        assert [r.metrics for r in begun] == [r.metrics for r in whole[:2]]


def test_a_fading_one_is_not() -> None:
    whole = list(run_trial(TrialConfig.of(FADING), 3, held_out(), "read-only"))
    begun = list(run_trial(TrialConfig.of({**FADING, "loops": 2}), 3, held_out(), "read-only"))
    assert begun[1].metrics["stream_loss"] != whole[1].metrics["stream_loss"]


def test_what_is_shown_is_measured_as_if_the_training_had_ended() -> None:
    rows, config = held_out(), TrialConfig.of(FADING)
    model = config.booster(rows.X.shape[1], rows.Y.shape[1], 3, len(rows.X))
    streams = []
    for report in run_trial(config, 3, rows, "read-only"):
        streams.append(float(model.run(rows.X, rows.Y).shown_loss[0]))
        there = model.evaluate(rows.X_measure, rows.Y_measure, rate=0.01)
        assert report.metrics["shown_loss"] == there.shown
        assert report.metrics["greedy_loss"] == there.loss
        assert report.metrics["stream_loss"] == pytest.approx(np.mean(streams))


def test_while_learning_a_copy_that_has_settled_is_measured() -> None:
    rows, config = all_rows(load(DATA)), TrialConfig.of(FADING)
    model = config.booster(rows.X.shape[1], rows.Y.shape[1], 3, len(rows.X))
    found = []
    for _ in range(4):
        model.run(rows.X, rows.Y)
        result = model.settled().run(rows.X_measure, rows.Y_measure)
        found.append(float(result.shown_loss[0]))
    assert shown(run_trial(config, 3, rows, "paper")) == found


def test_metrics_by_the_way_of_measuring() -> None:
    config = TrialConfig.of(CONFIG)
    (frozen,) = run_trial(config, 0, held_out(), "read-only", last_only=True)
    assert frozen.metrics.keys() == METRICS.keys() - set(MAIN_OF_LOGS)
    (learning,) = run_trial(config, 0, held_out(), "paper", last_only=True)
    assert learning.metrics.keys() == {m.name for m in every_metric() if m.needs in WHILE_LEARNING}


def test_full_information_shows_what_it_ranks() -> None:
    config = TrialConfig.of({"algorithm": "fullada", "loops": 2, "n_learners": 2})
    for report in run_trial(config, 0, held_out(), "read-only"):
        # Ties count as wrong in the greedy loss; what is shown is a ranking, which has none.
        assert report.metrics["shown_loss"] <= report.metrics["greedy_loss"]
        assert report.metrics["precision_at_k"] > 0
    assert TopAda.k == 3

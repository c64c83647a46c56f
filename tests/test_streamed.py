"""Any online ranker is trained, measured, checked and searched as a booster is."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from cases import CASES, stream
from messages import raises
from naive.losses import weighted
from packages import songrank

import booster
from booster.protocol import REQUIRED, parameters_of
from booster.ranking_losses import hinge_losses, weighted_losses
from booster.streamed import Streamed, trainable
from topk_tune.backends.memory import largest_memory
from topk_tune.session import _savable
from topk_tune.spaces import Choice, Fixed, Float, Space, SpaceError
from topk_tune.study.plan import choose_space
from topk_tune.training.training import run_trial
from topk_tune.training.trial import SplitRows, TrialConfig, why_unsaved

X, Y = stream(60)
SHAPE = {"n_features": X.shape[1], "n_labels": Y.shape[1]}
ROWS = SplitRows(X[:40], Y[:40], X[40:], Y[40:])


class Turning:
    """Shows labels in turn, and notes what it is told. A minimal ranker."""

    def __init__(self, n_features: int, n_labels: int, seed: int, k: int = 2) -> None:
        self.k = k
        self.told: list[list[int]] = []
        self.n_labels = n_labels

    def predict(self, x: np.ndarray) -> list[int]:
        return np.roll(range(self.n_labels), len(self.told)).tolist()

    def update(self, feedback: np.ndarray) -> None:
        self.told.append(feedback.tolist())


class AllTold(Turning):
    """The same, told of all labels, which can also score and rank."""

    full: ClassVar[bool] = True

    def scores(self, X: np.ndarray) -> np.ndarray:
        return np.tile(-np.arange(self.n_labels, dtype=float), (len(X), 1))

    def rank(self, X: np.ndarray) -> np.ndarray:
        return np.tile(np.arange(self.n_labels), (len(X), 1))


def made(kind: type = Turning, **parameters: Any) -> Streamed:
    model = trainable(kind(**SHAPE, seed=0, **parameters), **SHAPE)
    assert isinstance(model, Streamed)
    return model


def share(ranking: list[int], y: np.ndarray) -> float:
    wrong = sum(
        bool(y[b] < y[a]) for i, b in enumerate(ranking) for a in ranking[i:] if y[a] != y[b]
    )
    return weighted(wrong, y.tolist())


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[None]:
    with songrank(tmp_path):
        yield


def test_boosters_are_trained_as_they_are() -> None:
    for case in CASES:
        one = case.make()
        assert trainable(one, **SHAPE) is one


def test_rows_are_shown_and_told_in_order() -> None:
    model = made(k=3)
    result = model.run(X, Y, loops=2)
    turns = [np.roll(range(6), t).tolist() for t in range(2 * len(X))]
    labels = np.concatenate([Y, Y])
    assert model.ranker.told == [
        y[turn[:3]].tolist() for turn, y in zip(turns, labels, strict=True)
    ]
    expected = [share(turn, y) for turn, y in zip(turns, labels, strict=True)]
    np.testing.assert_allclose(result.curve[-1], np.mean(expected))
    np.testing.assert_allclose(result.loss, np.reshape(expected, (2, -1)).mean(axis=1))
    np.testing.assert_array_equal(result.shown_loss, result.loss)
    assert (result.rounds, model.rounds, result.ties.tolist()) == (120, 120, [0.0, 0.0])


def test_full_information_is_told_by_label_and_greedy_is_what_it_ranks() -> None:
    model = made(AllTold)
    result = model.run(X, Y)
    assert model.ranker.told == Y.tolist()
    best = [share(list(range(6)), y) for y in Y]
    shown = [share(np.roll(range(6), t).tolist(), y) for t, y in enumerate(Y)]
    np.testing.assert_allclose(result.loss, [np.mean(best)])
    np.testing.assert_allclose(result.shown_loss, [np.mean(shown)])


def test_measuring_changes_nothing() -> None:
    model = made(AllTold)
    model.run(X, Y)
    told = list(model.ranker.told)
    evaluation = model.evaluate(X, Y)
    model.settled().run(X, Y)
    assert model.ranker.told == told and model.rounds == len(X)
    assert evaluation.loss == pytest.approx(np.mean([share(list(range(6)), y) for y in Y]))
    scores = model.ranker.scores(X)
    by_pair = [
        sum(max(0.0, 1 + s[b] - s[a]) for a in range(6) for b in range(6) if y[a] > y[b])
        for s, y in zip(scores, Y, strict=True)
    ]
    assert evaluation.hinge == pytest.approx(np.mean(by_pair))
    np.testing.assert_allclose(hinge_losses(scores, Y), by_pair)


def test_losses_of_rankings_are_those_of_boosters() -> None:
    one = CASES[0].make()
    one.run(X, Y)
    evaluation = one.evaluate(X, Y, rate=0.0)
    assert evaluation.shown == pytest.approx(weighted_losses(one.rank(X), Y).mean())


def test_what_a_ranker_can_do_itself_it_is_asked_to_do() -> None:
    class Own(AllTold):
        bounded_bytes = 12_345
        counts: ClassVar[dict[str, int]] = {"nodes": 7}

        def run(self, X: np.ndarray, Y: np.ndarray, loops: int) -> str:
            return f"{len(X)} rows, {loops} loops"

        def evaluate(self, X: np.ndarray, Y: np.ndarray) -> str:
            return "evaluated"

        def settled(self) -> Own:
            return self

    model = made(Own)
    assert model.run(X, Y, loops=2) == "60 rows, 2 loops"
    assert model.evaluate(X, Y) == "evaluated"
    assert model.settled().ranker is model.ranker
    assert (model.bounded_bytes, model.counts, model.rounds) == (12_345, {"nodes": 7}, 120)


@pytest.mark.parametrize("ranking", [[0, 1, 2], [0, 0, 1, 2, 3, 4], list(range(1, 7)), "abcdef"])
def test_what_is_no_ranking_is_refused(ranking: Any) -> None:
    model = made()
    model.ranker.predict = lambda x: ranking  # type: ignore[method-assign]
    with pytest.raises(ValueError, match="each of 6 labels once"):
        model.run(X, Y)


def test_a_ranker_must_say_what_it_is_told() -> None:
    class Silent(Turning):
        k = None

    with pytest.raises(ValueError, match="Silent must have k"):
        Streamed(Silent.__new__(Silent), **SHAPE)


def test_parameters_come_from_the_constructor() -> None:
    assert parameters_of(Turning) == {
        "n_features": REQUIRED,
        "n_labels": REQUIRED,
        "seed": REQUIRED,
        "k": 2,
    }
    assert parameters_of(booster.TopAda)["rho"] == booster.TopAda.rho


# In a study


def reports(algorithm: str, measure: Any, **parameters: Any) -> list[Any]:
    config = TrialConfig.of({"algorithm": algorithm, "loops": 2, **parameters})
    return list(run_trial(config, 3, ROWS, measure))


@pytest.mark.parametrize("measure", ["read-only", "paper", "every way"])
def test_a_trial_of_another_package_s_algorithm(installed: None, measure: str) -> None:
    first, last = reports("popularity", measure, rate=0.3)
    again = reports("popularity", measure, rate=0.3)
    assert [each.metrics for each in again] == [first.metrics, last.metrics]
    assert (first.rounds, last.rounds) == (40, 80)
    assert 0 < last.metrics["greedy_loss"] < 1
    assert not any(math.isnan(value) for value in last.metrics.values())
    assert not any("hinge_loss" in name for name in last.metrics)  # it has no scores
    assert ("average_precision" in last.metrics) == (measure == "read-only")


def test_a_trial_with_another_package_s_learner(installed: None) -> None:
    *_, last = reports("topada", "read-only", learner="frequency", n_learners=2)
    assert last.nodes == 2


def test_its_parameters_are_checked_by_itself(installed: None) -> None:
    common = {"algorithm": Choice(["popularity", "topopt"]), "loops": Fixed(1)}
    mine = {"when": {"algorithm": ["popularity"]}}
    Space({**common, "rate": Float(0.1, 1.0, **mine)}).check(5, 6)
    with raises(SpaceError, "rate:", "0 <= rate <= 1", 1.5, "rho:", "popularity", "k, rate"):
        Space({**common, "rate": Float(0.1, 1.5, **mine), "rho": Fixed(0.1)}, "mine").check(5, 6)
    with raises(SpaceError, "seed:", "n_features, n_labels, seed"):
        Space({**common, "seed": Fixed(1)}).check(5, 6)


def test_where_it_is_searched_by_default(installed: None, tmp_path: Path) -> None:
    space = choose_space(None, "popularity", "yeast")
    assert space.parameters["algorithm"] == Fixed("popularity")
    assert space.parameters["rate"] == Float(0.01, 0.5, log=True)
    own = booster.ALGORITHMS.load("popularity")
    file = tmp_path / "space.yaml"
    file.write_text("default: {algorithm: popularity, loops: 1, k: 2}\n")
    kept, own.search_space = own.search_space, str(file)
    try:
        assert choose_space(None, "popularity", "yeast").parameters["k"] == Fixed(2)
        del own.search_space
        with pytest.raises(ValueError, match=r"'popularity'.*--space"):
            choose_space(None, "popularity", "yeast")
    finally:
        own.search_space = kept


def test_the_memory_of_a_trial_is_what_is_known_of_it(installed: None) -> None:
    space = choose_space(None, "popularity", "yeast")
    known = largest_memory(space, ROWS)
    both = Space({"algorithm": Choice(["popularity", "topopt"]), "loops": Fixed(1)})
    assert 0 < known < largest_memory(both, ROWS)


def test_what_cannot_be_saved_is_said_by_name(
    installed: None, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "topk_tune")
    assert why_unsaved({"algorithm": "topada", "loops": 1}) is None
    assert not _savable({"algorithm": "popularity", "loops": 1})
    assert "'popularity'" in caplog.text
    assert "'frequency'" in str(why_unsaved({"algorithm": "topada", "learner": "frequency"}))


@pytest.mark.parametrize("name", ["math:pi", "pathlib:Path"])
def test_what_ranks_nothing_is_no_algorithm(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        TrialConfig.of({"algorithm": name, "loops": 1})

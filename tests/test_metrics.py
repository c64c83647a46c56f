"""Metrics against scikit-learn, and objectives that are made of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import coverage_error, label_ranking_average_precision_score

from booster import Evaluation
from topk_tune.training.metrics import MAIN_OF_LOGS, METRICS, Measured, computed, words
from topk_tune.training.objective import Bound, Objective


def measured(ranked: NDArray[np.uint8], k: int = 3) -> dict[str, float]:
    evaluation = Evaluation(loss=0.2, ties=0.1, rank=2.0, hinge=3.0, shown=0.3)
    return computed(Measured(0.2, 0.1, 0.3, k, evaluation, ranked, train_loss=0.4, stream_loss=0.5))


@given(rows=st.integers(1, 8), labels=st.integers(2, 9), seed=st.integers(0, 999))
def test_they_are_those_of_scikit_learn(rows: int, labels: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    Y = (rng.random((rows, labels)) < rng.random()).astype(np.uint8)
    order = np.array([rng.permutation(labels) for _ in range(rows)])
    found = measured(np.take_along_axis(Y, order, axis=1))
    places = np.argsort(order, axis=1)
    precision = label_ranking_average_precision_score(Y, -places)
    assert found["average_precision"] == pytest.approx(precision)
    assert found["coverage"] == pytest.approx(coverage_error(Y, -places))


def test_what_the_top_is_worth() -> None:
    ranked = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]], np.uint8)
    found = measured(ranked, k=2)
    assert found["one_error"] == pytest.approx(1 / 3)  # the row without a relevant label is none
    assert found["reciprocal_rank"] == pytest.approx((1 + 1 / 2 + 0 + 1) / 4)
    assert found["precision_at_k"] == pytest.approx((1 + 1 + 0 + 2) / 8)


def test_every_metric_is_measured_on_rows_that_stand_still() -> None:
    found = measured(np.eye(4, dtype=np.uint8))
    assert found.keys() == METRICS.keys() - set(MAIN_OF_LOGS)
    assert {n: found[n] for n in ("shown_loss", "greedy_loss", "ties", "rank_loss")} == {
        "shown_loss": 0.3,
        "greedy_loss": 0.2,
        "ties": 0.1,
        "rank_loss": 2.0,
    }
    assert (found["train_loss"], found["stream_loss"]) == (0.4, 0.5)


def test_while_learning_there_are_no_rankings_and_another_part_has_no_training() -> None:
    found = computed(Measured(0.2, 0.1, 0.3), "frozen/")
    assert found == {"frozen/shown_loss": 0.3, "frozen/greedy_loss": 0.2, "frozen/ties": 0.1}
    assert words("frozen/shown_loss") == "frozen shown loss"


def test_an_objective_knows_its_direction() -> None:
    assert Objective.of("shown_loss") == Objective()
    more = Objective.of("average_precision")
    assert more.direction == "maximize" and more.superlative == "greatest"
    assert more.best([0.2, 0.9, math.nan, 0.4]) == 0.9
    assert more.key({"average_precision": 0.9}) < more.key({"average_precision": 0.2})
    with pytest.raises(ValueError, match=r"unknown objective 'shown_los'.*mean 'shown_loss'"):
        Objective.of("shown_los")


def test_what_keeps_to_the_bound_comes_first() -> None:
    goal = Objective.of("greedy_loss", exploration_cost=0.05)
    assert goal.bound == Bound(0.05)
    assert goal.watched == ("greedy_loss", "shown_loss", "ties")
    good = {"greedy_loss": 0.3, "shown_loss": 0.34, "ties": 0.0}
    dear = {"greedy_loss": 0.1, "shown_loss": 0.25, "ties": 0.0}
    dearer = {"greedy_loss": 0.05, "shown_loss": 0.25, "ties": 0.0}
    unknown = {"greedy_loss": 0.01, "shown_loss": 0.01}
    assert sorted([unknown, dearer, dear, good], key=goal.key) == [good, dear, dearer, unknown]
    # Pruning knows no bounds: what exceeds it is charged for it.
    assert goal.guide(good) == 0.3
    assert goal.guide(dear) == pytest.approx(0.2)


def test_labels_that_tie_do_not_hide_what_exploration_costs() -> None:
    bound = Bound(0.05)
    # Nothing but ties is wrong: whatever is shown wrongly is the cost of exploration.
    assert bound.excess({"greedy_loss": 0.4, "shown_loss": 0.3, "ties": 0.4}) == pytest.approx(0.25)
    assert bound.excess({"greedy_loss": 0.4, "shown_loss": 0.3, "ties": 0.0}) < 0


def test_a_ranker_without_scores_has_no_hinge_loss() -> None:
    evaluation = Evaluation(loss=0.2, ties=0.1, rank=2.0, hinge=None, shown=0.3)
    found = computed(Measured(0.2, 0.1, 0.3, 2, evaluation, np.eye(4, dtype=np.uint8)))
    assert "hinge_loss" not in found
    assert found["rank_loss"] == 2.0
    assert "coverage" in found

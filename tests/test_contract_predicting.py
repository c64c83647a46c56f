"""What every booster promises of predicting without learning, of its copies and of its presets."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from cases import (
    CASES,
    N_LABELS,
    TOP_K,
    Case,
    assert_same,
    differing,
    feedback,
    snapshot,
    stream,
)

from booster import TreeRanges

every_booster = pytest.mark.parametrize("case", CASES, ids=str)
every_top_k_booster = pytest.mark.parametrize("case", TOP_K, ids=str)


@every_top_k_booster
def test_a_booster_that_only_predicts_explores_for_some_rows_and_not_for_all(case: Case) -> None:
    """Whatever round it was stopped in: its exploration must not be that of one round."""
    X, Y = stream(400)
    booster = case.make()
    for rounds in (1, 2, 3, 50, 151):
        booster.run(X[:rounds], Y[:rounds])
        settled = booster.settled()
        settled._votes.log_nu[:-1] = -1e9  # the expert that `rank` takes is the one drawn
        shown = [settled.predict(x).tolist() for x in X]
        explored = [one != two for one, two in zip(shown, settled.rank(X).tolist(), strict=True)]
        rate = booster.final_rate
        assert abs(np.mean(explored) - rate) < 0.2 * rate + 6 * math.sqrt(rate / len(X))


@every_booster
def test_without_exploring_it_shows_the_ranking_and_begins_no_round(case: Case) -> None:
    X, Y = stream(200)
    booster = case.make(**{} if case.algorithm.full else {"rho": 0.999})
    booster.run(X, Y)
    ranking = booster.rank(X[:20])
    assert [booster.predict(x, explore=False).tolist() for x in X[:20]] == ranking.tolist()
    with pytest.raises(ValueError, match="no prediction is pending"):
        booster.update(np.zeros(N_LABELS if booster.full else 3, int))
    shown = booster.predict(X[0])
    booster.predict(X[1], explore=False)
    asked = copy.deepcopy(booster)
    for one in (booster, asked):
        one.update(feedback(one, shown, Y[0]))
    assert_same(booster, asked)


@every_booster
def test_a_settled_copy_has_come_to_the_final_rate(case: Case) -> None:
    X, Y = stream(60)
    booster = case.make()
    booster.run(X, Y)
    booster.predict(X[0])
    before = snapshot(booster)
    settled = booster.settled()
    with pytest.raises(ValueError, match="no prediction is pending"):
        settled.update(np.zeros(N_LABELS if booster.full else 3, int))
    settled.predict(X[0])
    assert settled._work.rate[0] == booster.final_rate
    assert differing(before, snapshot(booster)) == []
    assert settled.scores(X).tolist() == booster.scores(X).tolist()


@every_booster
def test_the_paper_s_algorithm(case: Case) -> None:
    """Nothing of ours: the smaller label first, large trees, the public ranges."""
    X, Y = stream(80)
    if "schedule" in case.options:
        with pytest.raises(ValueError, match="paper = True sets schedule itself"):
            case.make(paper=True)
        return
    booster = case.make(paper=True)
    assert booster.parameters["trees"] == TreeRanges()
    assert booster.parameters["max_nodes"] == 2**31 - 1
    booster.run(X, 0 * Y)  # nothing is learned, and no label gets ahead of a smaller one
    assert booster.rank(X).tolist() == [list(range(N_LABELS))] * len(X)
    again = type(booster)(**booster.parameters)
    assert again.parameters == booster.parameters

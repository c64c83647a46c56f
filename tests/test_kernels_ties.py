"""What decides between labels that the learners cannot tell apart."""

import numpy as np
import pytest
from cases import CASES, TOP_K, Case, stream

from booster import FullOpt, TopAda, TopOpt
from booster.kernels.state import Votes
from booster.kernels.ties import LEAD, lead


@pytest.mark.parametrize("case", CASES, ids=str)
def test_before_anything_is_seen_all_labels_tie(case: Case) -> None:
    scores = case.make().scores(np.zeros((1, 5)))
    assert len(set(scores[0])) == 1


def test_labels_unknown_to_all_learners_are_ranked_by_their_rate_of_relevance() -> None:
    """Rows with all labels relevant, or none, teach the learners nothing but are seen."""
    booster = TopOpt(n_features=1, n_labels=5, n_learners=2, k=2, rho=0.01)
    shown = booster.predict([0.0])[:2]
    booster.update([1, 1])
    other = [label for label in range(5) if label not in shown]
    assert booster.predict([0.0])[:2].tolist() == shown.tolist()
    booster.update([0, 0])
    booster.predict([0.0])
    booster.update([0, 0])
    scores = booster.scores([[0.0]])[0]
    assert booster.counts["splits"] == 0
    assert min(scores[other]) == max(scores[other]) > max(scores[shown])


def test_the_rate_is_of_what_was_seen() -> None:
    """A label that was relevant twice of four times comes after one that was once of once."""
    votes = Votes(np.ones(1), np.zeros(1), np.array([4.0, 1.0, 0.0]), np.array([2.0, 1.0, 0.0]))
    scores = np.zeros(3)
    lead(votes, scores)
    assert np.argsort(-scores).tolist() == [1, 0, 2]
    assert scores[0] == scores[2] == LEAD / 2


@pytest.mark.parametrize("case", TOP_K, ids=str)
def test_no_difference_that_learners_make_is_overturned(case: Case) -> None:
    """Without what the rates add, pairs keep their order or tie."""
    X, Y = stream(300)
    booster = case.make()
    booster.run(X, Y)
    scores = booster.scores(X)
    booster._votes.seen[:] = booster._votes.relevant[:] = 0.0
    voted = booster.scores(X)
    assert np.abs(scores - voted).max() <= LEAD
    differ = np.abs(voted[:, :, None] - voted[:, None, :]) > 1e-8
    same_order = (scores[:, :, None] > scores[:, None, :]) == (
        voted[:, :, None] > voted[:, None, :]
    )
    assert differ.any()
    assert same_order[differ].all()


def test_rare_labels_no_longer_tie() -> None:
    """Many labels, few of them seen: the definition of the loss counts a tie as wrong."""
    rng = np.random.default_rng(0)
    rate = np.linspace(0.5, 0.01, 40)
    X, Y = rng.normal(size=(1500, 3)), rng.random((1500, 40)) < rate
    for booster in (
        TopOpt(n_features=3, n_labels=40, n_learners=3, rho=0.3),
        TopAda(n_features=3, n_labels=40, n_learners=3, rho=0.3),
        FullOpt(n_features=3, n_labels=40, n_learners=3),
    ):
        assert booster.run(X, Y, loops=2).ties[1] < 0.01

"""What decides between labels that the learners cannot tell apart."""

import numpy as np
import pytest
from cases import CASES, TOP_K, Case, stream

from booster import FullOpt, TopAda, TopOpt


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
    assert booster.counts["splits"] == 0
    assert len(set(booster.scores([[0.0]])[0])) == 1
    assert booster.rank([[0.0]])[0].tolist() == [*other, *sorted(shown.tolist())]


def test_without_the_prior_the_smaller_label_comes_first() -> None:
    booster = TopOpt(n_features=1, n_labels=5, n_learners=2, k=2, rho=0.01, prior=False)
    for _ in range(3):
        assert booster.predict([0.0]).tolist() == [0, 1, 2, 3, 4]
        booster.update([0, 0])


@pytest.mark.parametrize(
    ("seen", "relevant", "ranking"),
    [([4, 1, 0], [2, 1, 0], [1, 0, 2]), ([0, 0, 9], [0, 0, 1], [0, 1, 2])],
)
def test_the_rate_is_of_what_was_seen(
    seen: list[int], relevant: list[int], ranking: list[int]
) -> None:
    """A label that was relevant twice of four times comes after one that was once of once."""
    booster = TopOpt(n_features=1, n_labels=3, n_learners=1, k=2)
    booster._votes.seen[:], booster._votes.relevant[:] = seen, relevant
    booster._recall()
    assert booster.rank([[0.0]])[0].tolist() == ranking


@pytest.mark.parametrize("case", TOP_K, ids=str)
@pytest.mark.parametrize("scale", [1.0, 1e-12])
def test_no_difference_that_learners_make_is_overturned(case: Case, scale: float) -> None:
    """However small the votes are: with many labels TopAda's alphas are."""
    X, Y = stream(300)
    booster = case.make()
    booster.run(X, Y)
    booster._votes.alpha[:] *= scale
    scores, ranking = booster.scores(X), booster.rank(X)
    ranked = np.take_along_axis(scores, ranking, axis=1)
    assert (np.diff(ranked, axis=1) <= 0).all()
    assert len(set(booster._work.prior)) > 1


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

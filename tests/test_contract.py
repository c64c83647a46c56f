"""What every booster promises, whatever its algorithm."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import asdict

import numpy as np
import pytest
from cases import (
    CASES,
    FULL,
    N_FEATURES,
    N_LABELS,
    TOP_K,
    Case,
    arrays_of,
    assert_same,
    differing,
    each,
    feedback,
    learned,
    play,
    snapshot,
    stream,
)
from naive.losses import expected_rank_loss, shown_rank_loss, weighted
from naive.ranking import rank as naive_rank
from naive.schedule import rate

from booster import ALGORITHMS, Booster
from booster.kernels.state import FREE, SLOTS
from booster.tables import CONSTANT, SCHEDULES, SCHEMES

every_booster = each(CASES)
every_top_k_booster = each(TOP_K)

CROSSED = [
    case
    for place, case in enumerate(TOP_K)
    if case.algorithm is (TOP_K[0], TOP_K[-1])[place % 2].algorithm
]


def test_every_algorithm_is_under_test() -> None:
    own = {name: ALGORITHMS.load(name) for name in ALGORITHMS.own}
    assert {case.algorithm for case in CASES} == set(own.values())
    assert all(name == algorithm.__name__.lower() for name, algorithm in own.items())
    assert {case.algorithm for case in TOP_K}.isdisjoint(case.algorithm for case in FULL)
    for algorithm in {case.algorithm for case in TOP_K}:
        options = [case.options for case in TOP_K if case.algorithm is algorithm]
        assert {o["exploration"] for o in options} == set(SCHEMES)
        assert {o.get("schedule", CONSTANT) for o in options} == set(SCHEDULES)


# Rankings


@every_booster
def test_predict_is_pure(case: Case) -> None:
    X, Y = stream(40)
    asked, plain = case.make(), case.make()
    for x, y, another in zip(X, Y, X[::-1], strict=True):
        before = learned(asked)
        first = asked.predict(x)
        asked.predict(another)
        assert asked.predict(x).tolist() == first.tolist() == plain.predict(x).tolist()
        assert differing(before, learned(asked)) == []
        asked.update(feedback(asked, first, y))
        plain.update(feedback(plain, first, y))
        assert_same(asked, plain)


@every_booster
def test_update_belongs_to_the_last_prediction(case: Case) -> None:
    X, Y = stream(60)
    booster, plain = case.make(), case.make()
    for x, y, another in zip(X, Y, X[::-1], strict=True):
        booster.predict(another)
        booster.update(feedback(booster, booster.predict(x), y))
        plain.update(feedback(plain, plain.predict(x), y))
    assert_same(booster, plain)


@pytest.mark.parametrize(
    ("case", "rounds"),
    [
        *((case, 500) for case in CASES),
        # Every scheme and schedule once, now with one algorithm and now with the other.
        *(pytest.param(case, 2000, marks=pytest.mark.slow) for case in CROSSED),
    ],
    ids=str,
)
def test_rankings_follow_the_scores_unless_they_explore(case: Case, rounds: int) -> None:
    X, Y = stream(rounds, seed=5)
    booster = case.make()
    explored = 0
    for x, y in zip(X, Y, strict=True):
        ranking = booster.predict(x)
        scores = booster._work.scores
        if not booster.adaptive:
            assert scores.tolist() == booster.scores(x[np.newaxis])[0].tolist()
        # Of labels with equal votes the one relevant more often, then the smaller, comes first.
        unexplored = np.lexsort((np.arange(N_LABELS), -booster._work.prior, -scores))
        if not booster.adaptive:
            assert booster.predict(x, explore=False).tolist() == unexplored.tolist()
        moved = int((ranking != unexplored).sum())
        explored += moved > 0
        if booster.parameters.get("exploration") == "single-swap":
            assert moved <= 4
        booster.update(feedback(booster, ranking, y))
    if booster.full:
        assert explored == 0
    else:
        # Exploring may restore the ranking, but seldom; six standard deviations either way.
        rates = np.array([rate(booster, t) for t in range(1, rounds + 1)])
        slack = 6 * math.sqrt((rates * (1 - rates)).sum())
        assert 0.8 * rates.sum() - slack < explored < rates.sum() + slack


def test_first_ranking_breaks_all_ties_by_label() -> None:
    for case in FULL:
        assert case.make().predict(np.zeros(N_FEATURES)).tolist() == list(range(N_LABELS))


# Feedback


def hidden(booster: Booster, ranking: list[int]) -> list[int]:
    return ranking[booster.parameters["k"] :]


@every_top_k_booster
def test_hidden_labels_are_never_read(case: Case) -> None:
    X, Y = stream(350)
    streamed, plain = case.make(), case.make()
    shown = play(streamed, X, Y)
    plain_result = plain.run(X, Y, loops=1)
    assert_same(plain, streamed)
    assert plain.counts["splits"] > 0
    rng = np.random.default_rng(1)
    for share in (1.0, 0.5):
        flipped = Y.copy()
        for row, ranking in enumerate(shown):
            unseen = np.array(hidden(streamed, ranking))
            flipped[row, unseen] ^= rng.random(unseen.size) < share
        assert (flipped != Y).mean() > 0.3 * share
        blind = case.make()
        blind_result = blind.run(X, flipped, loops=1)
        # Whole arrays: not even the room that is left may tell of hidden labels.
        assert differing(snapshot(plain), snapshot(blind)) == []
        np.testing.assert_array_equal(plain.scores(X), blind.scores(X))
        # The reported loss, and nothing else, does know them.
        assert plain_result.loss != blind_result.loss


@every_booster
def test_shown_labels_are_read(case: Case) -> None:
    X, Y = stream(60)
    booster = case.make()
    play(booster, X[:50], Y[:50])
    for x, y in zip(X[50:], Y[50:], strict=True):
        ranking = booster.predict(x)
        bits = feedback(booster, ranking, y)
        pickled = pickle.dumps(booster)
        outcomes = []
        for place in [None, *range(bits.size)]:
            told = bits.copy()
            if place is not None:
                told[place] ^= 1
            copied = pickle.loads(pickled)
            copied.predict(x)
            copied.update(told)
            outcomes.append(tuple(sorted(learned(copied).items())))
        assert len(set(outcomes)) == len(outcomes)
        booster.update(bits)


@every_booster
@pytest.mark.parametrize("relevant", [0, 1])
def test_rows_without_pairs_teach_the_learners_nothing(case: Case, relevant: int) -> None:
    X, Y = stream(150)
    booster = case.make()
    booster.run(X, Y)
    before = learned(booster)
    result = booster.run(X, np.full_like(Y, relevant))
    booster.predict(X[0])
    booster.update(feedback(booster, np.arange(N_LABELS), np.full(N_LABELS, relevant)))
    assert set(differing(before, learned(booster))) <= {"rounds", "votes.seen", "votes.relevant"}
    assert booster.rounds == 2 * len(X) + 1
    assert result.loss == result.shown_loss == 0.0
    assert booster.evaluate(X, np.full_like(Y, relevant)).loss == 0.0


@every_booster
def test_rows_without_pairs_among_others(case: Case) -> None:
    X, Y = stream(200)
    Y[::3] = 0
    Y[1::5] = 1
    streamed, compiled = case.make(), case.make()
    play(streamed, X, Y)
    compiled.run(X, Y)
    assert_same(streamed, compiled)
    # Rows that teach nothing take their rounds all the same.
    assert compiled.rounds == len(X)


# Reading only


def plain_losses(scores: np.ndarray, Y: np.ndarray) -> dict[str, float]:
    """The losses averaged over rows, by their definitions."""
    every = []
    for s, y in zip(scores, Y, strict=True):
        d = (s[np.newaxis, y == 0] - s[y == 1, np.newaxis]).ravel()
        share = 1.0 / max(1, d.size)
        wrong, tied = (d >= 0).sum(), (d == 0).sum()
        every.append((share * wrong, share * tied, wrong, np.maximum(0.0, 1.0 + d).sum()))
    means = np.mean(every, axis=0).tolist()
    return dict(zip(("loss", "ties", "rank", "hinge"), means, strict=True))


@every_booster
def test_scores_and_evaluate_read_only(case: Case) -> None:
    X, Y = stream(300)
    Y[7], Y[11] = 0, 1
    booster, plain = case.make(), case.make()
    booster.run(X, Y)
    plain.run(X, Y)
    booster.predict(X[5])
    before = snapshot(booster)
    scores = booster.scores(X)
    evaluation = booster.evaluate(X, Y)
    compared = by_votes_then_prior(booster, scores)
    assert booster.scores(X[:0]).shape == (0, N_LABELS)
    assert differing(before, snapshot(booster)) == []
    ranking = plain.predict(X[5])
    for one in (booster, plain):
        one.update(feedback(one, ranking, Y[5]))
    assert_same(booster, plain)

    assert scores.shape == Y.shape and scores.dtype == np.float64
    found = asdict(evaluation)
    assert found.pop("hinge") == pytest.approx(plain_losses(scores, Y)["hinge"])
    expected = plain_losses(compared, Y)
    del expected["hinge"], found["shown"]  # what is shown has its own tests
    assert found == pytest.approx(expected)


def by_votes_then_prior(booster: Booster, scores: np.ndarray) -> np.ndarray:
    """Scores that compare as pairs of votes and prior do."""
    compared = np.empty_like(scores)
    for row, votes in enumerate(scores):
        pairs = list(zip(votes.tolist(), booster._work.prior.tolist(), strict=True))
        ranks = {pair: rank for rank, pair in enumerate(sorted(set(pairs)))}
        compared[row] = [ranks[pair] for pair in pairs]
    return compared


@every_booster
def test_evaluate_counts_a_tie_as_wrong(case: Case) -> None:
    X, Y = stream(50)
    booster = case.make()  # has learned nothing: all labels tie
    pairs = Y.sum(axis=1) * (N_LABELS - Y.sum(axis=1).astype(int))
    evaluation = booster.evaluate(X, Y)
    assert np.ptp(booster.scores(X), axis=1).max() == 0.0
    assert evaluation.loss == evaluation.ties == pytest.approx((pairs > 0).mean())
    assert evaluation.rank == pytest.approx(pairs.mean())
    assert evaluation.hinge == pytest.approx(pairs.mean())


# Memory


@every_booster
@pytest.mark.parametrize("max_nodes", [1, 2, 3, 4, 31])
def test_memory_is_bounded(case: Case, max_nodes: int) -> None:
    X, Y = stream(1500)
    booster = case.make(max_nodes=max_nodes)
    bound = booster._forest.bounded_bytes
    for _ in range(4):
        booster.run(X, Y)
        assert booster._state().forest.tree_nodes.max() <= max_nodes
        assert booster.counts["bytes"] <= bound
        # What it reports is what its growing arrays hold.
        held = arrays_of(booster._state())
        growing = [held[name].nbytes for name in held if name.split(".")[1] in GROWING]
        assert booster.counts["bytes"] == sum(growing)
    counts = booster.counts
    assert counts["nodes"] == booster._state().forest.tree_nodes.sum()
    assert counts["nodes"] == booster.n_learners + 2 * counts["splits"]
    assert counts["leaves"] == booster.n_learners + counts["splits"]
    assert (counts["splits"] > 0) == (max_nodes >= 3)


GROWING = {"nodes", "rows", "slots", "free", "entries", "cells", "notes"}


@pytest.mark.parametrize("case", FULL, ids=str)
@pytest.mark.parametrize("max_nodes", [1, 3, 7])
def test_memory_is_bounded_with_many_relevant_labels(case: Case, max_nodes: int) -> None:
    X, _ = stream(300)
    Y = np.random.default_rng(2).random((len(X), 40)) < 0.97
    booster = case.make(max_nodes=max_nodes, n_labels=40)
    booster.run(X, Y, loops=3)
    assert booster.counts["bytes"] <= booster._forest.bounded_bytes


@every_booster
def test_frozen_trees_go_on_learning_class_weights(case: Case) -> None:
    X, Y = stream(1500)
    booster = case.make(max_nodes=7)
    booster.run(X, Y, loops=3)
    forest = booster._state().forest
    assert forest.frozen.all()
    # Only splitting needs the observations, and there is none any more.
    assert forest.counts[SLOTS] == forest.counts[FREE] > 0
    nodes, total, scores = forest.nodes.copy(), forest.rows.total.copy(), booster.scores(X)
    attempts = booster.counts["split_attempts"]
    booster.run(X[:200], Y[:200])
    forest = booster._state().forest
    np.testing.assert_array_equal(forest.nodes, nodes)
    assert booster.counts["split_attempts"] == attempts
    leaves = booster.counts["leaves"]
    assert (forest.rows.total[:leaves] >= total[:leaves]).all()
    assert forest.rows.total[:leaves].sum() > total[:leaves].sum()
    np.testing.assert_allclose(
        forest.rows.total[:leaves], forest.rows.weight[:leaves].sum(axis=1), rtol=1e-9
    )
    assert (booster.scores(X) != scores).any()


# Learning


@every_booster
def test_loss_falls_on_an_easy_stream(case: Case) -> None:
    X, Y = stream(1000)
    booster = case.make(n_learners=20)
    loss = booster.run(X, Y, loops=6).loss
    assert loss[-1] < 0.6 * loss[0]
    assert loss[-1] < 0.15
    X_fresh, Y_fresh = stream(1000, seed=9)
    assert booster.evaluate(X_fresh, Y_fresh).loss < 0.15
    # Labels that have nothing to do with the features cannot be learned: no label leaks.
    noise = np.random.default_rng(8).permutation(Y_fresh)
    assert case.make(n_learners=20).run(X_fresh, noise).loss > 0.4


@every_booster
def test_the_weight_cap_caps(case: Case) -> None:
    X, Y = stream(200)
    capped, loose, tight = (case.make(weight_cap=cap) for cap in (None, 1e9, 1e-3))
    for booster in (capped, loose, tight):
        booster.run(X, Y)
    assert_same(capped, loose)
    # The cap is on the weight of one label, before a multiplier of at most 10.
    total = tight._state().forest.rows.total.sum()
    assert 0.0 < total <= 1e-3 * 10 * len(X) * N_LABELS * tight.n_learners
    assert total < capped._state().forest.rows.total.sum()


@every_booster
def test_one_tie_threshold_replaces_what_trees_draw(case: Case) -> None:
    drawn, one = case.make()._forest.trees, case.make(tie_threshold=0.2)._forest.trees
    np.testing.assert_allclose(one.tie, 0.2)
    assert len(set(drawn.tie)) == len(drawn.tie)
    for name in ("covariates", "multiplier", "grace", "log_confidence"):
        np.testing.assert_array_equal(getattr(one, name), getattr(drawn, name))


@every_booster
def test_result_fields(case: Case) -> None:
    X, Y = stream(80)
    Y[3], Y[4] = 0, 1
    loops = 2
    result = case.make().run(X, Y, loops=loops)

    twin = case.make()
    loss, ties, shown_loss = np.zeros((3, loops, len(X)))
    for loop in range(loops):
        for row, (x, y) in enumerate(zip(X, Y, strict=True)):
            ranking = twin.predict(x)
            compared = by_votes_then_prior(twin, twin._work.scores[np.newaxis])
            of_scores = plain_losses(compared, y[np.newaxis])
            loss[loop, row], ties[loop, row] = of_scores["loss"], of_scores["ties"]
            shown_loss[loop, row] = expected_loss(twin, naive_rank(compared[0].tolist()), y)
            twin.update(feedback(twin, ranking, y))
    np.testing.assert_allclose(result.loss, loss.mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(result.ties, ties.mean(axis=1), rtol=1e-12)
    assert ties.any()
    np.testing.assert_allclose(result.shown_loss, shown_loss.mean(axis=1), rtol=1e-12)
    running = np.cumsum(loss) / np.arange(1, loss.size + 1)
    np.testing.assert_allclose(result.curve, running, rtol=1e-12)
    assert result.rounds == loops * len(X) == twin.rounds
    assert result.seconds > 0.0


def expected_loss(booster: Booster, ranking: list[int], y: np.ndarray) -> float:
    """Of what the next round would show."""
    if booster.full:
        return weighted(shown_rank_loss(ranking, y.tolist()), y.tolist())
    given = booster.exploration, booster.k, rate(booster, booster.rounds + 1)
    return weighted(expected_rank_loss(ranking, y.tolist(), *given), y.tolist())


@every_booster
def test_shapes_at_their_limits(case: Case) -> None:
    n_labels = 4 if "single-swap" in str(case) else 2
    k = {} if case.algorithm.full else {"k": n_labels - ("single-swap" in str(case))}
    X, Y = stream(80)
    booster = case.make(n_features=1, n_labels=n_labels, n_learners=1, n_covariates=99, **k)
    streamed = copy.deepcopy(booster)
    booster.run(X[:, :1], Y[:, :n_labels])
    play(streamed, X[:, :1], Y[:, :n_labels])
    assert_same(booster, streamed)
    assert booster._state().forest.rows.total.sum() > 0


@every_booster
def test_constant_features_are_never_split(case: Case) -> None:
    X, Y = stream(300)
    booster = case.make()
    booster.run(np.ones_like(X), Y, loops=2)
    assert booster.counts["splits"] == 0
    assert booster.counts["split_attempts"] > 0


@every_booster
def test_features_of_any_size(case: Case) -> None:
    X, Y = stream(200)
    extreme = X * np.float32(3e37) ** np.linspace(-1, 1, N_FEATURES, dtype=np.float32)
    booster = case.make()
    with np.errstate(all="raise"):
        result = booster.run(extreme, Y, loops=2)
    assert np.isfinite(result.loss).all()
    assert np.isfinite(booster.scores(extreme)).all()

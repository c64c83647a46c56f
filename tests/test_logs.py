"""Feedback that any policy collected: offers, and learning from them one by one or compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import (
    N_FEATURES,
    N_LABELS,
    OBSERVED,
    TOP_K,
    Case,
    assert_same,
    snapshot,
    sparse_stream,
    stream,
)
from naive.closeness import assert_allclose
from naive.estimator import pair_probability
from naive.leaves import CLOSE
from naive.replay import Replay, assert_same_forest
from scipy.sparse import csr_array

from booster import Log, TopAda, TopOpt, template
from booster.logs import count_pairs

every_top_k_booster = pytest.mark.parametrize("case", TOP_K, ids=str)
MARGINAL = Case(TopAda, {"rho": 0.3, "marginal": True, "k": 3})
ALL_SHOWN = [Case(kind, {"rho": 0.3, "k": N_LABELS}) for kind in (TopOpt, TopAda)]
ALSO = [MARGINAL, Case(TopAda, MARGINAL.options | {"k": N_LABELS}), *ALL_SHOWN]


def foreign_log(X: Any, Y: Any, seed: int = 0, width: int = 5) -> Log:
    """A policy that shows 2 to `width` labels, some of them with tiny or certain probabilities."""
    rng = np.random.default_rng(seed)
    n = len(Y)
    shown = np.full((n, width), -1, np.int32)
    bits = np.zeros((n, width), np.uint8)
    pairs = np.zeros((n, count_pairs(width)))
    for row in range(n):
        size = rng.integers(2, width + 1)
        shown[row, :size] = rng.permutation(Y.shape[1])[:size]
        bits[row, :size] = Y[row, shown[row, :size]]
        pairs[row, : count_pairs(size)] = rng.choice(
            [1e-4, 0.1, 0.5, 0.999, 1.0], count_pairs(size)
        )
    return Log(X, shown, bits, pairs)


def learn_row_by_row(booster: Any, log: Log) -> None:
    for x, shown, bits, pairs in zip(log.features, log.shown, log.bits, log.pairs, strict=True):
        n = int((shown >= 0).sum())
        booster.learn(x, shown[:n], bits[:n], pairs[: count_pairs(n)])


@pytest.mark.parametrize("case", [*TOP_K, *ALSO], ids=str)
def test_offer_and_learn_are_predict_and_update(case: Case) -> None:
    X, Y = stream(250)
    offering, predicting = case.make(), case.make()
    for x, y in zip(X, Y, strict=True):
        offer = offering.offer(x)
        ranking = predicting.predict(x)
        assert offer.ranking.tolist() == ranking.tolist()
        assert offer.shown.tolist() == ranking[: predicting.k].tolist()
        offering.learn(x, offer.shown, y[offer.shown], offer.pairs)
        predicting.update(y[offer.shown])
    assert_same(offering, predicting)


@every_top_k_booster
def test_an_offer_states_how_likely_its_pairs_are(case: Case) -> None:
    X, Y = stream(60)
    booster = case.make()
    for x, y in zip(X, Y, strict=True):
        offer = booster.offer(x)
        booster.predict(x)
        top = booster._work.inside
        rate = float(booster._work.rate[0])
        expected = [
            pair_probability(booster.exploration, N_LABELS, booster.k, rate, int(top[a] + top[b]))
            for i, a in enumerate(offer.shown)
            for b in offer.shown[i + 1 :]
        ]
        assert_allclose(offer.pairs, expected, rtol=1e-12, atol=0)
        booster.update(y[offer.shown])


def test_over_experts_an_offer_has_the_mean_of_their_probabilities() -> None:
    X, Y = stream(200)
    booster = MARGINAL.make()
    booster.run(X, Y)
    differs = False
    for x in X[:40]:
        offer = booster.offer(x)
        h = np.array([_distribution(booster, x, i) for i in range(booster.n_learners)])
        votes = np.cumsum(booster._votes.alpha[:, np.newaxis] * h, axis=0)
        nu = np.exp(booster._votes.log_nu - booster._votes.log_nu.max())
        tops = [set(np.lexsort((-booster._work.prior, -v))[:3].tolist()) for v in votes]
        expected = [
            sum(
                n * pair_probability("uniform", N_LABELS, 3, 0.3, len({int(a), int(b)} & top))
                for n, top in zip(nu, tops, strict=True)
            )
            / nu.sum()
            for i, a in enumerate(offer.shown)
            for b in offer.shown[i + 1 :]
        ]
        assert_allclose(offer.pairs, expected, rtol=1e-9, atol=0)
        differs |= len(set(map(frozenset, tops))) > 1
    assert differs


def _distribution(booster: Any, x: Any, i: int) -> Any:
    booster.predict(x)
    return booster._work.h[i].copy()


@pytest.mark.parametrize("case", [*TOP_K[:2], MARGINAL], ids=str)
def test_an_offer_changes_nothing_even_while_a_prediction_is_pending(case: Case) -> None:
    X, Y = stream(80)
    asked, plain = case.make(), case.make()
    for x, y, other in zip(X, Y, X[::-1], strict=True):
        ranking = plain.predict(x)
        asked.predict(x)
        before = snapshot(asked)
        asked.offer(other)
        assert snapshot(asked) == before
        for each in (asked, plain):
            each.update(y[ranking[: each.k]])
    assert_same(asked, plain)


@pytest.mark.parametrize(
    "case", [*(each for each in OBSERVED if not each.algorithm.full), *ALSO], ids=str
)
def test_a_compiled_log_is_its_rows_one_by_one(case: Case) -> None:
    X, Y = sparse_stream(case, 300)
    log = foreign_log(X, Y)
    by_row, compiled, sparse = case.make(), case.make(), case.make()
    for _ in range(2):
        learn_row_by_row(by_row, log)
    assert compiled.run_log(log, loops=2).rounds == 600
    sparse.run_log(Log(csr_array(X), log.shown, log.bits, log.pairs), loops=2)
    assert_same(by_row, compiled)
    assert_same(sparse, compiled)
    assert compiled.rounds == 600


def test_logs_longer_than_a_chunk_and_turns_with_own_feedback() -> None:
    X, Y = stream(template.CHUNK + 100)
    log = foreign_log(X, Y)
    at_once, in_parts = TOP_K[0].make(), TOP_K[0].make()
    at_once.run_log(log)
    at_once.run(X[:50], Y[:50])
    for part in (slice(0, 500), slice(500, None)):
        in_parts.run_log(Log(X[part], log.shown[part], log.bits[part], log.pairs[part]))
    for x, y in zip(X[:50], Y[:50], strict=True):
        ranking = in_parts.predict(x)
        in_parts.update(y[ranking[:3]])
    assert_same(at_once, in_parts)


@pytest.mark.parametrize("case", [*TOP_K[:1], *TOP_K[6:7], MARGINAL, *ALL_SHOWN], ids=str)
def test_learning_from_others_beside_its_twin(case: Case) -> None:
    X, Y = stream(150)
    log = foreign_log(X, Y, width=N_LABELS)
    booster = case.make(n_learners=3)
    replay = Replay(booster)
    twin = replay.twin
    for x, shown, bits, pairs in zip(log.features, log.shown, log.bits, log.pairs, strict=True):
        labels = shown[shown >= 0].tolist()
        places = [(i, j) for i in range(len(labels)) for j in range(i + 1, len(labels))]
        likely = {
            frozenset((labels[i], labels[j])): float(p)
            for (i, j), p in zip(places, pairs, strict=False)
        }
        twin.predict(x.tolist())
        booster.learn(x, labels, bits[: len(labels)], pairs[: len(places)])
        twin.update(dict(zip(labels, bits.astype(bool).tolist(), strict=False)), likely)
        assert_allclose(booster._votes.alpha, twin.alpha, **CLOSE)
        replay.compare_experts()
    assert_same_forest(booster, twin)
    assert max(tree.n_nodes for tree in twin.trees) > 1


GOOD = {"shown": [[0, 1, 2], [3, 4, -1]], "bits": [[1, 0, 0], [0, 1, 0]], "pairs": [[0.5] * 3] * 2}


def broken(*words: str, **changed: Any) -> Any:
    return pytest.param(changed, words, id=" ".join([*changed, *words]))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        broken("row 1", "0 .. 5", "6", shown=[[0, 1, 2], [3, 6, -1]]),
        broken("row 0", "0 .. 5", "-2", shown=[[0, -2, 2], [3, 4, -1]]),
        broken("row 1", "distinct", "3", shown=[[0, 1, 2], [3, 4, 3]]),
        broken("row 1", "at least 2", "1", shown=[[0, 1, 2], [3, -1, -1]]),
        broken("row 0", "-1 only at the end", shown=[[0, -1, 2], [3, 4, -1]]),
        broken("whole", shown=[[0.0, 1.0, 2.0], [3, 4, -1]]),
        broken("2 rows", "(1, 3)", shown=[[0, 1, 2]]),
        broken("row 0", "0 or 1", "2", bits=[[1, 2, 0], [0, 1, 0]]),
        broken("row 1", "0 or 1", "nan", bits=[[1, 0, 0], [0, np.nan, 0]]),
        broken("3 values", "(2, 2)", bits=[[1, 0], [0, 1]]),
        broken("row 1", "at most 1", "1.5", pairs=[[0.5] * 3, [1.5, 0, 0]]),
        broken("row 0", "above 0", "0.0", pairs=[[0.5, 0.0, 0.5], [0.5] * 3]),
        broken("row 0", "above 0", "-0.1", pairs=[[0.5, -0.1, 0.5], [0.5] * 3]),
        broken("row 0", "above 0", "nan", pairs=[[0.5, np.nan, 0.5], [0.5] * 3]),
        broken("3 values", "(2, 1)", pairs=[[0.5], [0.5]]),
        broken("numeric", pairs=[["a"] * 3] * 2),
        broken("finite", "nan", features=[[0.0] * 5, [0.0, 0.0, np.nan, 0.0, 0.0]]),
        broken("at least one row", features=np.zeros((0, 5)), shown=np.zeros((0, 3), int)),
    ],
)
def test_a_broken_log_is_refused_whole(changed: dict[str, Any], words: tuple[str, ...]) -> None:
    booster = TOP_K[0].make()
    booster.run(*stream(50))
    booster.predict(np.zeros(N_FEATURES))
    before = snapshot(booster)
    with pytest.raises(ValueError) as caught:
        booster.run_log(Log(**{"features": np.zeros((2, N_FEATURES))} | GOOD | changed))
    assert all(word in str(caught.value) for word in words), caught.value
    assert snapshot(booster) == before


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (([0, 0], [0, 1], [0.5]), ["shown", "distinct", "0"]),
        (([0, 6], [0, 1], [0.5]), ["shown", "0 .. 5", "6"]),
        (([0, 1], [0, 1, 1], [0.5]), ["bits", "2 values"]),
        (([0, 1], [0, 1], [0.5, 0.5]), ["pairs", "1 value"]),
        (([0, 1], [0, 1], [0.0]), ["pairs", "above 0"]),
        (([0, 1], [0, 1], 0.5), ["pairs", "1 dimension"]),
        (([0], [1], []), ["shown", "at least 2"]),
    ],
)
def test_a_broken_round_is_refused(given: tuple[Any, ...], words: list[str]) -> None:
    booster = TOP_K[0].make()
    before = snapshot(booster)
    with pytest.raises(ValueError) as caught:
        booster.learn(np.zeros(N_FEATURES), *given)
    assert all(word in str(caught.value) for word in words), caught.value
    assert snapshot(booster) == before

"""Random numbers, rankings, exploration and the choice of an expert, against their twins."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from kernel_cases import loaded
from naive import ranking as naive
from naive.draws import Draws

from booster import TopOpt
from booster.kernels.random import below, start_round, uniform
from booster.kernels.ranking import (
    draw_expert,
    explore,
    in_top,
    order_labels,
    rank,
    rank_top,
)
from booster.kernels.schemes import shuffle
from booster.kernels.swaps import swap_twice

keys = st.integers(0, 2**64 - 1)
rounds = st.integers(1, 2**40)
# Few values make many ties, of which zeros of either sign are one.
score = st.sampled_from([0.0, -0.0, 0.5, 1.0, -2.0]) | st.floats(-9, 9)
scored = st.lists(st.tuples(score, st.sampled_from([0.0, 0.25, 0.5])), min_size=2)
"""Labels by their votes, and by what decides between equal ones."""
row = st.lists(
    st.floats(width=32, allow_nan=False, allow_infinity=False) | st.just(-0.0),
    min_size=1,
    max_size=9,
)


def started(key, t, x=(0.5,)):
    """The generator of the kernels, and its twin."""
    rng = np.zeros(1, np.uint64)
    start_round(rng, np.uint64(key), t, loaded(x))
    return rng, Draws.of_round(key, t, x)


@given(keys, rounds, row, st.integers(1, 10**6))
def test_random_numbers(key, t, x, n):
    rng, draws = started(key, t, x)
    assert [uniform(rng) for _ in range(5)] == [draws.uniform() for _ in range(5)]
    assert [below(rng, n) for _ in range(5)] == [draws.below(n) for _ in range(5)]
    assert int(rng[0]) == draws.state


@given(scored)
def test_rank(scored):
    scores, prior = map(list, zip(*scored, strict=True))
    order, spare = np.full((2, len(scores)), -1)
    rank(np.array(scores), np.array(prior), order, spare)
    assert order.tolist() == naive.rank(scores, prior)


@given(scored, st.data())
def test_rank_top(scored, data):
    scores, prior = map(list, zip(*scored, strict=True))
    k = data.draw(st.integers(1, len(scores)))
    order = np.full(len(scores), -1)
    rank_top(np.array(scores), np.array(prior), k, order)
    top = naive.rank(scores, prior)[:k]
    assert order.tolist() == top + [-1] * (len(scores) - k)
    inside = [in_top(np.array(scores), np.array(prior), a, k) for a in range(len(scores))]
    assert np.flatnonzero(inside).tolist() == sorted(top)


@given(keys, rounds, st.integers(2, 30))
def test_shuffle(key, t, m):
    rng, draws = started(key, t)
    order = np.zeros(m, np.int64)
    shuffle(order, rng)
    assert order.tolist() == naive.shuffle(m, draws)


@given(keys, rounds, st.permutations(range(9)), st.integers(3, 8))
def test_swap_twice(key, t, ranking, k):
    rng, draws = started(key, t)
    order = np.array(ranking)
    swap_twice(order, k, rng)
    assert order.tolist() == naive.swap_twice(ranking, k, draws)


@given(keys, rounds, scored, st.booleans(), st.booleans(), st.sampled_from([0, 0.3, 1]), st.data())
def test_order_and_explore(key, t, scored, swaps, whole, rate, data):
    scores, prior = map(list, zip(*scored, strict=True))
    m = len(scores)
    swaps = swaps and m > 3
    k = data.draw(st.integers(3, m - 1) if swaps else st.integers(2, m))
    scheme = naive.SINGLE_SWAP if swaps else naive.UNIFORM
    booster = TopOpt(n_features=1, n_labels=m, n_learners=1, k=k, exploration=scheme)
    work = booster._work
    work.rng[:], draws = started(key, t)
    work.scores[:], work.prior[:], work.rate[:] = scores, prior, rate
    order_labels(booster._rules, whole or swaps, work)
    explore(booster._rules, work)

    ranking = naive.rank(scores, prior)
    shown, explored = naive.explore(ranking, scheme, k, rate, draws)
    places = m if whole or swaps or explored else k
    assert work.order[:places].tolist() == shown[:places]
    assert np.flatnonzero(work.inside).tolist() == sorted(ranking[:k])
    assert work.inside.sum() == k


@given(keys, rounds, st.lists(st.floats(-2000.0, 0.0) | st.floats(-3.0, 0.0), min_size=1))
def test_draw_expert(key, t, log_nu):
    rng, draws = started(key, t)
    expert = draw_expert(np.array(log_nu), rng, np.zeros(len(log_nu)))
    assert expert == naive.draw_expert(log_nu, draws)


def test_draw_expert_follows_the_weights():
    log_nu = np.log([0.1, 0.6, 0.3]) - 5000.0
    drawn = [draw_expert(log_nu, started(7, t)[0], np.zeros(3)) for t in range(1, 4001)]
    assert np.abs(np.bincount(drawn) / 4000 - [0.1, 0.6, 0.3]).max() < 0.03

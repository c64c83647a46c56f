"""Random numbers, rankings, exploration and the choice of an expert, against their twins."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from naive import ranking as naive
from naive.draws import Draws

from booster.kernels.random import below, start_round, uniform
from booster.kernels.ranking import draw_expert, rank, rank_top, show, shuffle, swap_twice
from booster.kernels.state import Rules

keys = st.integers(0, 2**64 - 1)
rounds = st.integers(1, 2**40)
# Few values make many ties, of which zeros of either sign are one.
scores = st.lists(st.sampled_from([0.0, -0.0, 0.5, 1.0, -2.0]) | st.floats(-9, 9), min_size=2)


def started(key, t):
    """The generator of the kernels, and its twin."""
    rng = np.zeros(1, np.uint64)
    start_round(rng, np.uint64(key), t)
    return rng, Draws.of_round(key, t)


@given(keys, rounds, st.integers(1, 10**6))
def test_random_numbers(key, t, n):
    rng, draws = started(key, t)
    assert [uniform(rng) for _ in range(5)] == [draws.uniform() for _ in range(5)]
    assert [below(rng, n) for _ in range(5)] == [draws.below(n) for _ in range(5)]
    assert int(rng[0]) == draws.state


@given(scores)
def test_rank(scores):
    order, spare = np.full((2, len(scores)), -1)
    rank(np.array(scores), order, spare)
    assert order.tolist() == naive.rank(scores)


@given(scores, st.data())
def test_rank_top(scores, data):
    k = data.draw(st.integers(1, len(scores)))
    order = np.full(len(scores), -1)
    rank_top(np.array(scores), k, order)
    assert order.tolist() == naive.rank(scores)[:k] + [-1] * (len(scores) - k)


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


@given(
    keys, rounds, scores, st.booleans(), st.booleans(), st.sampled_from([0.0, 0.3, 1.0]), st.data()
)
def test_show(key, t, scores, swaps, whole, rho, data):
    m = len(scores)
    swaps = swaps and m > 3
    k = data.draw(st.integers(3, m - 1) if swaps else st.integers(2, m))
    rng, draws = started(key, t)
    rules = Rules(False, False, swaps, False, k, rho, 0.0, np.inf, np.uint64(key))
    order, inside, spare = np.full((3, m), -1)
    explored = show(rules, np.array(scores), rng, whole, order, inside, spare)

    ranking = naive.rank(scores)
    scheme = naive.SINGLE_SWAP if swaps else naive.UNIFORM
    shown, expected = naive.explore(ranking, scheme, k, rho, draws)
    assert explored == expected
    places = m if whole or explored else k
    assert order[:places].tolist() == shown[:places]
    assert np.flatnonzero(inside).tolist() == sorted(ranking[:k])
    assert inside.sum() == k


@given(keys, rounds, st.lists(st.floats(-2000.0, 0.0) | st.floats(-3.0, 0.0), min_size=1))
def test_draw_expert(key, t, log_nu):
    rng, draws = started(key, t)
    expert = draw_expert(np.array(log_nu), rng, np.zeros(len(log_nu)))
    assert expert == naive.draw_expert(log_nu, draws)


def test_draw_expert_follows_the_weights():
    log_nu = np.log([0.1, 0.6, 0.3]) - 5000.0
    drawn = [draw_expert(log_nu, started(7, t)[0], np.zeros(3)) for t in range(1, 4001)]
    assert np.abs(np.bincount(drawn) / 4000 - [0.1, 0.6, 0.3]).max() < 0.03

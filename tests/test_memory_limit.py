"""The memory limit of a booster: it is kept, and reaching it changes nothing but growth."""

from __future__ import annotations

import numpy as np
import pytest
from cases import OBSERVED, Case, assert_same, feedback, sparse_stream

from booster import Booster, FullAda, FullOpt, TopOpt
from booster.kernels.state import (
    CELLS,
    CLOSED,
    ENTRIES,
    FROZEN,
    GROWING,
    NODES,
    PAGES,
    ROWS,
    SLOTS,
)
from booster.tables import BAYES
from booster.workspace import count_bytes

USED = [NODES, ROWS, SLOTS, ENTRIES, CELLS, PAGES]
"""What trees are made of, in the order of `Trees.bytes_each`."""


def used_bytes(booster: Booster) -> int:
    """What its trees take without spare room, most of which they could do without."""
    return int(booster._state().forest.counts[USED] @ booster._forest.trees.bytes_each)


every_observer = pytest.mark.parametrize("case", OBSERVED, ids=str)


@every_observer
@pytest.mark.parametrize("share", [0.1, pytest.param(0.4, marks=pytest.mark.slow)])
def test_memory_stays_below_the_limit(case: Case, share: float) -> None:
    X, Y = sparse_stream(case, 500)
    free = case.make(n_learners=8)
    start = free.counts["bytes"]
    free.run(X, Y, loops=4)
    limit = int(1.1 * start + share * (used_bytes(free) - start))
    limited = case.make(n_learners=8, max_bytes=limit)
    for _ in range(4):
        limited.run(X, Y)
        assert limited.counts["bytes"] <= limited._forest.bounded_bytes
        assert limited._forest.bounded_bytes <= limit + 1000
    state = CLOSED if case.options["leaves"] == BAYES else FROZEN
    assert (limited._state().forest.frozen == state).all()
    assert limited.counts["nodes"] <= free.counts["nodes"]
    scores = limited.scores(X)
    limited.run(X, Y)
    assert (limited.scores(X) != scores).any()  # class weights go on learning


@every_observer
def test_a_limit_that_is_not_reached_changes_nothing(case: Case) -> None:
    X, Y = sparse_stream(case, 300)
    free, limited = case.make(), case.make(max_bytes=2**40)
    free.run(X, Y, loops=2)
    limited.run(X, Y, loops=2)
    assert_same(free, limited)
    assert (limited._state().forest.frozen == GROWING).any()


@every_observer
def test_a_stream_closes_in_the_same_round_as_a_run(case: Case) -> None:
    X, Y = sparse_stream(case, 200)
    free = case.make()
    start = free.counts["bytes"]
    free.run(X, Y)
    limit = int(1.1 * start + 0.3 * (used_bytes(free) - start))
    compiled, streamed = case.make(max_bytes=limit), case.make(max_bytes=limit)
    compiled.run(X, Y)
    for x, y in zip(X, Y, strict=True):
        streamed.update(feedback(streamed, streamed.predict(x), y))
    assert (compiled._state().forest.frozen != GROWING).all()
    assert_same(compiled, streamed)


def test_a_limit_below_empty_trees_is_refused() -> None:
    with pytest.raises(ValueError, match=r"max_bytes .*\b100\b"):
        TopOpt(n_features=5, n_labels=40, n_learners=20, max_bytes=100)


@pytest.mark.parametrize("k", [2, 3, 400])
def test_scratch_space_of_feedback_does_not_grow_with_the_square_of_the_labels(k: int) -> None:
    m = 400
    made = TopOpt(n_features=3, n_labels=m, n_learners=1, k=k)
    rows = np.ones((2, 3)), np.eye(2, m)
    made.run(*rows)
    assert count_bytes(made._work.pairs) < 8 * m * 20


def test_the_bound_has_the_tables_of_the_label_sets() -> None:
    made = FullOpt(n_features=3, n_labels=30, n_learners=100)
    before = made.bounded_bytes
    made.expect(np.array([1, 2, 3]))
    assert made.bounded_bytes >= before + 3 * 100 * 200 * 16


@pytest.mark.parametrize("rows", [1, 1023, 1024, 1025, 3000])
def test_evaluation_in_parts_is_that_of_all_rows(rows: int) -> None:
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(rows, 4)), rng.integers(0, 2, (rows, 5))
    made = FullAda(n_features=4, n_labels=5, n_learners=3)
    made.run(X[:50], Y[:50])
    whole = made.evaluate(X, Y)
    alone = [made.evaluate(X[[i]], Y[[i]]).loss for i in range(rows)]
    assert whole.loss == pytest.approx(np.mean(alone))

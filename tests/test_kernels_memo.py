"""What is remembered from one attempt to split to the next changes nothing but the time."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from cases import arrays_of, assert_same
from hypothesis import given
from hypothesis import strategies as st
from test_kernels_nonzero import EAGER, SURE, Both, stream

import booster
from booster.kernels.memo import place_of_listed
from booster.kernels.nonzero import _cut
from booster.kernels.state import ROWS
from booster.workspace import forget


def small_memory(both: Both) -> None:
    """Let all leaves share one place."""
    found = both.work.search.found
    few = {
        name: type(memo)(*(array[:1].copy() for array in memo))
        for name, memo in (("listed", found.listed), ("losses", found.losses))
    }
    search = both.work.search._replace(found=found._replace(**few))
    both.work = both.work._replace(search=search)


def no_memory(both: Both) -> None:
    forget(both.work)


def bits_of(both: Both) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in arrays_of(both.arrays).items()}


@pytest.mark.parametrize("parameters", [SURE, EAGER], ids=["sure", "eager"])
@pytest.mark.parametrize(("observer", "values"), [("binary", "binary"), ("sparse", "counts")])
@pytest.mark.parametrize("folding", [False, True], ids=["notes", "folded"])
def test_leaves_that_are_forgotten_learn_the_same(
    observer: str, values: str, parameters: dict[str, float], folding: bool
) -> None:
    usual, shared, blank = (Both(4, 3, observer=observer, **parameters) for _ in range(3))
    small_memory(shared)
    X, labels, weights = stream(3, 200, 4, 3, values, most=1)
    for turn, (x, own, w) in enumerate(zip(X.astype(np.float32), labels, weights, strict=True)):
        no_memory(blank)
        for both in (usual, shared, blank):
            both.round(x, own, w)
            if folding and turn % 10 == 9:
                both.count_notes()
    assert usual.arrays.counts[ROWS] > 3
    assert bits_of(usual) == bits_of(shared) == bits_of(blank)
    usual.compare()


def test_counted_features_are_listed_where_they_are() -> None:
    """Listed while they are counted, or found later: the same, but for places at ends of pages."""
    both = Both(40, 5, observer="binary", **SURE)
    X, labels, weights = stream(4, 120, 40, 5, "binary")
    for turn, (x, own, w) in enumerate(zip(X.astype(np.float32), labels, weights, strict=True)):
        both.round(x, own, w)
        if turn % 40 == 20:
            both.count_notes()
    found = both.work.search.found
    kept = copy.deepcopy(found.listed)
    listed_rows = kept.row[kept.row >= 0]
    assert listed_rows.size > 0
    forget(both.work)
    for row in listed_rows:
        place, n = place_of_listed(both.arrays, row, found), both.arrays.rows.counted[row]
        for name in ("feature", "weight", "n_cells"):
            before, now = (getattr(listed, name)[place, :n] for listed in (kept, found.listed))
            assert before.tolist() == now.tolist()


def test_a_booster_that_is_restored_forgets_its_leaves() -> None:
    rng = np.random.default_rng(0)
    X, Y = (rng.random((200, 30)) < 0.2) * 1.0, (rng.random((200, 4)) < 0.4) * 1
    shape = {"n_features": 30, "n_labels": 4, "n_learners": 3, "n_covariates": 30, "seed": 1}
    one, other = (booster.FullAda(**shape, observer="binary") for _ in range(2))
    one.run(X, Y)
    other.run(X[::-1], Y[::-1], loops=2)
    other._restore(copy.deepcopy(one._state()), one.rounds)
    for each in (one, other):
        each.run(X, 1 - Y)
    assert_same(one, other)


@given(st.floats(1e-12, 0.5), st.floats(0.0, 1.1))
def test_features_that_are_cut_have_too_little_entropy(p: float, least: float) -> None:
    entropy = -p * math.log2(p) - (1 - p) * math.log2(1 - p)
    if 4 * p * (1 - p) < _cut(least):
        assert entropy < least
    assert not 4 * p * (1 - p) < _cut(entropy)

"""Rows of features in either form: what is read, what is refused, and what a row costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from cases import (
    OBSERVED,
    TOP_K,
    Case,
    arrays_of,
    assert_same,
    differing,
    feedback,
    play,
    snapshot,
    stream,
)
from hypothesis import given
from hypothesis import strategies as st
from learner_cases import LIBRARY, library
from messages import raises
from scipy import sparse

import booster
from booster.features import blank_row, copied, count_rows, dense_rows, row_of, rows_of
from booster.kernels.rows import load_row

N = 7

numbers = st.sampled_from([0.0, -0.0, 1.0, -2.5, 1e-40, 3e38]) | st.floats(-9, 9, width=32)
matrices = st.lists(st.lists(numbers, min_size=N, max_size=N), min_size=1, max_size=6)


def csr(rows: list[list[float]], explicit: bool = False) -> sparse.csr_array:
    """A matrix that has the zeros of its rows, or not."""
    places = [[f for f, value in enumerate(row) if value != 0 or explicit] for row in rows]
    values = [row[f] for row, own in zip(rows, places, strict=True) for f in own]
    columns = [f for own in places for f in own]
    starts = np.cumsum([0, *map(len, places)])
    return sparse.csr_array((np.array(values), columns, starts), shape=(len(rows), N))


@given(st.lists(st.tuples(matrices, st.sampled_from(["dense", "sparse", "explicit"])), max_size=4))
def test_rows_are_loaded_one_after_another(parts: list[tuple[list[list[float]], str]]) -> None:
    """The scratch space has the last row and nothing of those before it."""
    row = blank_row(N)
    for rows, form in parts:
        features = rows_of(rows if form == "dense" else csr(rows, form == "explicit"), N)
        assert count_rows(features) == len(rows)
        for index in reversed(range(len(rows))):
            load_row(features, index, row)
            expected = np.array(rows[index], np.float32) + np.float32(0.0)
            assert row.x.tobytes() == expected.tobytes()
            assert row.where[: row.n[0]].tolist() == np.flatnonzero(expected).tolist()


@given(matrices, st.booleans())
def test_sparse_rows_as_dense_ones(rows: list[list[float]], explicit: bool) -> None:
    features = rows_of(csr(rows, explicit), N)
    np.testing.assert_array_equal(dense_rows(features, N), np.array(rows, np.float32))
    other = copied(features)
    for one, two in zip(features, other, strict=True):
        np.testing.assert_array_equal(one, two)
        assert not np.shares_memory(one, two) or one.size == 0


# What is refused


def a_matrix() -> sparse.csr_array:
    rng = np.random.default_rng(0)
    return sparse.csr_array(rng.normal(size=(4, 5)) * (rng.random((4, 5)) < 0.6))


def changed(**arrays: Any) -> Callable[[], Any]:
    """The matrix with other arrays than SciPy would make."""

    def make() -> Any:
        matrix = a_matrix()
        for name, change in arrays.items():
            setattr(matrix, name, change(getattr(matrix, name).copy()))
        return matrix

    return make


def put(place: int, value: Any) -> Callable[[np.ndarray], np.ndarray]:
    def change(array: np.ndarray) -> np.ndarray:
        array[place] = value
        return array

    return change


def swapped(array: np.ndarray) -> np.ndarray:
    array[[0, 1]] = array[[1, 0]]
    return array


def twice(array: np.ndarray) -> np.ndarray:
    array[1] = array[0]
    return array


REFUSED: dict[str, tuple[Callable[[], Any], tuple[object, ...]]] = {
    "columns that fall": (changed(indices=swapped), ("rising", "row 0")),
    "a column twice": (changed(indices=twice), ("rising", "row 0")),
    "a column beyond the last": (changed(indices=put(2, 5)), ("0 .. 4", 5)),
    "a column before the first": (changed(indices=put(2, -1)), ("0 .. 4", -1)),
    "columns that are no numbers": (
        changed(indices=lambda a: a.astype(np.float64)),
        ("X.indices", "whole", "float64"),
    ),
    "starts that fall": (changed(indptr=put(1, 99)), ("X.indptr",)),
    "starts that begin late": (changed(indptr=put(0, 1)), ("X.indptr",)),
    "too few starts": (changed(indptr=lambda a: a[:-1]), ("X.indptr",)),
    "too many starts": (changed(indptr=lambda a: np.append(a, a[-1])), ("X.indptr",)),
    "too few values": (changed(data=lambda a: a[:-1]), ("X.indptr",)),
    "too few columns": (changed(indices=lambda a: a[:-1]), ("X.indptr",)),
    "nan": (changed(data=put(0, np.nan)), ("finite", "nan")),
    "beyond float32": (changed(data=put(0, 1e39)), ("float32", "1e+39")),
    "complex": (changed(data=lambda a: a * 1j), ("numeric", "complex128")),
    "other columns": (lambda: a_matrix()[:, :4], ("n_features = 5", 4)),
}


@pytest.mark.parametrize("case", [OBSERVED[0], OBSERVED[-1]], ids=str)
@pytest.mark.parametrize("kind", REFUSED)
def test_what_kernels_could_not_read_is_refused(case: Case, kind: str) -> None:
    make, facts = REFUSED[kind]
    one = case.make()
    one.run(*stream(40))
    before = snapshot(one)
    wrong = make()
    Y = np.zeros((wrong.shape[0], one.n_labels))
    for call in (
        lambda: one.run(wrong, Y),
        lambda: one.scores(wrong),
        lambda: one.rank(wrong),
        lambda: one.evaluate(wrong, Y),
    ):
        with raises(ValueError, *facts):
            call()
    assert differing(before, snapshot(one)) == []


@pytest.mark.parametrize("form", ["csc", "coo", "lil", "dok", "bsr"])
def test_other_sparse_forms_are_converted(form: str) -> None:
    """A square: the arrays of CSC would fit, but for the transposed matrix."""
    X, Y = stream(5)
    X = np.triu(X)
    one, other = TOP_K[0].make(), TOP_K[0].make()
    rows = sparse.csr_array(X).asformat(form)
    other.run(rows, Y)
    one.run(X, Y)
    assert_same(one, other)
    assert one.scores(X).tolist() == other.scores(rows).tolist()


def test_the_place_of_a_number_that_is_not_finite() -> None:
    matrix = sparse.csr_array(np.diag([1.0, 2.0, np.inf, 4.0, 5.0]))
    with raises(ValueError, "X", "inf", "(2, 2)"):
        rows_of(matrix, 5)


def test_a_prediction_is_for_one_row() -> None:
    one = TOP_K[0].make()
    matrix = a_matrix()
    with raises(ValueError, "x", "one row", 4):
        one.predict(matrix)
    with raises(ValueError, "x", "one row", 0):
        one.predict(matrix[:0])
    expected = one.predict(matrix[[1]].toarray()[0]).tolist()
    assert one.predict(matrix[[1]]).tolist() == expected
    assert one.predict(matrix[1]).tolist() == expected  # of one dimension, and in coordinates
    with raises(ValueError, "X", 2, 1):
        one.scores(matrix[1])


def test_a_matrix_of_no_entries() -> None:
    one = TOP_K[0].make()
    nothing = sparse.csr_array((3, 5))
    assert one.scores(nothing).tolist() == one.scores(np.zeros((3, 5))).tolist()
    assert row_of(sparse.csr_array((1, 5)), 5).value.size == 0
    with raises(ValueError, "X", "at least one row"):
        one.run(sparse.csr_array((0, 5)), np.zeros((0, one.n_labels)))


@LIBRARY
def test_learners_of_other_libraries_get_whole_rows(name: str) -> None:
    library(name)
    X, Y = stream(25)
    X[np.abs(X) < 0.7] = 0.0
    rows = sparse.csr_array(X)
    one, other, streamed = (TOP_K[0].make(learner=name, n_learners=2) for _ in range(3))
    assert one.run(X, Y).loss.tolist() == other.run(rows, Y).loss.tolist()
    play(streamed, X[:10], Y[:10])
    for i in range(10, 25):
        streamed.update(feedback(streamed, streamed.predict(rows[[i]]), Y[i]))
    assert one.scores(X).tolist() == other.scores(rows).tolist() == streamed.scores(X).tolist()


# Wide data


WIDE = 1_000_000
observed = [case for case in OBSERVED if case.options["observer"] != "gaussian"]


@cache
def wide_stream(n_rows: int, binary: bool) -> tuple[sparse.csr_array, np.ndarray, np.ndarray]:
    """Rows with 100 of a million features, and labels that each belong to some of these."""
    rng = np.random.default_rng(0)
    used = np.sort(rng.choice(WIDE, 300, replace=False))
    columns = np.sort([rng.choice(used, 100, replace=False) for _ in range(n_rows)], axis=1)
    values = np.ones(columns.size) if binary else rng.uniform(0.5, 2.0, columns.size)
    starts = np.arange(0, columns.size + 1, 100)
    rows = sparse.csr_array((values, columns.ravel(), starts), shape=(n_rows, WIDE))
    Y = np.stack([(columns == used[label]).any(axis=1) for label in range(6)], axis=1)
    return rows, Y.astype(np.uint8), used


def poisoned(spoiled: Any, used: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Put what would spoil everything wherever a round has no business."""
    work, trees = spoiled._work, spoiled._forest.trees
    others = np.ones(WIDE, bool)
    others[used] = False
    work.row.x[others] = np.nan
    work.row.where[len(used) :] = -7
    member = trees.member
    if member.size:
        words = np.ones(member.shape[1], bool)
        words[used // 32] = False
        member[:, words] ^= np.uint32(0xFFFFFFFF)
    for array in (work.hits, work.search.touched):
        array[len(used) :] = -7
    work.search.gains[len(used) :] = np.nan
    watched = [work.row.x, work.row.where, member, work.hits, work.search.touched]
    return [(array, array.copy()) for array in watched]


@pytest.mark.parametrize(
    ("case", "n_covariates"),
    [
        pytest.param(case, "all", marks=pytest.mark.slow)
        if case.algorithm in (booster.TopOpt, booster.FullAda)
        else (case, 0.2)
        for case in observed
    ],
    ids=str,
)
def test_a_round_on_a_million_features_touches_only_those_of_its_row(
    case: Case, n_covariates: Any
) -> None:
    rows, Y, used = wide_stream(150, case.options["observer"] == "binary")
    plain, spoiled = (
        case.make(n_features=WIDE, n_learners=3, n_covariates=n_covariates) for _ in range(2)
    )
    watched = poisoned(spoiled, used)
    losses = [each.run(rows, Y, loops=2).curve for each in (plain, spoiled)]
    assert losses[0].tobytes() == losses[1].tobytes()
    for i in range(20):
        ranking = spoiled.predict(rows[[i]])
        assert spoiled._pending is not None
        assert sum(array.nbytes for array in spoiled._pending) < 2000
        spoiled.update(feedback(spoiled, ranking, Y[i]))
        plain.update(feedback(plain, plain.predict(rows[[i]]), Y[i]))
    # Of the scratch space, only what belongs to features of the rows has changed.
    for array, before in watched:
        same = array == before
        if array.dtype.kind == "f":
            same |= np.isnan(array) & np.isnan(before)
        assert (~same).sum() <= len(used)
    assert np.isnan(spoiled._work.row.x).sum() == WIDE - len(used)
    np.testing.assert_array_equal(plain.scores(rows), spoiled.scores(rows))
    assert plain.counts["splits"] > 0
    # Nor is anything that was learned as long as there are features.
    assert max(map(len, arrays_of(plain._state()).values())) < WIDE

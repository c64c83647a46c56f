"""What boosters promise with every observer and every kind of leaf, on rows of either form."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import (
    N_FEATURES,
    N_LABELS,
    OBSERVED,
    Case,
    arrays_of,
    assert_same,
    differing,
    feedback,
    learned,
    play,
    snapshot,
    sparse_stream,
)
from scipy import sparse

import booster
from booster import Booster, template
from booster.tables import GAUSSIAN, LEAVES, OBSERVERS

QUICK = (booster.FullOpt, booster.TopAda)
"""Algorithms that are tried each time: one with full information, one that adapts its votes."""


def cases_of(chosen: list[Case]) -> pytest.MarkDecorator:
    """Parametrise a test by cases, of which other algorithms than `QUICK` are slow."""
    slow = [() if case.algorithm in QUICK else pytest.mark.slow for case in chosen]
    marked = [pytest.param(c, marks=m, id=str(c)) for c, m in zip(chosen, slow, strict=True)]
    return pytest.mark.parametrize("case", marked)


every_observer = cases_of(OBSERVED)
top_k = cases_of([case for case in OBSERVED if not case.algorithm.full])
without_gaussians = cases_of([case for case in OBSERVED if case.options["observer"] != GAUSSIAN])


def test_every_observer_and_leaf_is_under_test() -> None:
    for algorithm in {case.algorithm for case in OBSERVED}:
        options = [case.options for case in OBSERVED if case.algorithm is algorithm]
        assert {o["observer"] for o in options} == set(OBSERVERS)
        assert {o["leaves"] for o in options} == set(LEAVES)


@every_observer
def test_they_split_and_learn(case: Case) -> None:
    X, Y = sparse_stream(case, 600)
    one = case.make(n_learners=12, n_covariates=4)
    loss = one.run(X, Y, loops=4).loss
    assert one.counts["splits"] > 0
    assert loss[-1] < 0.7 * loss[0]
    noise = np.random.default_rng(8).permutation(Y)
    assert case.make(n_learners=12).run(X, noise).loss > 0.3


# The form of rows


@pytest.mark.parametrize(
    ("case", "n_covariates"),
    [
        (case, 2) if case.algorithm in QUICK else pytest.param(case, "all", marks=pytest.mark.slow)
        for case in OBSERVED
    ],
    ids=str,
)
def test_dense_and_sparse_rows_give_the_same_bits(
    case: Case, n_covariates: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(template, "CHUNK", 120)
    X, Y = sparse_stream(case, 200)
    rows = sparse.csr_array(X)
    dense, compiled, streamed = (case.make(n_covariates=n_covariates) for _ in range(3))
    expected = dense.run(X, Y)
    found = compiled.run(rows, Y)
    assert_same(dense, compiled)
    np.testing.assert_array_equal(found.curve, expected.curve)
    np.testing.assert_array_equal(found.shown_loss, expected.shown_loss)
    for i, y in enumerate(Y):
        ranking = streamed.predict(rows[[i]])
        streamed.update(feedback(streamed, ranking, y))
    assert_same(dense, streamed)
    assert dense.counts["splits"] > 0
    np.testing.assert_array_equal(dense.scores(X), compiled.scores(rows))
    np.testing.assert_array_equal(dense.rank(X), compiled.rank(rows))
    assert dense.evaluate(X, Y) == compiled.evaluate(rows, Y)
    for explore in (True, False):
        one = dense.predict(X[0], explore=explore)
        assert one.tolist() == compiled.predict(rows[[0]], explore=explore).tolist()


@every_observer
def test_dense_and_sparse_rows_may_take_turns(case: Case) -> None:
    X, Y = sparse_stream(case, 300)
    plain, mixed = case.make(), case.make()
    plain.run(X, Y)
    for first in range(0, 300, 50):
        part = slice(first, first + 50)
        rows = X[part] if first % 100 else sparse.csr_array(X[part])
        mixed.run(rows, Y[part])
    assert_same(plain, mixed)


WAYS_TO_PASS: dict[str, Callable[[sparse.csr_array], Any]] = {
    "matrix": sparse.csr_matrix,
    "int64 indices": lambda rows: with_indices(rows, np.int64),
    "float64": lambda rows: rows.astype(np.float64),
    "explicit zeros": lambda rows: with_zeros(rows, 0.0),
    "negative zeros": lambda rows: with_zeros(rows, -0.0),
    "spare entries": lambda rows: with_spare_entries(rows),
    "read-only": lambda rows: frozen(rows),
}


def with_indices(rows: sparse.csr_array, dtype: Any) -> sparse.csr_array:
    rows = rows.copy()
    rows.indices, rows.indptr = rows.indices.astype(dtype), rows.indptr.astype(dtype)
    return rows


def with_zeros(rows: sparse.csr_array, zero: float) -> sparse.csr_array:
    """Every place is stored, also where there is nothing."""
    dense = rows.toarray()
    values = np.where(dense == 0, dense.dtype.type(zero), dense)
    n_rows, n_features = dense.shape
    starts = np.arange(0, n_rows * n_features + 1, n_features)
    columns = np.tile(np.arange(n_features), n_rows)
    full = sparse.csr_array((values.ravel(), columns, starts), shape=dense.shape)
    assert full.nnz == dense.size
    return full


def with_spare_entries(rows: sparse.csr_array) -> sparse.csr_array:
    rows = rows.copy()
    rows.data = np.append(rows.data, np.nan).astype(rows.data.dtype)
    rows.indices = np.append(rows.indices, -1).astype(rows.indices.dtype)
    return rows


def frozen(rows: sparse.csr_array) -> sparse.csr_array:
    rows = rows.copy()
    for array in (rows.data, rows.indices, rows.indptr):
        array.flags.writeable = False
    return rows


@every_observer
@pytest.mark.parametrize("way", WAYS_TO_PASS)
def test_sparse_rows_of_any_kind_give_the_same_bits(case: Case, way: str) -> None:
    X, Y = sparse_stream(case, 120)
    plain, other = case.make(), case.make()
    plain.run(X, Y)
    rows = WAYS_TO_PASS[way](sparse.csr_array(X))
    other.run(rows, Y)
    assert_same(plain, other)
    np.testing.assert_array_equal(plain.scores(X), other.scores(rows))


@every_observer
def test_negative_zeros_of_dense_rows_are_zeros(case: Case) -> None:
    X, Y = sparse_stream(case, 120)
    plain, other = case.make(), case.make()
    plain.run(X, Y)
    negative = np.where(X == 0, np.float32(-0.0), X)
    assert np.signbit(negative[X == 0]).all()
    other.run(negative, Y)
    assert_same(plain, other)


@every_observer
def test_arrays_of_the_caller_are_his_own(case: Case) -> None:
    X, Y = sparse_stream(case, 60)
    rows = sparse.csr_array(X)
    plain, other = case.make(), case.make()
    plain.run(X, Y)
    given = rows.copy()
    for i, y in enumerate(Y):
        row = rows[[i]]
        ranking = other.predict(row)
        row.data[:], row.indices[:] = 99.0, 0
        other.update(feedback(other, ranking, y))
    assert_same(plain, other)
    other.run(given, Y)
    assert (given != rows).nnz == 0
    assert given.data.flags.writeable and given.indices.flags.writeable


# The same bits


@every_observer
def test_stream_and_chunks_equal_a_run(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = sparse_stream(case, 150)
    streamed, compiled, chunked, another = (case.make() for _ in range(4))
    play(streamed, X, Y)
    compiled.run(X, Y)
    assert_same(streamed, compiled)
    monkeypatch.setattr(template, "CHUNK", 7)
    chunked.run(X, Y)
    assert_same(chunked, compiled)
    another.run(X[:60], Y[:60])
    play(another, X[60:], Y[60:])
    assert_same(another, compiled)


@top_k
def test_hidden_labels_are_never_read(case: Case) -> None:
    X, Y = sparse_stream(case, 300)
    streamed = case.make()
    flipped = Y.copy()
    for row, ranking in enumerate(play(streamed, X, Y)):
        flipped[row, ranking[streamed.parameters["k"] :]] ^= 1
    plain, blind = case.make(), case.make()
    one, other = plain.run(X, Y), blind.run(sparse.csr_array(X), flipped)
    assert differing(snapshot(plain), snapshot(blind)) == []
    assert_same(plain, streamed)
    assert one.loss != other.loss


@every_observer
def test_predict_is_pure(case: Case) -> None:
    X, Y = sparse_stream(case, 40)
    asked, plain = case.make(), case.make()
    for x, y, another in zip(X, Y, X[::-1], strict=True):
        before = learned(asked)
        first = asked.predict(x)
        asked.predict(sparse.csr_array(another[np.newaxis]))
        asked.scores(X[:3])
        assert asked.predict(x).tolist() == first.tolist() == plain.predict(x).tolist()
        asked.rank(X[:3])
        assert differing(before, learned(asked)) == []
        asked.update(feedback(asked, first, y))
        plain.update(feedback(plain, first, y))
        assert_same(asked, plain)


# Copies


def reloaded(one: Booster, folder: Path) -> Booster:
    one.save(folder / "booster.npz")
    return booster.load(folder / "booster.npz")


COPIES: dict[str, Callable[[Booster, Path], Booster]] = {
    "copied": lambda one, _: copy.deepcopy(one),
    "pickled": lambda one, _: pickle.loads(pickle.dumps(one)),
    "saved": reloaded,
}


@every_observer
@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_copies_go_on_bit_for_bit(
    case: Case, way: str, form: Callable[..., Any], tmp_path: Path
) -> None:
    X, Y = sparse_stream(case, 240)
    rows = form(X)
    original, reference = case.make(), case.make()
    reference.run(rows, Y)
    original.run(rows[:120], Y[:120])
    ranking = original.predict(form(X[120:121]) if form is sparse.csr_array else X[120])
    copied = COPIES[way](original, tmp_path)
    assert copied.parameters == original.parameters
    assert copied.counts == original.counts
    before = learned(copied)
    # Another use of the original does not reach into the copy, nor into its prediction.
    original.update(feedback(original, ranking, Y[120]))
    original.run(rows[121:], Y[121:])
    assert_same(original, reference)
    assert differing(before, learned(copied)) == []
    copied.update(feedback(copied, ranking, Y[120]))
    copied.run(rows[121:], Y[121:])
    assert_same(copied, reference)


@every_observer
def test_a_settled_copy_goes_its_own_way(case: Case) -> None:
    X, Y = sparse_stream(case, 200)
    one = case.make()
    one.run(X, Y)
    before = learned(one)
    settled = one.settled()
    np.testing.assert_array_equal(settled.scores(X), one.scores(sparse.csr_array(X)))
    settled.run(X, 1 - Y)
    assert differing(before, learned(one)) == []
    assert settled._pending is None


@every_observer
@pytest.mark.parametrize("max_nodes", [1, 3, 7])
def test_frozen_trees_keep_their_shape(case: Case, max_nodes: int, tmp_path: Path) -> None:
    X, Y = sparse_stream(case, 800)
    one = case.make(max_nodes=max_nodes)
    one.run(X, Y)
    forest = one._state().forest
    assert forest.frozen.all()
    nodes, scores = forest.nodes.copy(), one.scores(X)
    loaded = reloaded(one, tmp_path)
    for each in (one, loaded):
        each.run(X[:200], Y[:200])
    assert_same(one, loaded)
    np.testing.assert_array_equal(one._state().forest.nodes, nodes)
    assert (one.scores(X) != scores).any()


# Rows at their limits


@every_observer
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_rows_without_anything(case: Case, form: Callable[..., Any]) -> None:
    X, Y = sparse_stream(case, 200)
    one = case.make()
    one.run(form(0 * X), Y, loops=2)
    assert one.counts["splits"] == 0
    scores = one.scores(form(0 * X))
    assert np.isfinite(scores).all()
    assert (scores == scores[0]).all()
    # They are rows like others once there are others.
    X[::3] = 0
    one.run(form(X), Y)
    assert one.counts["splits"] > 0


@every_observer
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("k", [2, N_LABELS])
def test_one_feature(case: Case, form: Callable[..., Any], k: int) -> None:
    X, Y = sparse_stream(case, 200)
    feedback_of = {} if case.algorithm.full else {"k": k}
    one = case.make(n_features=1, n_covariates="all", **feedback_of)
    other = case.make(n_features=1, n_covariates=1, **feedback_of)
    one.run(form(X[:, :1]), Y)
    other.run(X[:, :1], Y)
    assert_same(one, other)
    assert one.counts["splits"] > 0


@every_observer
@pytest.mark.parametrize(
    ("given", "count"), [("all", 5), ("sqrt", 3), (0.5, 3), (0.2, 1), (1.0, 5), (4, 4), (99, 5)]
)
def test_numbers_of_covariates(case: Case, given: Any, count: int) -> None:
    X, Y = sparse_stream(case, 60)
    one, other = case.make(n_covariates=given), case.make(n_covariates=count)
    assert one._forest.trees.n_covariates == count
    one.run(X, Y)
    other.run(X, Y)
    assert_same(one, other)


@every_observer
def test_features_of_any_size(case: Case) -> None:
    X, Y = sparse_stream(case, 200)
    extreme = X * np.float32(3e37) ** np.linspace(-1, 1, N_FEATURES, dtype=np.float32)
    one = case.make()
    with np.errstate(all="raise"):
        assert np.isfinite(one.run(sparse.csr_array(extreme), Y, loops=2).loss).all()
    assert np.isfinite(one.scores(extreme)).all()


@without_gaussians
def test_the_memory_that_is_reported_is_what_is_held(case: Case) -> None:
    X, Y = sparse_stream(case, 300)
    one = case.make()
    one.run(X, Y)
    held = arrays_of(one._state().forest)
    growing = ("nodes", "rows", "slots", "free", "entries", "cells", "notes")
    assert one.counts["bytes"] == sum(
        array.nbytes for name, array in held.items() if name.split(".")[0] in growing
    )


# Observers beside each other


@without_gaussians
@pytest.mark.parametrize("size", [1.0, 0.25])
def test_features_of_two_values_make_the_same_trees(case: Case, size: float) -> None:
    X, Y = sparse_stream(case, 700)
    X = np.float32(size) * (X != 0)
    binary, gaussians = (case.make(observer=name) for name in ("binary", "sparse"))
    one, other = binary.run(X, Y, loops=2), gaussians.run(X, Y, loops=2)
    assert binary.counts["splits"] > 0
    assert one.curve.tobytes() == other.curve.tobytes()
    np.testing.assert_array_equal(binary.scores(X), gaussians.scores(X))
    ours, theirs = (each._state().forest for each in (binary, gaussians))
    count = binary.counts["nodes"]
    np.testing.assert_array_equal(ours.nodes[:count], theirs.nodes[:count])


@pytest.mark.parametrize(
    "case", [c for c in OBSERVED if c.options["observer"] == GAUSSIAN], ids=str
)
def test_features_that_are_never_zero_make_the_trees_of_gaussians(case: Case) -> None:
    """There is no zero to set apart. One covariate each: of several with equal gains, Gaussians
    choose the one that was drawn first, others the one with the smallest number."""
    X, Y = sparse_stream(case, 300)
    X = X + np.random.default_rng(3).uniform(100, 101, X.shape).astype(np.float32)
    plain, other = (case.make(observer=name, n_covariates=1) for name in (GAUSSIAN, "sparse"))
    one, two = plain.run(X, Y), other.run(X, Y)
    assert plain.counts["splits"] > 5
    assert plain.counts["nodes"] == other.counts["nodes"]
    np.testing.assert_allclose(one.curve, two.curve, rtol=1e-9)
    np.testing.assert_allclose(plain.scores(X), other.scores(X), rtol=1e-9)

"""Sparse rows after they are read: their form, fingerprint, splits, observers and training."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from messages import raises
from sparse_cases import assert_sparse, sparse_tables
from tuning import study

from booster.streamed import Streamed
from topk_tune.data import Dataset, hold_out, load, sparse_rows, suggested_observer
from topk_tune.data.csr_arrays import from_arrays, to_arrays
from topk_tune.data.numbered import Numbered
from topk_tune.data.rows import bytes_of, dense_blocks, dense_rows, take
from topk_tune.data.split import fold_rows
from topk_tune.data.summary import summarise
from topk_tune.training.baselines import baselines
from topk_tune.training.training import run_trial
from topk_tune.training.trial import FoldedRows, SplitRows, TrialConfig

DOCUMENTS = "documents:rows=300,dim=500,m=8,nonzeros=12,cardinality=2,seed=2"


def as_dense(data: Dataset) -> Dataset:
    return replace(data, X_train=dense_rows(data.X_train), X_test=dense_rows(data.X_test))


def matrix(data: Any, indices: Any, indptr: Any) -> Any:
    parts = (data, np.array(indices, np.int32), np.array(indptr, np.int32))
    return scipy.sparse.csr_array(parts, shape=(2, 2))


# The form


@given(table=sparse_tables(), data=st.data())
def test_any_matrix_becomes_the_same_canonical_one(
    table: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    X, _ = table
    kind = data.draw(st.sampled_from(["array", "csr", "csc", "coo", "lil"]))
    given_rows = X if kind == "array" else scipy.sparse.csr_array(X).asformat(kind)
    found = sparse_rows(given_rows)
    assert_sparse(found, X)
    assert sparse_rows(found) is found
    once, again = (np.concatenate([m.data, m.indices, m.indptr]) for m in (found, sparse_rows(X)))
    np.testing.assert_array_equal(once, again)


@pytest.mark.parametrize(
    ("rows", "facts"),
    [
        (scipy.sparse.csr_array(np.eye(2)), ["data", "float32", "float64"]),
        (scipy.sparse.csr_matrix(np.eye(2, dtype=np.float32)), ["csr_array", "csr_matrix"]),
        (
            matrix(np.ones(2, "f"), [1, 0], [0, 2, 2]),
            ["rise", "unsorted"],
        ),
        (
            matrix(np.zeros(1, "f"), [1], [0, 1, 1]),
            ["zeros", "some"],
        ),
    ],
)
def test_a_data_set_refuses_rows_that_are_not_canonical(rows: Any, facts: list[str]) -> None:
    Y = np.ones((2, 1), np.uint8)
    with raises(ValueError, "X_train", "topk_tune.data.sparse_rows", *facts):
        Dataset("d", rows, Y, rows, Y, ("a", "b"), ("c",))
    fixed = sparse_rows(rows)
    assert Dataset("d", fixed, Y, fixed, Y, ("a", "b"), ("c",)).form == "sparse"


@given(table=sparse_tables(), data=st.data())
def test_taken_rows_are_those_of_dense_rows(
    table: tuple[np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    X, _ = table
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(X))] * 2)))
    rows = np.array(data.draw(st.lists(st.integers(0, len(X) - 1))), np.intp)
    for index in (slice(first, last), slice(first, None), rows):
        np.testing.assert_array_equal(take(sparse_rows(X), index).toarray(), X[index])


def test_a_slice_shares_the_memory_and_blocks_join_without_a_seam() -> None:
    data = load(DOCUMENTS)
    part = take(data.X_train, slice(0, 150))
    assert np.shares_memory(part.data, data.X_train.data)
    assert np.shares_memory(part.indices, data.X_train.indices)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("topk_tune.data.rows._BLOCK_BYTES", 7 * 4 * 500)
        blocks = list(dense_blocks(data.X_train))
    assert len(blocks) == 30
    np.testing.assert_array_equal(np.vstack(blocks), data.X_train.toarray())
    assert bytes_of(data.X_train) == 8 * data.X_train.nnz + 4 * 211


@given(table=sparse_tables())
def test_stored_arrays_come_back(table: tuple[np.ndarray, np.ndarray]) -> None:
    X, _ = table
    assert_sparse(from_arrays("X", to_arrays("X", sparse_rows(X))), X)
    np.testing.assert_array_equal(from_arrays("X", to_arrays("X", X)), X)


def test_numbered_names_equal_a_tuple() -> None:
    names = Numbered("f", range(1, 4))
    assert names == ("f1", "f2", "f3") == names
    assert names != ("f1", "f2", "f4")
    assert names != ("f1", "f2")
    assert names != Numbered("g", range(1, 4))
    assert (names[-1], list(names[:2])) == ("f3", ["f1", "f2"])
    assert hash(names) == hash(("f1", "f2", "f3"))


# The fingerprint


def test_the_fingerprint_is_the_same_everywhere_and_that_of_every_value() -> None:
    data = load(DOCUMENTS)
    assert data.fingerprint.startswith("5e41346ab677")
    changed = data.X_test.copy()
    changed.data[5] *= 2
    assert replace(data, X_test=changed).fingerprint != data.fingerprint
    moved = data.X_test.copy()
    moved.indices[moved.indptr[1] - 1] = 499
    moved.has_sorted_indices = moved.has_canonical_format = True
    assert replace(data, X_test=moved).fingerprint != data.fingerprint


def test_what_would_be_too_large_when_dense_is_not_written_out() -> None:
    data = load("documents:rows=40,dim=500000000,m=8,nonzeros=3")
    assert not data.matches("0" * 64)


# Documents


def test_documents_have_the_size_that_is_asked_for() -> None:
    data = load(DOCUMENTS)
    assert (data.X_train.shape, data.X_test.shape) == ((210, 500), (90, 500))
    assert (data.Y_train.shape, data.Y_train.dtype) == ((210, 8), np.uint8)
    lengths = np.diff(data.X_train.indptr)
    assert lengths.max() <= 12
    assert lengths.mean() > 8
    assert data.X_train.data.min() >= 0.5
    assert data.X_train.data.max() < 1.5
    assert load(data.name).fingerprint == data.fingerprint
    assert load(f"{DOCUMENTS},seed=3").fingerprint != data.fingerprint


def test_blocks_of_documents_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("topk_tune.data.document_rows._BLOCK_WORDS", 12 * 7)
    data = load(DOCUMENTS)
    assert data.X_train.shape[0] + data.X_test.shape[0] == 300
    assert np.diff(data.X_train.indptr).min() > 0


@pytest.mark.slow
def test_labels_of_documents_can_be_learned() -> None:
    data = load("documents:rows=3000,dim=300,m=6,cardinality=1,binary=1")
    found = {b.name: b.loss for b in baselines(SplitRows(*rows_of(data)), more=True)}
    assert found["logistic regression"] < 0.5 * found["label frequency"]


def rows_of(data: Dataset) -> tuple[Any, ...]:
    return data.X_train, data.Y_train, data.X_test, data.Y_test


@pytest.mark.parametrize(
    ("settings", "facts"),
    [
        ("rows=1", ["rows", "at least 2", "1"]),
        ("nonzeros=0", ["nonzeros", "at least 1", "0"]),
        ("m=5,cardinality=5", ["cardinality", "5"]),
        ("binary=2", ["binary", "2"]),
        ("rows=100000,nonzeros=100000", ["2,147,483,647", "10,000,000,000"]),
        ("width=1", ["width"]),
    ],
)
def test_refused_documents(settings: str, facts: list[str]) -> None:
    with raises(ValueError, *facts):
        load(f"documents:{settings}")


# The observer and the summary


@pytest.mark.parametrize(
    ("rows", "observer"),
    [
        ([[0, 2.5, 1], [1, 0, 1]], "binary"),
        ([[0, 0], [0, 0]], "binary"),
        ([[0, -1], [0, 0]], "sparse"),
        ([[0, 1, 0], [0, 2, 0]], "sparse"),
        ([[1, 1], [2, 0]], "gaussian"),
        ([[1, -1], [0, 0]], "gaussian"),
    ],
)
def test_the_observer_that_fits(rows: list[list[float]], observer: str) -> None:
    X = np.array(rows, np.float32)
    assert suggested_observer(X) == suggested_observer(sparse_rows(X)) == observer


def test_the_summary_is_the_same_in_both_forms() -> None:
    data = load(DOCUMENTS)
    Y = data.Y_train.copy()
    Y[:, [2, 5]] = 0
    data = replace(data, Y_train=Y)
    sparse, dense = summarise(data), summarise(as_dense(data))
    assert (sparse.form, dense.form) == ("sparse", "dense")
    assert replace(sparse, form="dense") == dense
    assert sparse.labels_never_seen == 2
    assert sparse.density == (data.X_train.nnz + data.X_test.nnz) / (300 * 500)
    assert sparse.observer == "sparse"


# Splits and training


@pytest.mark.parametrize("rule", ["tail:0.25", "random:0.25:1"])
def test_held_out_rows_are_those_of_dense_rows(rule: str) -> None:
    data = load(DOCUMENTS)
    sparse, dense = hold_out(data, rule), hold_out(as_dense(data), rule)
    assert_sparse(sparse.X_train, dense.X_train)
    assert_sparse(sparse.X_validation, dense.X_validation)
    np.testing.assert_array_equal(sparse.Y_validation, dense.Y_validation)


@pytest.mark.parametrize("observer", ["gaussian", "sparse"])
@pytest.mark.parametrize("measure", ["read-only", "every way"])
@pytest.mark.parametrize("kind", ["split", "folds"])
def test_a_trial_reports_the_bits_of_dense_rows(observer: str, measure: Any, kind: str) -> None:
    parameters = {"n_learners": 5, "rho": 0.1, "observer": observer}
    config = TrialConfig("topada", 2, parameters)
    reports = []
    for data in (load(DOCUMENTS), as_dense(load(DOCUMENTS))):
        fold = fold_rows(len(data.Y_train), "folds:3:0")
        folded = FoldedRows(data.X_train, data.Y_train, fold)
        rows = SplitRows(*rows_of(data)) if kind == "split" else folded
        made = run_trial(config, 4, rows, measure)
        reports.append([replace(report, seconds=0.0) for report in made])
    assert reports[0] == reports[1]


@pytest.mark.slow
def test_baselines_are_those_of_dense_rows() -> None:
    data = load(DOCUMENTS)
    sparse, dense = (
        baselines(SplitRows(*rows_of(form)), more=True) for form in (data, as_dense(data))
    )
    assert [each.name for each in sparse] == [each.name for each in dense]
    for one, other in zip(sparse, dense, strict=True):
        assert one.loss == pytest.approx(other.loss, abs=2e-3)


class Counting:
    """Ranks by how many words a row has, which only a dense row tells by its length."""

    full = True

    def predict(self, x: Any) -> Any:
        assert len(x) == 500
        return np.roll(np.arange(8), int(np.count_nonzero(x)))

    def update(self, feedback: Any) -> None:
        """Learn nothing."""


def test_rankers_of_others_get_dense_rows() -> None:
    data = load(DOCUMENTS)
    ranker = Streamed(Counting(), 500, 8)
    found = ranker.run(data.X_train, data.Y_train).loss
    assert found.tolist() == ranker.run(data.X_train.toarray(), data.Y_train).loss.tolist()
    assert ranker.evaluate(data.X_test, data.Y_test).loss > 0


def test_a_study_of_dense_rows_continues_with_the_same_rows_held_sparse(tmp_path: Path) -> None:
    data = load(DOCUMENTS)
    before = study(tmp_path, dataset=DOCUMENTS, fingerprint=as_dense(data).fingerprint)
    assert before.data().fingerprint == data.fingerprint
    other = study(tmp_path, name="other", dataset=DOCUMENTS, fingerprint="0" * 64)
    with raises(ValueError, "other data"):
        other.data()

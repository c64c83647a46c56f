"""What every booster promises: the same bits, however it is fed, and from its copies."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import (
    CASES,
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
    stream,
)

from booster import Booster, template

every_booster = each(CASES)
every_top_k_booster = each(TOP_K)

ONE_OF_EACH = list({case.algorithm: case for case in CASES}.values())
"""A case of each algorithm, for what has nothing to do with exploration."""


@every_booster
def test_same_seed_same_bits(case: Case) -> None:
    X, Y = stream(300)
    one, other, another = case.make(), case.make(), case.make(seed=4)
    for booster in (one, other, another):
        booster.run(X, Y)
    assert_same(one, other)
    assert (one.scores(X) != another.scores(X)).any()


@every_top_k_booster
def test_the_seed_also_draws_the_exploration(case: Case) -> None:
    X, Y = stream(100)
    # Nothing is learned from rows without relevant labels, so only exploration differs.
    assert play(case.make(seed=1), X, 0 * Y) != play(case.make(seed=2), X, 0 * Y)


@every_booster
def test_stream_equals_run(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(template, "CHUNK", 150)
    X, Y = stream(250)
    streamed, compiled = case.make(), case.make()
    play(streamed, X, Y)
    compiled.run(X, Y)
    assert_same(streamed, compiled)
    assert streamed.predict(X[0]).tolist() == compiled.predict(X[0]).tolist()
    np.testing.assert_array_equal(streamed.scores(X), compiled.scores(X))
    assert compiled.counts["splits"] > 0


@every_booster
def test_stream_and_run_may_take_turns(case: Case) -> None:
    X, Y = stream(300)
    mixed, compiled = case.make(), case.make()
    mixed.run(X[:100], Y[:100])
    play(mixed, X[100:200], Y[100:200])
    mixed.run(X[200:], Y[200:])
    compiled.run(X, Y)
    assert_same(mixed, compiled)


@every_booster
def test_loops_in_one_go_or_one_by_one(case: Case) -> None:
    X, Y = stream(250)
    at_once, one_by_one = case.make(), case.make()
    together = at_once.run(X, Y, loops=3)
    apart = [one_by_one.run(X, Y) for _ in range(3)]
    assert_same(at_once, one_by_one)
    assert together.loss.tolist() == [float(loss) for r in apart for loss in r.loss]
    assert together.shown_loss.tolist() == [float(loss) for r in apart for loss in r.shown_loss]


@every_booster
def test_the_length_of_a_chunk_does_not_matter(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    X, Y = stream(100)
    whole, chunked = case.make(), case.make()
    expected = whole.run(X, Y, loops=2)
    monkeypatch.setattr(template, "CHUNK", 7)
    result = chunked.run(X, Y, loops=2)
    assert_same(whole, chunked)
    np.testing.assert_array_equal(result.curve, expected.curve)


@every_booster
def test_a_pending_prediction_is_dropped_by_run(case: Case) -> None:
    X, Y = stream(50)
    asked, plain = case.make(), case.make()
    asked.predict(X[3])
    asked.run(X, Y)
    plain.run(X, Y)
    assert_same(asked, plain)
    with pytest.raises(ValueError, match="no prediction is pending"):
        asked.update(np.zeros(N_LABELS if asked.full else 3, int))


WAYS_TO_PASS: dict[str, Callable[[Any, Any], tuple[Any, Any]]] = {
    "float64": lambda X, Y: (X.astype(np.float64), Y.astype(np.float64)),
    "int": lambda X, Y: (X.astype(np.int64), Y.astype(np.int32)),
    "bool labels": lambda X, Y: (X, Y.astype(bool)),
    "lists": lambda X, Y: (X.tolist(), Y.tolist()),
    "column order": lambda X, Y: (np.asfortranarray(X), np.asfortranarray(Y)),
    "strided": lambda X, Y: (np.repeat(X, 2, axis=0)[::2], np.repeat(Y, 3, axis=1)[:, ::3]),
    "reversed": lambda X, Y: (X[::-1].copy()[::-1], Y[::-1, ::-1].copy()[::-1, ::-1]),
    "big endian": lambda X, Y: (X.astype(">f4"), Y.astype(">i2")),
    "unaligned": lambda X, Y: (unaligned(X), Y),
    "read-only": lambda X, Y: (read_only(X), read_only(Y)),
}


def read_only(array: np.ndarray) -> np.ndarray:
    frozen = array.copy()
    frozen.flags.writeable = False
    return frozen


def unaligned(array: np.ndarray) -> np.ndarray:
    shifted = np.frombuffer(b"\0" + array.tobytes(), array.dtype, offset=1).reshape(array.shape)
    assert not shifted.flags.aligned
    return shifted


@pytest.mark.slow
@pytest.mark.parametrize("case", ONE_OF_EACH, ids=str)
@pytest.mark.parametrize("way", WAYS_TO_PASS)
def test_inputs_of_any_kind_give_the_same_bits(case: Case, way: str) -> None:
    X, Y = stream(80)
    X = np.round(4 * X) + 0.0  # whole numbers (none -0), which every type holds exactly
    plain, compiled, streamed = case.make(), case.make(), case.make()
    expected = plain.run(X, Y)
    X_passed, Y_passed = WAYS_TO_PASS[way](X, Y)
    result = compiled.run(X_passed, Y_passed)
    assert_same(plain, compiled)
    assert result.loss == expected.loss
    assert compiled.evaluate(X_passed, Y_passed) == plain.evaluate(X, Y)
    np.testing.assert_array_equal(compiled.scores(X_passed), plain.scores(X))
    for x, y in zip(X_passed, Y_passed, strict=True):
        ranking = streamed.predict(x)
        streamed.update(feedback(streamed, ranking, np.asarray(y)))
    assert_same(plain, streamed)


@every_booster
def test_arrays_of_the_caller_are_his_own(case: Case) -> None:
    X, Y = stream(80)
    booster, plain = case.make(), case.make()
    x = np.empty(N_FEATURES, np.float32)
    for row, y in zip(X, Y, strict=True):
        x[:] = row
        ranking = booster.predict(x)
        bits = feedback(booster, ranking.copy(), y)
        # A caller that reads rows into one buffer, or sorts the ranking, must do no harm.
        x[:] = 99.0
        ranking[:] = 0
        booster.update(bits)
    play(plain, X, Y)
    assert_same(booster, plain)

    X_given, Y_given = X.copy(), Y.copy()
    booster.run(X_given, Y_given, loops=2)
    booster.evaluate(X_given, Y_given)
    np.testing.assert_array_equal(X_given, X)
    np.testing.assert_array_equal(Y_given, Y)
    assert X_given.flags.writeable and Y_given.flags.writeable


# Copies


@pytest.mark.slow
@every_booster
@pytest.mark.parametrize("clone", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
def test_copies_go_on_the_same_and_independently(
    case: Case, clone: Callable[[Booster], Booster]
) -> None:
    X, Y = stream(200)
    original, reference = case.make(), case.make()
    for booster in (original, reference):
        play(booster, X[:100], Y[:100])
    copied = clone(original)
    assert type(copied) is type(original)
    assert copied.parameters == original.parameters

    before = learned(original)
    play(copied, X[100:], Y[100:])
    assert differing(before, learned(original)) == []
    after = learned(copied)
    play(original, X[100:], Y[100:])
    original.run(X, 1 - Y)
    assert differing(after, learned(copied)) == []
    play(reference, X[100:], Y[100:])
    assert_same(copied, reference)


@every_booster
@pytest.mark.parametrize("clone", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))])
def test_copies_keep_the_pending_prediction(
    case: Case, clone: Callable[[Booster], Booster]
) -> None:
    X, Y = stream(100)
    original = case.make()
    original.run(X, Y)
    ranking = original.predict(X[0])
    copied = clone(original)
    # Another use of the original must not reach into the copy's prediction.
    original.predict(X[1])
    original.update(feedback(original, ranking, Y[1]))
    copied.update(feedback(copied, ranking, Y[0]))
    reference = case.make()
    reference.run(np.vstack([X, X[:1]]), np.vstack([Y, Y[:1]]))
    assert_same(copied, reference)


@every_booster
def test_copies_run_the_same_machine_code(case: Case) -> None:
    # An array of another kind (writeable or not) would have every kernel compiled once more.
    booster = case.make()
    booster.predict(np.zeros(N_FEATURES))
    copied = copy.deepcopy(booster)
    assert copied._pending is not None
    own = arrays_of(booster._state()) | arrays_of(booster._work)
    theirs = arrays_of(copied._state()) | arrays_of(copied._work)
    for name in own:
        assert own[name].flags.writeable == theirs[name].flags.writeable, name
        assert own[name].flags.c_contiguous and theirs[name].flags.c_contiguous, name

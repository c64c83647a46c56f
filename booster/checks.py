"""Checks of the contract that every algorithm and every weak learner must meet.

A package that adds one runs them in its own tests, with or without pytest:

    import pytest
    from booster import checks

    @pytest.mark.parametrize(**checks.for_pytest(checks.of_algorithm(Popularity)))
    def test_popularity(check):
        check()

A failed check raises an AssertionError that states the broken rule and the value.
"""

from __future__ import annotations

import copy
import math
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.persistence import load
from booster.protocol import parameters_of
from booster.template import Booster

N_FEATURES = 5
N_LABELS = 6
N_ROWS = 120

Rows = tuple[NDArray[np.float32], NDArray[np.uint8]]
Maker = Callable[..., Any]


@dataclass(frozen=True)
class Check:
    """A check and the factory of the object that it tests.

    Parameters
    ----------
    promise
        Takes `make` and raises an AssertionError if the rule is broken.
    make
        Returns a new, small ranker or learner each time it is called.
    """

    promise: Callable[[Maker], None]
    make: Maker

    def __call__(self) -> None:
        self.promise(self.make)

    def __str__(self) -> str:
        return self.promise.__name__


def of_algorithm(algorithm: type, **parameters: Any) -> Iterator[Check]:
    """Yield the checks of an algorithm made with the given parameters; see `booster.protocol`.

    Checks of optional methods, for example `run` or `save`, are skipped if it lacks them.
    """
    # Fewer learners than the default keep the checks fast.
    few = {"n_learners": 6} if "n_learners" in parameters_of(algorithm) else {}
    shape = {"n_features": N_FEATURES, "n_labels": N_LABELS}

    def make(**others: Any) -> Any:
        return algorithm(**{"seed": 3, **shape, **few, **parameters, **others})

    yield from (Check(promise, make) for promise in _ALWAYS)
    for needs, promise in _IF_IT_HAS:
        if all(hasattr(algorithm, name) for name in needs):
            yield Check(promise, make)


def of_learner(learner: type, **parameters: Any) -> Iterator[Check]:
    """Yield the checks of a weak learner; see `booster.learners.WeakLearner`."""
    born = {"grace": 5.0, "confidence": 0.1, "tie": 0.3, "max_nodes": 15, **parameters}

    def make(**others: Any) -> Any:
        return learner(N_LABELS, list(range(N_FEATURES - 1)), **{**born, **others})

    yield from (Check(promise, make) for promise in _OF_LEARNERS)


def for_pytest(checks: Iterable[Check]) -> dict[str, Any]:
    """Return the arguments of `pytest.mark.parametrize` for a test that takes `check`."""
    found = list(checks)
    return {"argnames": "check", "argvalues": found, "ids": [str(check) for check in found]}


def stream(n_rows: int = N_ROWS, seed: int = 0) -> Rows:
    """Return rows whose labels each depend on one feature plus noise, so trees learn them fast."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, N_FEATURES)).astype(np.float32)
    signal = np.repeat(X, 2, axis=1)[:, :N_LABELS] * np.resize([1, -1], N_LABELS)
    return X, (signal + 0.1 * rng.normal(size=signal.shape) > 0.3).astype(np.uint8)


def told(ranker: Any, ranking: ArrayLike, y: NDArray[Any]) -> NDArray[Any]:
    """Return the feedback that a ranker gets on the labels `y` after it has shown a ranking."""
    return y if getattr(ranker, "full", False) else y[np.asarray(ranking)[: ranker.k]]


def play(ranker: Any, X: ArrayLike, Y: ArrayLike) -> list[list[int]]:
    """Predict and update row by row; return the rankings shown."""
    shown = []
    for x, y in zip(np.asarray(X), np.asarray(Y), strict=True):
        ranking = np.asarray(ranker.predict(x)).tolist()
        ranker.update(told(ranker, ranking, y))
        shown.append(ranking)
    return shown


def demand(holds: object, sentence: str) -> None:
    if not holds:
        raise AssertionError(sentence)


def _behaviour(ranker: Any) -> list[Any]:
    """Return everything observable about a ranker without teaching it, bit for bit."""
    X, _ = stream(20, seed=9)
    asked = copy.deepcopy(ranker)
    seen = [np.asarray(asked.predict(x)).tolist() for x in X]
    for name in ("rank", "scores"):
        if hasattr(ranker, name):
            seen.append(np.asarray(getattr(asked, name)(X)).tobytes())
    return seen


# Algorithms


def rankings_are_permutations(make: Maker) -> None:
    """A ranking contains every label exactly once."""
    ranker = make()
    X, Y = stream()
    labels = list(range(N_LABELS))
    for ranking in play(ranker, X, Y):
        demand(sorted(ranking) == labels, f"a ranking must have every label once: {ranking}")
    if hasattr(ranker, "rank"):
        for row in np.asarray(ranker.rank(X)).tolist():
            demand(sorted(row) == labels, f"rank must have every label once: {row}")


def predict_is_pure(make: Maker) -> None:
    """`predict` learns nothing; feedback refers to the last prediction."""
    X, Y = stream()
    asked, plain = make(), make()
    for x, y, another in zip(X, Y, X[::-1], strict=True):
        first = np.asarray(asked.predict(x)).tolist()
        asked.predict(another)
        again = np.asarray(asked.predict(x)).tolist()
        expected = np.asarray(plain.predict(x)).tolist()
        demand(first == again, f"two predictions must agree, but got {first} and {again}")
        demand(again == expected, f"predict must not learn: got {again}, expected {expected}")
        asked.update(told(asked, again, y))
        plain.update(told(plain, expected, y))
    demand(_behaviour(asked) == _behaviour(plain), "predict must not learn")


def the_same_seed_gives_the_same_bits(make: Maker) -> None:
    """All randomness comes from the seed, not from global state."""
    X, Y = stream()
    kept = random.getstate(), np.random.get_state()
    shown = []
    try:
        for turn in range(2):
            random.seed(turn)
            np.random.seed(turn)
            ranker = make()
            shown.append((play(ranker, X, Y), _behaviour(ranker)))
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])
    demand(shown[0] == shown[1], "the same seed must give the same rankings")


def a_copy_goes_on_the_same(make: Maker) -> None:
    """A copy made mid-stream, even with a prediction pending, continues like the original."""
    X, Y = stream()
    half = len(X) // 2
    one = make()
    play(one, X[:half], Y[:half])
    ranking = np.asarray(one.predict(X[half])).tolist()
    other = copy.deepcopy(one)
    untouched = copy.deepcopy(one)
    for each in (one, other):
        each.update(told(each, ranking, Y[half]))
    shown = [play(each, X[half + 1 :], Y[half + 1 :]) for each in (one, other)]
    demand(shown[0] == shown[1], "a copy must predict like the original")
    demand(_behaviour(one) == _behaviour(other), "a copy must learn like the original")
    untouched.update(told(untouched, ranking, Y[half]))
    late = play(untouched, X[half + 1 :], Y[half + 1 :])
    demand(late == shown[0], "training a copy must not change the original")


def feedback_is_read(make: Maker) -> None:
    """Different feedback leads to a different ranker."""
    X, _ = stream()
    found = []
    for label in range(2):
        ranker = make()
        Y = np.zeros((len(X), N_LABELS), np.uint8)
        Y[:, label] = 1
        found.append((play(ranker, X, Y), _behaviour(ranker)))
    demand(found[0] != found[1], "a ranker must learn from its feedback")


def bad_input_is_refused(make: Maker) -> None:
    """Bad input raises a ValueError and changes nothing."""
    X, Y = stream()
    ranker, plain = make(), make()
    _refused(lambda: ranker.update(Y[0][:2]), "update before any prediction")
    for each in (ranker, plain):
        play(each, X[:20], Y[:20])
    _refused(lambda: ranker.predict(np.full(N_FEATURES, math.nan)), "a row that is not finite")
    _refused(lambda: ranker.predict(np.zeros(N_FEATURES + 1)), "a row of the wrong length")
    ranking = np.asarray(ranker.predict(X[20])).tolist()
    wrong = np.zeros(N_LABELS + 1, np.uint8)
    _refused(lambda: ranker.update(wrong), "feedback of the wrong length")
    for each in (ranker, plain):
        each.predict(X[20])
        each.update(told(each, ranking, Y[20]))
    demand(_behaviour(ranker) == _behaviour(plain), "refused input must change nothing")


def _refused(call: Callable[[], object], what: str) -> None:
    with suppress(ValueError):
        call()
        raise AssertionError(f"{what} must be refused with a ValueError")


def reading_changes_nothing(make: Maker) -> None:
    """`rank`, `scores` and `evaluate` learn nothing, even while a prediction is pending."""
    X, Y = stream()
    asked, plain = make(), make()
    for x, y in zip(X[:30], Y[:30], strict=True):
        ranking = np.asarray(asked.predict(x)).tolist()
        plain.predict(x)
        for name, given in (("rank", (X,)), ("scores", (X,)), ("evaluate", (X, Y))):
            if hasattr(asked, name):
                getattr(asked, name)(*given)
        for each in (asked, plain):
            each.update(told(each, ranking, y))
    demand(_behaviour(asked) == _behaviour(plain), "rank, scores and evaluate must not learn")


def run_is_the_stream(make: Maker) -> None:
    """`run` over arrays learns the same as `predict` and `update` row by row."""
    X, Y = stream()
    streamed, compiled = make(), make()
    play(streamed, X, Y)
    compiled.run(X, Y, 1)
    demand(_behaviour(streamed) == _behaviour(compiled), "run must learn like update")


def hidden_labels_are_never_read(make: Maker) -> None:
    """`run` with top-k feedback does not read the labels below the top k."""
    X, Y = stream()
    probe = make()
    if getattr(probe, "full", False):
        return
    flipped = Y.copy()
    for row, ranking in enumerate(play(probe, X, Y)):
        flipped[row, ranking[probe.k :]] ^= 1
    plain, blind = make(), make()
    plain.run(X, Y, 1)
    blind.run(X, flipped, 1)
    demand(_behaviour(plain) == _behaviour(blind), "run must not read labels that are not shown")


def saved_and_loaded_it_goes_on_the_same(make: Maker) -> None:
    """A saved file holds everything that was learned."""
    X, Y = stream()
    half = len(X) // 2
    one = make()
    play(one, X[:half], Y[:half])
    with tempfile.TemporaryDirectory() as folder:
        one.save(Path(folder) / "saved")
        other = _load(type(one), Path(folder) / "saved")
    demand(_behaviour(one) == _behaviour(other), "a loaded ranker must equal the saved one")
    shown = [play(each, X[half:], Y[half:]) for each in (one, other)]
    demand(shown[0] == shown[1], "a loaded ranker must continue like the original")


def _load(kind: type, path: Path) -> Any:
    if issubclass(kind, Booster):
        return load(path)
    reader: Any = kind
    return reader.load(path)


_ALWAYS = (
    rankings_are_permutations,
    predict_is_pure,
    the_same_seed_gives_the_same_bits,
    a_copy_goes_on_the_same,
    feedback_is_read,
    bad_input_is_refused,
    reading_changes_nothing,
)
_IF_IT_HAS: tuple[tuple[tuple[str, ...], Callable[[Maker], None]], ...] = (
    (("run",), run_is_the_stream),
    (("run",), hidden_labels_are_never_read),
    (("save",), saved_and_loaded_it_goes_on_the_same),
)


# Weak learners


def _teach(learner: Any, seed: int = 0) -> None:
    """Feed weighted labels of some rows, a few of them with weight 0."""
    X, Y = stream(seed=seed)
    weights = np.random.default_rng(seed).uniform(0.0, 5.0, len(X))
    for x, y, weight in zip(X.tolist(), Y, weights, strict=True):
        for label in np.flatnonzero(y).tolist():
            learner.learn(x, label, float(weight))


def _distributions(learner: Any) -> list[list[float]]:
    X, _ = stream(30, seed=9)
    return [list(learner.distribution(x)) for x in X.tolist()]


def distributions_are_distributions(make: Maker) -> None:
    """A distribution has one non-negative number for every label, and they sum to 1."""
    learner = make()
    for turn in range(3):
        for found in _distributions(learner):
            demand(len(found) == N_LABELS, f"every label must have a number: {found}")
            demand(min(found) >= 0.0, f"no number may be below 0: {found}")
            demand(math.isclose(sum(found), 1.0, abs_tol=1e-9), f"the sum must be 1: {found}")
        _teach(learner, turn)


def asking_teaches_nothing(make: Maker) -> None:
    """`distribution` learns nothing."""
    asked, plain = make(), make()
    for seed in range(3):
        _distributions(asked)
        for each in (asked, plain):
            _teach(each, seed)
    demand(_distributions(asked) == _distributions(plain), "distribution must not learn")


def a_weight_of_0_is_nothing(make: Maker) -> None:
    """A label with weight 0 changes nothing."""
    taught, plain = make(), make()
    X, _ = stream()
    for each in (taught, plain):
        _teach(each)
    for x in X.tolist():
        taught.learn(x, 0, 0.0)
    demand(_distributions(taught) == _distributions(plain), "a weight of 0 must change nothing")


def it_learns(make: Maker) -> None:
    """A label becomes more likely when it is taught."""
    learner = make()
    X, _ = stream()
    before = np.mean([each[2] for each in _distributions(learner)])
    for x in X.tolist():
        learner.learn(x, 2, 1.0)
    after = np.mean([each[2] for each in _distributions(learner)])
    demand(after > before, f"a taught label must become likelier, not {before:g} to {after:g}")


def only_its_covariates_count(make: Maker) -> None:
    """A learner gets whole rows, but uses only its own covariates."""
    learner = make()
    _teach(learner)
    X, _ = stream(30, seed=9)
    X[:, -1] += 100.0
    moved = [list(learner.distribution(x)) for x in X.tolist()]
    demand(moved == _distributions(learner), "features that are not its covariates must not count")


def a_copied_learner_goes_on_the_same(make: Maker) -> None:
    """Learners made and taught alike are the same, and so is a copy."""
    one, other = make(), make()
    for each in (one, other):
        _teach(each)
    copied = copy.deepcopy(one)
    demand(_distributions(one) == _distributions(other), "the same lessons must teach the same")
    for each in (one, copied, other):
        _teach(each, seed=1)
    found = [_distributions(each) for each in (one, copied, other)]
    demand(found[0] == found[1], "a copy must learn like the original")
    demand(found[0] == found[2], "teaching a copy must not teach the original")


def it_keeps_its_budget(make: Maker) -> None:
    """A learner never exceeds `max_nodes` nodes or its `bounded_bytes`."""
    for most in (1, 3, 15):
        learner = make(max_nodes=most)
        bound = learner.bounded_bytes
        for seed in range(5):
            _teach(learner, seed)
            held = learner.nbytes
            demand(learner.n_nodes <= most, f"n_nodes = {learner.n_nodes} must be at most {most}")
            demand(0 < held <= bound, f"{held} bytes must be at most bounded_bytes = {bound}")
        demand(learner.n_attempts >= 0, f"n_attempts must be >= 0, but is {learner.n_attempts}")


_OF_LEARNERS = (
    distributions_are_distributions,
    asking_teaches_nothing,
    a_weight_of_0_is_nothing,
    it_learns,
    only_its_covariates_count,
    a_copied_learner_goes_on_the_same,
    it_keeps_its_budget,
)

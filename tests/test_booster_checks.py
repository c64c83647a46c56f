"""The checks that ship hold for everything in the tables, and fail for what breaks a promise."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import CASES, Case
from learner_cases import LIBRARIES, NativeTree, library
from packages import SONGRANK

from booster import checks
from booster.checks import Check
from booster.tables import NATIVE

sys.path.append(str(SONGRANK))
from songrank.algorithm import Popularity
from songrank.learner import Frequency


def _of_case(case: Case) -> list[Check]:
    return list(checks.of_algorithm(case.algorithm, **case.options))


ALL = [(case, check) for case in CASES for check in _of_case(case)]


@pytest.mark.slow
@pytest.mark.parametrize(("case", "check"), ALL, ids=lambda each: str(each))
def test_boosters_keep_every_promise(case: Case, check: Check) -> None:
    check()


@pytest.mark.parametrize(**checks.for_pytest(checks.of_algorithm(Popularity)))
def test_a_ranker_of_another_package_does(check: Check) -> None:
    check()


LEARNERS = {"songrank": lambda: Frequency, NATIVE: lambda: NativeTree} | {
    name: (lambda name=name: library(name)) for name in LIBRARIES
}


@pytest.mark.parametrize("name", LEARNERS)
def test_learners_keep_every_promise(name: str) -> None:
    for check in checks.of_learner(LEARNERS[name]()):
        if name != NATIVE or check.promise is not checks.it_keeps_its_budget:  # a forest's affair
            check()


# What breaks a promise


class Kept(Popularity):
    """Has all that a ranker may have, and keeps to it."""

    def run(self, X: np.ndarray, Y: np.ndarray, loops: int = 1) -> None:
        for _ in range(loops):
            checks.play(self, X, Y)

    def save(self, path: Any) -> None:
        learned = {"shown": self._shown, "relevant": self._relevant, "rounds": self.rounds}
        np.savez(path.with_suffix(".npz"), **learned)

    @classmethod
    def load(cls, path: Any) -> Kept:
        made = cls(n_features=5, n_labels=6, seed=3)
        with np.load(path.with_suffix(".npz")) as file:
            made._shown, made._relevant = file["shown"], file["relevant"]
            made.rounds = int(file["rounds"])
        return made


class Missing(Kept):
    def predict(self, x: np.ndarray) -> np.ndarray:
        found = super().predict(x)
        found[-1] = found[0]
        return found


class Counting(Kept):
    def predict(self, x: np.ndarray) -> np.ndarray:
        self.rounds += 1
        return super().predict(x)


class Moody(Kept):
    def predict(self, x: np.ndarray) -> np.ndarray:
        self.seed = int(np.random.randint(1000))
        return super().predict(x)


class Shared(Kept):
    def __deepcopy__(self, memo: dict[int, Any]) -> Shared:
        return copy.copy(self)


class Deaf(Kept):
    def update(self, feedback: np.ndarray) -> None:
        super().update(0 * feedback)


class Lenient(Kept):
    def predict(self, x: np.ndarray) -> np.ndarray:
        return super().predict(np.zeros(self.n_features))


class Busy(Kept):
    def rank(self, X: np.ndarray) -> np.ndarray:
        self._relevant[3] += 1
        return super().rank(X)


class Peeking(Kept):
    def run(self, X: np.ndarray, Y: np.ndarray, loops: int = 1) -> None:
        super().run(X, Y, loops)
        self._relevant[Y.sum(axis=0).argmax()] += 1e6


class Other(Kept):
    def run(self, X: np.ndarray, Y: np.ndarray, loops: int = 1) -> None:
        super().run(X[::-1], Y[::-1], loops)


class Forgetful(Kept):
    @classmethod
    def load(cls, path: Any) -> Forgetful:
        return cls(n_features=5, n_labels=6, seed=3)


BROKEN: dict[Callable[..., None], type] = {
    checks.rankings_are_permutations: Missing,
    checks.predict_is_pure: Counting,
    checks.the_same_seed_gives_the_same_bits: Moody,
    checks.a_copy_goes_on_the_same: Shared,
    checks.feedback_is_read: Deaf,
    checks.bad_input_is_refused: Lenient,
    checks.reading_changes_nothing: Busy,
    checks.hidden_labels_are_never_read: Peeking,
    checks.run_is_the_stream: Other,
    checks.saved_and_loaded_it_goes_on_the_same: Forgetful,
}


@pytest.mark.parametrize("promise", BROKEN, ids=lambda promise: promise.__name__)
def test_a_broken_promise_is_found(promise: Callable[..., None]) -> None:
    def check(kind: type) -> Check:
        (found,) = [each for each in checks.of_algorithm(kind) if each.promise is promise]
        return found

    check(Kept)()
    with pytest.raises(AssertionError):
        check(BROKEN[promise])()


def test_every_promise_can_be_broken() -> None:
    assert {each.promise for each in checks.of_algorithm(Kept)} == set(BROKEN)


class Greedy(Frequency):
    def distribution(self, x: Any) -> list[float]:
        return [2 * each for each in super().distribution(x)]


class Curious(Frequency):
    def distribution(self, x: Any) -> list[float]:
        self._weights[0] += 1
        return super().distribution(x)


class Eager(Frequency):
    def learn(self, x: Any, label: int, weight: float) -> None:
        super().learn(x, label, weight + 1)


class Stubborn(Frequency):
    def learn(self, x: Any, label: int, weight: float) -> None:
        """Never."""


class Looking(Frequency):
    def distribution(self, x: Any) -> list[float]:
        found = super().distribution(x)
        return found if x[-1] < 50 else found[::-1]


class Alike(Frequency):
    def __deepcopy__(self, memo: dict[int, Any]) -> Alike:
        return self


class Bloated(Frequency):
    n_nodes = 5


BROKEN_LEARNERS: dict[Callable[..., None], type] = {
    checks.distributions_are_distributions: Greedy,
    checks.asking_teaches_nothing: Curious,
    checks.a_weight_of_0_is_nothing: Eager,
    checks.it_learns: Stubborn,
    checks.only_its_covariates_count: Looking,
    checks.a_copied_learner_goes_on_the_same: Alike,
    checks.it_keeps_its_budget: Bloated,
}


@pytest.mark.parametrize("promise", BROKEN_LEARNERS, ids=lambda promise: promise.__name__)
def test_a_learner_that_breaks_a_promise_is_found(promise: Callable[..., None]) -> None:
    assert {each.promise for each in checks.of_learner(Frequency)} == set(BROKEN_LEARNERS)
    broken = BROKEN_LEARNERS[promise]
    (check,) = [each for each in checks.of_learner(broken) if each.promise is promise]
    with pytest.raises(AssertionError):
        check()

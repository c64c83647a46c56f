"""Bad input: a ValueError that states the rule and the value, before anything is changed."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest
from cases import (
    CASES,
    FULL,
    N_FEATURES,
    N_LABELS,
    TOP_K,
    Case,
    K,
    assert_same,
    differing,
    feedback,
    play,
    snapshot,
    stream,
    takes,
)
from messages import raises

from booster import ALGORITHMS, Booster, TreeRanges
from booster.parameters import MOST, fraction, interval, positive, share, switch, whole
from booster.plugins import Table
from booster.tables import LEARNERS, LEAVES, OBSERVERS, SCHEDULES, SCHEMES

every_booster = pytest.mark.parametrize("case", CASES, ids=str)
# What all boosters inherit is tried on one of each kind of feedback.
either_feedback = pytest.mark.parametrize("case", [TOP_K[0], FULL[0]], ids=str)

SHAPE = {"n_features": N_FEATURES, "n_labels": N_LABELS}
HUGE = 10**30
NOT_WHOLE = [2.5, 3.0, math.nan, "3", None, True, [3]]
NO_FLOAT = [10**400, Fraction(1, 10**400)]  # infinite, or 0, as a float
NOT_A_NUMBER = [math.nan, math.inf, -math.inf, "0.5", None, [0.5], 0.5j, *NO_FLOAT]
NOT_A_RANGE = [
    (0.5, 0.1),
    (0.0, 0.5),
    (-0.1, 0.5),
    (math.nan, 0.5),
    (0.1, math.nan),
    (0.1, math.inf),
    (0.1, 10**400),
    0.5,
    (0.1, 0.2, 0.3),
    ("0.1", "0.5"),
    None,
]

NO_NAMES = [
    *((SCHEDULES, "schedule", value) for value in ("fade", "Linear", None, 1)),
    *((SCHEMES, "exploration", value) for value in ("swap", "Uniform", "", None, 1, ["uniform"])),
    *((OBSERVERS, "observer", value) for value in ("nominal", "Binary", None, 0)),
    *((LEAVES, "leaves", value) for value in ("votes", "Bayes", None, ["bayes"])),
    *((LEARNERS, "learner", value) for value in ("vfdt", "River", None, ["river"])),
]
"""Values that are not in a table."""

OWN = [ALGORITHMS.load(name) for name in ALGORITHMS.own]


# The checks, with every value that breaks them


@pytest.mark.parametrize(
    ("check", "facts", "values"),
    [
        (partial(whole, least=2), ["whole"], NOT_WHOLE),
        (partial(whole, least=2), ["at least 2"], [1, 0, -3]),
        (partial(whole, least=2), ["2", MOST], [HUGE]),
        (partial(whole, least=2, most=6), ["2", "6"], [1, 7, HUGE]),
        (fraction, ["0 < name < 1"], [0, 0.0, 1, 1.0, -0.1, 1.1, *NOT_A_NUMBER]),
        (partial(fraction, limit=0.995), ["0 < name < 0.995"], [0, 0.995, *NOT_A_NUMBER]),
        (share, ["0 <= name <= 1"], [-0.1, 1.1, *NOT_A_NUMBER[:-1]]),
        (positive, ["positive", "finite"], [0, -1.0, *NOT_A_NUMBER]),
        (switch, ["True or False"], [0, 1, "yes", None]),
        (interval, ["(low, high)", "0 < low <= high"], NOT_A_RANGE),
        (partial(interval, most=1.0), ["0 < low <= high <= 1"], [*NOT_A_RANGE, (0.5, 1.5)]),
    ],
)
def test_checks(check: Callable[..., Any], facts: list[object], values: list[Any]) -> None:
    for value in values:
        with raises(ValueError, "name", *facts, f"but got {value!r}"):
            check("name", value)


# The parameters of the algorithms


class Rule(NamedTuple):
    """A value that breaks a rule of a parameter, and what the error mentions of the rule."""

    name: str
    value: Any
    facts: tuple[object, ...]
    others: dict[str, Any]


def broken(name: str, value: Any, *facts: object, **others: Any) -> Rule:
    return Rule(name, value, facts, others)


BROKEN = [
    broken("n_features", 0, 1),
    broken("n_features", 2.5, "whole"),
    broken("n_labels", 1, 2),
    broken("n_labels", 2.5, "whole"),
    broken("n_learners", 0, 1),
    broken("n_learners", 2.5, "whole"),
    broken("n_covariates", 0, 1),
    broken("n_covariates", 2.5, "whole"),
    broken("n_covariates", 0.0, "share"),
    broken("n_covariates", True, "whole"),
    broken("n_covariates", "most", "sqrt", "all"),
    broken("leaves", "bayes", "observer"),
    broken("observer", "sparse", "learner", "river", learner="river"),
    broken("max_nodes", 0, 1),
    broken("max_nodes", 2.5, "whole"),
    broken("max_bytes", 0, 1),
    broken("max_bytes", 1.5, "whole"),
    broken("seed", -1, 0),
    broken("seed", 2.5, "whole"),
    broken("weight_cap", 0, "positive"),
    broken("tie_threshold", 0, "positive"),
    broken("prior", 1, "True or False"),
    broken("paper", 1, "True or False"),
    broken("max_nodes", 31, "paper = True", paper=True),
    broken("weight_cap", 1.0, "paper = True", paper=True),
    broken("tie_threshold", 0.1, "paper = True", paper=True),
    broken("k", 1, 2, N_LABELS),
    broken("k", N_LABELS + 1, 2, N_LABELS),
    broken("k", 2.5, "whole"),
    broken("k", 2, "3 <= k <", N_LABELS, "single-swap", exploration="single-swap"),
    broken("k", N_LABELS, "3 <= k <", N_LABELS, "single-swap", exploration="single-swap"),
    broken("rho", 0, "0 < rho < 1"),
    broken("rho", 1, "0 < rho < 1"),
    broken("rho_end", 1, "0 < rho_end < 1"),
    broken("rho_end", 0.2, "rho", 0.1, "linear", rho=0.1, schedule="linear", horizon=9),
    broken("horizon", None, "linear", schedule="linear"),
    broken("horizon", -1, 0, schedule="linear"),
    broken("horizon", 2.5, "whole"),
    broken("least_probability", 0.995, "0 < least_probability < 0.995"),
    broken("schedule", "linear", "paper = True", paper=True, horizon=9),
    broken("least_probability", 0.1, "paper = True", paper=True),
    broken("step_scale", 0, "positive"),
    broken("step_scale", 3.0, "paper = True", paper=True),
    broken("marginal", 1, "True or False"),
    broken("marginal", True, "paper = True", paper=True),
    broken("gamma", 0, "0 < gamma < 1"),
    broken("gamma", 1, "0 < gamma < 1"),
]


def declared_by(algorithm: type[Booster], parameter: str) -> type:
    """The class that an algorithm has a parameter from."""
    return next(base for base in algorithm.__mro__ if parameter in vars(base)["__annotations__"])


def where_declared(rules: list[Rule]) -> list[Any]:
    """Each rule with one algorithm for each class that declares it and each kind of feedback."""
    chosen = {}
    for place, rule in enumerate(rules):
        for algorithm in OWN:
            if takes(algorithm, rule.name):
                declared = declared_by(algorithm, rule.name)
                chosen.setdefault((place, declared, algorithm.full), (algorithm, rule))
    return [
        pytest.param(algorithm, rule, id=f"{algorithm.__name__}-{rule.name}={rule.value!r}")
        for algorithm, rule in chosen.values()
    ]


@pytest.mark.parametrize(("algorithm", "rule"), where_declared(BROKEN))
def test_parameters_must_keep_their_rules(algorithm: type[Booster], rule: Rule) -> None:
    with raises(ValueError, rule.name, *rule.facts, f"but got {rule.value!r}"):
        algorithm(**SHAPE | rule.others | {rule.name: rule.value})


@pytest.mark.parametrize(("table", "name", "value"), NO_NAMES)
def test_what_is_named_must_be_known(table: Table, name: str, value: Any) -> None:
    with raises(ValueError, table.kind, repr(value), *table):
        ALGORITHMS.load("topada")(**SHAPE | {name: value})


def test_every_parameter_is_tried() -> None:
    tried = {rule.name for rule in BROKEN} | {name for _, name, _ in NO_NAMES} | {"trees"}
    for algorithm in OWN:
        booster = algorithm(**SHAPE)
        assert booster.parameters.keys() <= tried


@pytest.mark.parametrize("name", TreeRanges.__dataclass_fields__)
def test_tree_ranges_must_be_ranges(name: str) -> None:
    with raises(ValueError, name, "0 < low <= high", (0.5, 0.1)):
        TOP_K[0].make(trees=TreeRanges(**{name: (0.5, 0.1)}))


def test_split_confidence_is_at_most_one() -> None:
    with raises(ValueError, "split_confidence", "high <= 1", (0.5, 1.5)):
        TOP_K[0].make(trees=TreeRanges(split_confidence=(0.5, 1.5)))


def test_weights_that_would_overflow_are_refused() -> None:
    with raises(ValueError, "weight_multiplier", "high <= 1e+100", (1, 1e308)):
        TOP_K[0].make(trees=TreeRanges(weight_multiplier=(1, 1e308)))


@either_feedback
def test_trees_must_be_tree_ranges(case: Case) -> None:
    with raises(ValueError, "trees", {"grace_period": (5.0, 20.0)}):
        case.make(trees={"grace_period": (5.0, 20.0)})


@every_booster
def test_parameters_at_their_limits(case: Case) -> None:
    X, Y = stream(40)
    least = {"n_learners": 1, "n_covariates": 1, "max_nodes": 1, "seed": 0, "weight_cap": 1e-300}
    least["tie_threshold"] = 1e-300
    for name, value in (("rho", 1e-9), ("rho_end", 1e-9), ("gamma", 1e-9), ("horizon", 0)):
        least |= {name: value} if takes(case.algorithm, name) else {}
    case.make(**least).run(X, Y)
    most = {"n_covariates": 10**6, "max_nodes": 10**6, "seed": 2**70, "weight_cap": 1e300}
    most["tie_threshold"] = 1e300
    for name, value in (("rho", 1 - 1e-9), ("gamma", 1 - 1e-9)):
        most |= {name: value} if takes(case.algorithm, name) else {}
    ranges = TreeRanges((1.0, 1.0), (1e-3, 1e3), (1.0, 1.0), (1e100, 1e100))
    case.make(**most, trees=ranges).run(X, Y)


@either_feedback
def test_numbers_of_any_type_are_numbers(case: Case) -> None:
    X, Y = stream(60)
    plain = {"n_covariates": 2, "max_nodes": 7, "seed": 5, "weight_cap": 0.5}
    numpy = {"n_covariates": np.int64(2), "max_nodes": np.uint8(7), "seed": np.int32(5)}
    numpy["weight_cap"] = np.float32(0.5)
    if takes(case.algorithm, "rho"):
        plain |= {"rho": 0.25, "k": 4}
        numpy |= {"rho": Fraction(1, 4), "k": np.int16(4)}
    one, other = case.make(**plain), case.make(**numpy)
    one.run(X, Y)
    other.run(X, Y)
    assert_same(one, other)
    assert {name: type(v) for name, v in other.parameters.items()} == {
        name: type(v) for name, v in one.parameters.items()
    }


# Of the kind whose text is not the word itself.
Word = enum.Enum("Word", {"SWAP": "single-swap", "OWN": "native"}, type=str)


def test_a_word_may_be_a_member_of_an_enumeration() -> None:
    one = ALGORITHMS.load("topopt")(**SHAPE, exploration=Word.SWAP, learner=Word.OWN)
    other = ALGORITHMS.load("topopt")(**SHAPE, exploration="single-swap")
    assert repr(one.parameters) == repr(other.parameters)
    assert one._rules == other._rules


@either_feedback
def test_parameters_cannot_be_changed_later(case: Case) -> None:
    one = case.make()
    for name, value in one.parameters.items():
        with raises(AttributeError, name):
            setattr(one, name, value)


# Data


def with_value(shape: tuple[int, ...], value: float, place: tuple[int, ...]) -> np.ndarray:
    array = np.zeros(shape)
    array[place] = value
    return array


X, Y = stream(4)
BAD_ROWS = {
    "nan": (with_value(X.shape, math.nan, (2, 1)), "X", "finite", "nan at (2, 1)"),
    "infinite": (with_value(X.shape, math.inf, (0, 4)), "X", "finite", "inf at (0, 4)"),
    "minus infinite": (with_value(X.shape, -math.inf, (3, 0)), "X", "finite", "-inf at (3, 0)"),
    "beyond float32": (
        with_value(X.shape, 1e39, (1, 1)),
        "X",
        "finite",
        "1e+39 at (1, 1)",
    ),
    "too few columns": (X[:, 1:], "X", "n_features", N_FEATURES, 4),
    "too many columns": (np.hstack([X, X]), "X", "n_features", N_FEATURES, 10),
    "one row": (X[0], "X", "2 dimensions", 1),
    "three dimensions": (X[np.newaxis], "X", "2 dimensions", 3),
    "a number": (1.0, "X", "2 dimensions", 0),
    "strings": (X.astype(str), "X", "numeric", "dtype('<"),
    "objects": (X.astype(object), "X", "numeric", "dtype('O')"),
    "complex": (X.astype(complex), "X", "numeric", "dtype('complex128')"),
    "ragged": ([[0.0], [0.0, 1.0]], "X", "array", 2, "[[0.0], [0.0, 1.0]]"),
    "masked": (np.ma.masked_less(X, X.mean()), "X", "masked"),
}
BAD_ROW = {
    "nan": (with_value((N_FEATURES,), math.nan, (2,)), "x", "finite", "nan at (2,)"),
    "infinite": (with_value((N_FEATURES,), math.inf, (0,)), "x", "finite", "inf at (0,)"),
    "beyond float32": (
        with_value((N_FEATURES,), -1e39, (1,)),
        "x",
        "finite",
        "-1e+39 at",
    ),
    "too short": (X[0, 1:], "x", "n_features", N_FEATURES, 4),
    "too long": (np.append(X[0], 0), "x", "n_features", N_FEATURES, 6),
    "rows": (X[:1], "x", "1 dimension", 2),
    "a number": (1.0, "x", "1 dimension", 0),
    "strings": (X[0].astype(str), "x", "numeric", "dtype('<"),
    "nothing": (None, "x", "1 dimension", 0),
    "ragged": ([0.0, [1.0]], "x", "array", 1, "[0.0, [1.0]]"),
    "masked": (np.ma.array(X[0], mask=[1, 1, 0, 0, 0]), "x", "masked", 2),
}
BAD_LABELS = {
    "two": (with_value(Y.shape, 2, (1, 3)), "Y", "0 or 1", "2.0 at (1, 3)"),
    "minus one": (with_value(Y.shape, -1, (0, 0)).astype(int), "Y", "0 or 1", "-1 at (0, 0)"),
    "a half": (with_value(Y.shape, 0.5, (3, 5)), "Y", "0 or 1", "0.5 at (3, 5)"),
    "nan": (with_value(Y.shape, math.nan, (2, 2)), "Y", "0 or 1", "nan at (2, 2)"),
    "256": (with_value(Y.shape, 256, (2, 2)).astype(int), "Y", "0 or 1", "256 at (2, 2)"),
    "too few rows": (Y[1:], "Y", "n_labels", (4, N_LABELS), (3, 6)),
    "too few columns": (Y[:, 1:], "Y", "n_labels", (4, N_LABELS), (4, 5)),
    "transposed": (Y.T, "Y", "n_labels", (4, N_LABELS), (6, 4)),
    "one row": (Y[0], "Y", "2 dimensions", 1),
    "strings": (Y.astype(str), "Y", "numeric", "dtype('<"),
    "ragged": ([[0], [0, 1]], "Y", "array", 2, "[[0], [0, 1]]"),
    "masked": (np.ma.masked_equal(Y, 1), "Y", "masked"),
}


def bad_feedback(n_seen: int, name: str) -> dict[str, tuple[Any, ...]]:
    bits = np.zeros(n_seen, int)
    return {
        "too short": (bits[1:], "feedback", f"{name} = {n_seen}", n_seen - 1),
        "too long": (np.append(bits, 0), "feedback", f"{name} = {n_seen}", n_seen + 1),
        "nothing": ([], "feedback", f"{name} = {n_seen}", 0),
        "two": (with_value((n_seen,), 2, (1,)), "feedback", "0 or 1", "2.0 at (1,)"),
        "nan": (with_value((n_seen,), math.nan, (0,)), "feedback", "0 or 1", "nan at (0,)"),
        "rows": (bits[np.newaxis], "feedback", "1 dimension", 2),
        "a number": (1, "feedback", "1 dimension", 0),
        "strings": (bits.astype(str), "feedback", "numeric", "dtype('<"),
        "none": (None, "feedback", "1 dimension", 0),
        "ragged": ([0, [1]], "feedback", "array", 1, "[0, [1]]"),
    }


class Unharmed:
    """A booster in the middle of its stream, with a prediction pending, and bad calls."""

    def __init__(self, case: Case) -> None:
        self.booster, self.twin = case.make(), case.make()
        self.X, self.Y = stream(60, seed=2)
        for one in (self.booster, self.twin):
            play(one, self.X, self.Y)
            self.ranking = one.predict(self.X[0])
        self.before = snapshot(self.booster)

    def refuses(self, facts: Sequence[object], method: str, *arguments: Any, **more: Any) -> None:
        with raises(ValueError, *facts):
            getattr(self.booster, method)(*arguments, **more)
        assert differing(self.before, snapshot(self.booster)) == []

    def goes_on(self) -> None:
        """The pending prediction, and all after it, are as if nothing had happened."""
        for one in (self.booster, self.twin):
            one.update(feedback(one, self.ranking, self.Y[0]))
            play(one, self.X, self.Y)
        assert_same(self.booster, self.twin)


@either_feedback
def test_features_must_be_finite_rows(case: Case) -> None:
    unharmed = Unharmed(case)
    for bad, *facts in BAD_ROWS.values():
        unharmed.refuses(facts, "run", bad, Y)
        unharmed.refuses(facts, "scores", bad)
        unharmed.refuses(facts, "evaluate", bad, Y)
    for bad, *facts in BAD_ROW.values():
        unharmed.refuses(facts, "predict", bad)
    unharmed.goes_on()


@either_feedback
def test_labels_must_be_bits(case: Case) -> None:
    unharmed = Unharmed(case)
    for bad, *facts in BAD_LABELS.values():
        unharmed.refuses(facts, "run", X, bad)
        unharmed.refuses(facts, "evaluate", X, bad)
    unharmed.goes_on()


@either_feedback
def test_feedback_must_be_the_bits_shown(case: Case) -> None:
    unharmed = Unharmed(case)
    full = case.algorithm.full
    cases = bad_feedback(N_LABELS, "n_labels") if full else bad_feedback(K, "k")
    for bad, *facts in cases.values():
        unharmed.refuses(facts, "update", bad)
    unharmed.goes_on()


@either_feedback
def test_there_must_be_rows_and_loops(case: Case) -> None:
    unharmed = Unharmed(case)
    for loops in (0, -1, 10**13):
        unharmed.refuses(["loops", 1, f"got {loops}"], "run", X, Y, loops=loops)
    for loops in NOT_WHOLE:
        unharmed.refuses(["loops", "whole", f"got {loops!r}"], "run", X, Y, loops=loops)
    for method in ("run", "evaluate"):
        unharmed.refuses(["X", "one row"], method, X[:0], Y[:0])
    unharmed.goes_on()


@either_feedback
def test_loops_that_memory_cannot_record_change_nothing(case: Case) -> None:
    unharmed = Unharmed(case)
    rows = 10_000  # so many that no processor has the addresses
    with pytest.raises(MemoryError):
        unharmed.booster.run(
            np.zeros((rows, N_FEATURES)), np.zeros((rows, N_LABELS)), loops=2**31 - 1
        )
    unharmed.goes_on()


@either_feedback
def test_what_is_no_number_has_no_loss(case: Case) -> None:
    one = case.make()
    one.run(*stream(60))
    one._votes.alpha[:] = math.nan
    with raises(ValueError, "scores", math.nan):
        one.evaluate(X, Y)
    with raises(ValueError, "finite", math.nan):
        one.run(X, Y)


@either_feedback
def test_update_needs_a_prediction(case: Case) -> None:
    booster = case.make()
    bits = np.zeros(N_LABELS if booster.full else K, int)
    bits[0] = 1
    for _ in range(2):
        before = snapshot(booster)
        with raises(ValueError, "predict", "update"):
            booster.update(bits)
        assert differing(before, snapshot(booster)) == []
        # Once learned from, a prediction is no longer pending.
        booster.predict(X[0])
        booster.update(bits)


@either_feedback
def test_a_refused_row_leaves_the_pending_one(case: Case) -> None:
    booster, twin = case.make(), case.make()
    ranking = booster.predict(X[0])
    twin.predict(X[0])
    with raises(ValueError, "x", "finite", math.nan):
        booster.predict(np.full(N_FEATURES, math.nan))
    for one in (booster, twin):
        one.update(feedback(one, ranking, Y[0]))
    assert_same(booster, twin)


@either_feedback
def test_parameters_are_given_by_name(case: Case) -> None:
    with raises(TypeError, "positional"):
        case.algorithm(0.5, **SHAPE)

"""Bad input: a ValueError that states the rule and the value, before anything is changed."""

from __future__ import annotations

import enum
import math
import reprlib
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pytest
from cases import (
    CASES,
    N_FEATURES,
    N_LABELS,
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

from booster import ALGORITHMS, Booster, TreeRanges
from booster.plugins import Table
from booster.tables import LEARNERS, SCHEDULES, SCHEMES

every_booster = pytest.mark.parametrize("case", CASES, ids=str)

SHAPE = {"n_features": N_FEATURES, "n_labels": N_LABELS}
NOT_WHOLE = [2.5, 3.0, math.nan, "3", None, True, [3]]
NO_FLOAT = [10**400, Fraction(1, 10**400)]  # which would be infinite, or 0
NOT_A_NUMBER = [math.nan, math.inf, -math.inf, "0.5", None, [0.5], 0.5j, *NO_FLOAT]


class Rule(NamedTuple):
    """A rule, and a value of a parameter that breaks it where the others are as given."""

    text: str
    name: str
    value: Any
    others: dict[str, Any]


def broken(text: str, name: str, *values: Any, **others: Any) -> list[Rule]:
    return [Rule(text, name, value, others) for value in values]


BROKEN = [
    *broken("1 <= n_features", "n_features", 0, -1, 10**30),
    *broken("n_features whole", "n_features", *NOT_WHOLE),
    *broken("2 <= n_labels", "n_labels", 1, 0, -3, 10**30),
    *broken("n_labels whole", "n_labels", *NOT_WHOLE),
    *broken("1 <= n_learners", "n_learners", 0, -1, 10**30),
    *broken("n_learners whole", "n_learners", *NOT_WHOLE),
    *broken("1 <= n_covariates", "n_covariates", 0, -1, 10**30),
    *broken("n_covariates whole", "n_covariates", *NOT_WHOLE),
    *broken("1 <= max_nodes", "max_nodes", 0, -7, 10**30),
    *broken("max_nodes whole", "max_nodes", *NOT_WHOLE),
    *broken("0 <= seed", "seed", -1),
    *broken("seed whole", "seed", *[v for v in NOT_WHOLE if v is not None]),
    *broken("weight_cap > 0", "weight_cap", 0, -1.0, *[v for v in NOT_A_NUMBER if v is not None]),
    *broken(
        "tie_threshold > 0", "tie_threshold", 0, -0.5, *[v for v in NOT_A_NUMBER if v is not None]
    ),
    *broken(f"2 <= k <= {N_LABELS}", "k", 1, 0, -2, N_LABELS + 1),
    *broken("k whole", "k", *NOT_WHOLE),
    *broken("0 < rho < 1", "rho", 0, 0.0, 1, 1.0, -0.1, 1.1, *NOT_A_NUMBER),
    *broken("0 < rho_end < 1", "rho_end", 0, 1, -0.1, *NOT_A_NUMBER),
    *broken("rho_end <= rho = 0.1", "rho_end", 0.2, rho=0.1, schedule="linear", horizon=9),
    *broken("schedule = 'linear' needs horizon", "horizon", None, schedule="linear"),
    *broken("0 <= horizon", "horizon", -1, 10**30, schedule="linear"),
    *broken(
        "horizon whole", "horizon", *[v for v in NOT_WHOLE if v is not None], schedule="linear"
    ),
    *broken("0 < least_probability < 0.995", "least_probability", 0, 0.995, *NOT_A_NUMBER),
    *broken("prior True or False", "prior", 0, 1, "yes", None),
    *broken("paper True or False", "paper", 0, 1, "yes", None),
    *broken("paper = True sets max_nodes itself", "max_nodes", 31, paper=True),
    *broken("paper = True sets weight_cap itself", "weight_cap", 1.0, paper=True),
    *broken("paper = True sets tie_threshold itself", "tie_threshold", 0.1, paper=True),
    *broken("paper = True sets schedule itself", "schedule", "linear", paper=True, horizon=9),
    *broken("paper = True sets least_probability itself", "least_probability", 0.1, paper=True),
    *broken("paper = True sets marginal itself", "marginal", True, paper=True),
    *broken("paper = True sets step_scale itself", "step_scale", 3.0, paper=True),
    *broken("horizon whole", "horizon", 2.5, "3", True),
    *broken("step_scale > 0", "step_scale", 0, -1.0, *NOT_A_NUMBER),
    *broken("marginal True or False", "marginal", 0, 1, "yes", None),
    *broken("0 < gamma < 1", "gamma", 0, 0.0, 1, 1.0, -0.1, 1.1, *NOT_A_NUMBER),
    *broken(
        f"3 <= k < n_labels = {N_LABELS} for single-swap exploration",
        "k",
        2,
        N_LABELS,
        exploration="single-swap",
    ),
]

NO_NAMES = [
    *((SCHEDULES, "schedule", value) for value in ("fade", "Linear", None, 1)),
    *((SCHEMES, "exploration", value) for value in ("swap", "Uniform", "", None, 1, ["uniform"])),
    *((LEARNERS, "learner", value) for value in ("vfdt", "River", None, ["river"])),
]
"""What none of a table is called."""

OWN = [ALGORITHMS.load(name) for name in ALGORITHMS.own]


def with_algorithms(rules: list[Rule]) -> list[Any]:
    """Each rule with each algorithm that has the parameter."""
    return [
        pytest.param(
            algorithm, rule, id=f"{algorithm.__name__}-{rule.name}={reprlib.repr(rule.value)}"
        )
        for algorithm in OWN
        for rule in rules
        if takes(algorithm, rule.name)
    ]


@pytest.mark.parametrize(("algorithm", "rule"), with_algorithms(BROKEN))
def test_parameters_must_keep_their_rules(algorithm: type[Booster], rule: Rule) -> None:
    with pytest.raises(ValueError) as error:
        algorithm(**SHAPE | rule.others | {rule.name: rule.value})
    assert str(error.value).startswith(rule.text)
    assert str(error.value).endswith(f", but got {rule.value!r}")


@pytest.mark.parametrize(("table", "name", "value"), NO_NAMES)
def test_what_is_named_must_be_known(table: Table, name: str, value: Any) -> None:
    with pytest.raises(ValueError) as error:
        ALGORITHMS.load("topada")(**SHAPE | {name: value})
    assert f"unknown {table.kind} {value!r}" in str(error.value)
    assert all(known in str(error.value) for known in table)


def test_every_parameter_is_tried() -> None:
    tried = {rule.name for rule in BROKEN} | {name for _, name, _ in NO_NAMES} | {"trees"}
    for algorithm in OWN:
        booster = algorithm(**SHAPE)
        assert booster.parameters.keys() <= tried


RANGES = {
    "reversed": (0.5, 0.1),
    "zero": (0.0, 0.5),
    "negative": (-0.1, 0.5),
    "nan": (math.nan, 0.5),
    "nan above": (0.1, math.nan),
    "infinite": (0.1, math.inf),
    "beyond floats": (0.1, 10**400),
    "one number": 0.5,
    "three numbers": (0.1, 0.2, 0.3),
    "strings": ("0.1", "0.5"),
    "none": None,
}


@pytest.mark.parametrize("algorithm", OWN)
@pytest.mark.parametrize("name", TreeRanges.__dataclass_fields__)
@pytest.mark.parametrize("kind", RANGES)
def test_tree_ranges_must_be_ranges(algorithm: type[Booster], name: str, kind: str) -> None:
    ranges = TreeRanges(**{name: RANGES[kind]})
    with pytest.raises(ValueError) as error:
        algorithm(**SHAPE, trees=ranges)
    assert str(error.value).startswith(f"{name} = (low, high) with 0 < low <= high")
    assert str(error.value).endswith(f"must hold, but got {RANGES[kind]!r}")


def test_split_confidence_is_at_most_one() -> None:
    (algorithm, *_) = OWN
    with pytest.raises(ValueError, match=r"low <= high <= 1 must hold, but got \(0\.5, 1\.5\)"):
        algorithm(**SHAPE, trees=TreeRanges(split_confidence=(0.5, 1.5)))


def test_weights_that_would_overflow_are_refused() -> None:
    (algorithm, *_) = OWN
    with pytest.raises(ValueError, match=r"high <= 1e\+100 must hold, but got \(1, 1e\+308\)"):
        algorithm(**SHAPE, trees=TreeRanges(weight_multiplier=(1, 1e308)))


@pytest.mark.parametrize("algorithm", OWN)
def test_trees_must_be_tree_ranges(algorithm: type[Booster]) -> None:
    with pytest.raises(ValueError, match="trees"):
        algorithm(**SHAPE, trees={"grace_period": (5.0, 20.0)})


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


@every_booster
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


@every_booster
def test_parameters_cannot_be_changed_later(case: Case) -> None:
    one = case.make()
    for name, value in one.parameters.items():
        with pytest.raises(AttributeError, match=f"{name} is read once"):
            setattr(one, name, value)


# Data


def with_value(shape: tuple[int, ...], value: float, place: tuple[int, ...]) -> np.ndarray:
    array = np.zeros(shape)
    array[place] = value
    return array


X, Y = stream(4)
BAD_ROWS = {
    "nan": (with_value(X.shape, math.nan, (2, 1)), "X finite (in float32)", "nan at (2, 1)"),
    "infinite": (with_value(X.shape, math.inf, (0, 4)), "X finite (in float32)", "inf at (0, 4)"),
    "minus infinite": (with_value(X.shape, -math.inf, (3, 0)), "X finite", "-inf at (3, 0)"),
    "beyond float32": (
        with_value(X.shape, 1e39, (1, 1)),
        "X finite (in float32)",
        "1e+39 at (1, 1)",
    ),
    "too few columns": (X[:, 1:], f"X.shape[1] = n_features = {N_FEATURES}", "(4, 4)"),
    "too many columns": (np.hstack([X, X]), f"X.shape[1] = n_features = {N_FEATURES}", "(4, 10)"),
    "one row": (X[0], "X.ndim = 2", "1"),
    "three dimensions": (X[np.newaxis], "X.ndim = 2", "3"),
    "a number": (1.0, "X.ndim = 2", "0"),
    "strings": (X.astype(str), "X numeric", "dtype('<U"),
    "objects": (X.astype(object), "X numeric", "dtype('O')"),
    "complex": (X.astype(complex), "X numeric", "dtype('complex128')"),
    "ragged": ([[0.0], [0.0, 1.0]], "X must be an array of 2", "[[0.0], [0.0, 1.0]]"),
    "masked": (np.ma.masked_less(X, X.mean()), "X without masked values", ""),
}
BAD_ROW = {
    "nan": (with_value((N_FEATURES,), math.nan, (2,)), "x finite (in float32)", "nan at (2,)"),
    "infinite": (with_value((N_FEATURES,), math.inf, (0,)), "x finite", "inf at (0,)"),
    "beyond float32": (
        with_value((N_FEATURES,), -1e39, (1,)),
        "x finite (in float32)",
        "-1e+39 at",
    ),
    "too short": (X[0, 1:], f"x.size = n_features = {N_FEATURES}", "4"),
    "too long": (np.append(X[0], 0), f"x.size = n_features = {N_FEATURES}", "6"),
    "rows": (X[:1], "x.ndim = 1", "2"),
    "a number": (1.0, "x.ndim = 1", "0"),
    "strings": (X[0].astype(str), "x numeric", "dtype('<U"),
    "nothing": (None, "x.ndim = 1", "0"),
    "ragged": ([0.0, [1.0]], "x must be an array of 1", "[0.0, [1.0]]"),
    "masked": (np.ma.array(X[0], mask=[1, 1, 0, 0, 0]), "x without masked values", "got 2"),
}
BAD_LABELS = {
    "two": (with_value(Y.shape, 2, (1, 3)), "Y 0 or 1", "2.0 at (1, 3)"),
    "minus one": (with_value(Y.shape, -1, (0, 0)).astype(int), "Y 0 or 1", "-1 at (0, 0)"),
    "a half": (with_value(Y.shape, 0.5, (3, 5)), "Y 0 or 1", "0.5 at (3, 5)"),
    "nan": (with_value(Y.shape, math.nan, (2, 2)), "Y 0 or 1", "nan at (2, 2)"),
    "256": (with_value(Y.shape, 256, (2, 2)).astype(int), "Y 0 or 1", "256 at (2, 2)"),
    "too few rows": (Y[1:], f"Y.shape = (rows of X, n_labels) = (4, {N_LABELS})", "(3, 6)"),
    "too few columns": (Y[:, 1:], f"Y.shape = (rows of X, n_labels) = (4, {N_LABELS})", "(4, 5)"),
    "transposed": (Y.T, "Y.shape = (rows of X, n_labels)", "(6, 4)"),
    "one row": (Y[0], "Y.ndim = 2", "1"),
    "strings": (Y.astype(str), "Y numeric", "dtype('<U"),
    "ragged": ([[0], [0, 1]], "Y must be an array of 2", "[[0], [0, 1]]"),
    "masked": (np.ma.masked_equal(Y, 1), "Y without masked values", ""),
}


def bad_feedback(n_seen: int, name: str) -> dict[str, tuple[Any, str, str]]:
    bits = np.zeros(n_seen, int)
    size = f"feedback.size = {name} = {n_seen}"
    return {
        "too short": (bits[1:], size, str(n_seen - 1)),
        "too long": (np.append(bits, 0), size, str(n_seen + 1)),
        "nothing": ([], size, "0"),
        "two": (with_value((n_seen,), 2, (1,)), "feedback 0 or 1", "2.0 at (1,)"),
        "nan": (with_value((n_seen,), math.nan, (0,)), "feedback 0 or 1", "nan at (0,)"),
        "rows": (bits[np.newaxis], "feedback.ndim = 1", "2"),
        "a number": (1, "feedback.ndim = 1", "0"),
        "strings": (bits.astype(str), "feedback numeric", "dtype('<U"),
        "none": (None, "feedback.ndim = 1", "0"),
        "ragged": ([0, [1]], "feedback must be an array of 1", "[0, [1]]"),
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

    def refuses(self, method: str, *arguments: Any, rule: str, value: str, **keywords: Any) -> None:
        with pytest.raises(ValueError) as error:
            getattr(self.booster, method)(*arguments, **keywords)
        message = str(error.value)
        assert message.startswith(rule), message
        assert value in message[len(rule) :], message
        assert differing(self.before, snapshot(self.booster)) == []

    def goes_on(self) -> None:
        """The pending prediction, and all after it, are as if nothing had happened."""
        for one in (self.booster, self.twin):
            one.update(feedback(one, self.ranking, self.Y[0]))
            play(one, self.X, self.Y)
        assert_same(self.booster, self.twin)


@every_booster
def test_features_must_be_finite_rows(case: Case) -> None:
    unharmed = Unharmed(case)
    for bad, rule, value in BAD_ROWS.values():
        unharmed.refuses("run", bad, Y, rule=rule, value=value)
        unharmed.refuses("scores", bad, rule=rule, value=value)
        unharmed.refuses("evaluate", bad, Y, rule=rule, value=value)
    for bad, rule, value in BAD_ROW.values():
        unharmed.refuses("predict", bad, rule=rule, value=value)
    unharmed.goes_on()


@every_booster
def test_labels_must_be_bits(case: Case) -> None:
    unharmed = Unharmed(case)
    for bad, rule, value in BAD_LABELS.values():
        unharmed.refuses("run", X, bad, rule=rule, value=value)
        unharmed.refuses("evaluate", X, bad, rule=rule, value=value)
    unharmed.goes_on()


@every_booster
def test_feedback_must_be_the_bits_shown(case: Case) -> None:
    unharmed = Unharmed(case)
    full = case.algorithm.full
    for bad, rule, value in bad_feedback(
        N_LABELS if full else K, "n_labels" if full else "k"
    ).values():
        unharmed.refuses("update", bad, rule=rule, value=value)
    unharmed.goes_on()


@every_booster
def test_there_must_be_rows_and_loops(case: Case) -> None:
    unharmed = Unharmed(case)
    for loops in (0, -1, 10**13):
        unharmed.refuses("run", X, Y, loops=loops, rule="1 <= loops", value=f"got {loops}")
    for loops in NOT_WHOLE:
        unharmed.refuses("run", X, Y, loops=loops, rule="loops whole", value=f"got {loops!r}")
    for method in ("run", "evaluate"):
        unharmed.refuses(method, X[:0], Y[:0], rule="X must have at least one row", value="none")
    unharmed.goes_on()


@every_booster
def test_loops_that_memory_cannot_record_change_nothing(case: Case) -> None:
    unharmed = Unharmed(case)
    rows = 10_000  # so many that no processor has the addresses
    with pytest.raises(MemoryError):
        unharmed.booster.run(
            np.zeros((rows, N_FEATURES)), np.zeros((rows, N_LABELS)), loops=2**31 - 1
        )
    unharmed.goes_on()


@every_booster
def test_what_is_no_number_has_no_loss(case: Case) -> None:
    one = case.make()
    one.run(*stream(60))
    one._votes.alpha[:] = math.nan
    with pytest.raises(ValueError, match="scores must be numbers to be compared, but got nan"):
        one.evaluate(X, Y)
    with pytest.raises(ValueError, match="finite must hold, but got nan"):
        one.run(X, Y)


@every_booster
def test_update_needs_a_prediction(case: Case) -> None:
    booster = case.make()
    bits = np.zeros(N_LABELS if booster.full else K, int)
    bits[0] = 1
    rule = "predict must come before update, but no prediction is pending"
    for _ in range(2):
        before = snapshot(booster)
        with pytest.raises(ValueError, match=f"^{rule}$"):
            booster.update(bits)
        assert differing(before, snapshot(booster)) == []
        # Once learned from, a prediction is no longer pending.
        booster.predict(X[0])
        booster.update(bits)


@every_booster
def test_a_refused_row_leaves_the_pending_one(case: Case) -> None:
    booster, twin = case.make(), case.make()
    ranking = booster.predict(X[0])
    twin.predict(X[0])
    with pytest.raises(ValueError, match="x finite"):
        booster.predict(np.full(N_FEATURES, math.nan))
    for one in (booster, twin):
        one.update(feedback(one, ranking, Y[0]))
    assert_same(booster, twin)


@pytest.mark.parametrize("algorithm", OWN)
def test_parameters_are_given_by_name(algorithm: type[Booster]) -> None:
    with pytest.raises(TypeError, match="positional"):
        algorithm(0.5, **SHAPE)

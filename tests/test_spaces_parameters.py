"""The four kinds of parameters, and what Optuna makes of them."""

import math
from collections.abc import Callable
from typing import Any

import optuna
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from messages import raises

from topk_tune.spaces import Choice, Fixed, Float, Int


@pytest.mark.parametrize(
    ("make", "facts"),
    [
        (lambda: Int(3, 2), ["low 3", "high 2"]),
        (lambda: Int(True, 2), ["low", "whole", True]),
        (lambda: Int(1, 2.0), ["high", "whole", 2.0]),
        (lambda: Int(1, 2, step=0), ["step", "positive", 0]),
        (lambda: Int(0, 2, log=True), ["low", "positive", "logarithmic", 0]),
        (lambda: Int(2, 8, step=2, log=True), ["logarithmic", "step", 2]),
        (lambda: Int(1, 2, log=1), ["log", "true or false", 1]),
        (lambda: Int(10, 65, step=10), ["high 65", "low 10", "step 10", "60, 70"]),
        (lambda: Float(2, 1), ["low 2.0", "high 1.0"]),
        (lambda: Float("0.1", 1), ["low", "finite", "'0.1'"]),
        (lambda: Float(0, math.inf), ["high", "finite", math.inf]),
        (lambda: Float(0, math.nan), ["high", "finite", math.nan]),
        (lambda: Float(0, 1, step=-0.1), ["step", "positive", -0.1]),
        (lambda: Float(0, 1, log=True), ["low", "positive", "logarithmic", 0.0]),
        (lambda: Float(0.1, 1, step=0.1, log=True), ["logarithmic", "step", 0.1]),
        (lambda: Float(0.1, 0.45, step=0.1), ["high 0.45", "0.4, 0.5"]),
        (lambda: Choice([]), ["options", "at least one", []]),
        (lambda: Choice("abc"), ["options", "list", "'abc'"]),
        (lambda: Choice([1, 1.0]), ["options", "distinct", [1, 1.0]]),
        (lambda: Choice([1, True]), ["options", "distinct", [1, True]]),
        (lambda: Choice([[1], [2]]), ["options", "finite number", [1]]),
        (lambda: Choice([math.nan]), ["options", "finite number", math.nan]),
        (lambda: Fixed([1]), ["value", "text, a finite number, true, false or null", [1]]),
        (lambda: Fixed(1, when={}), ["when", "mapping", {}]),
        (lambda: Fixed(1, when={"a": "b"}), ["when a", "list", "'b'"]),
    ],
)
def test_a_wrong_parameter_is_refused(make: Callable[[], Any], facts: list[object]) -> None:
    with raises(ValueError, *facts):
        make()


def test_steps_are_counted_in_the_decimals_that_were_written() -> None:
    # In floats 0.1 + 2 * 0.1 is more than 0.3.
    assert Float(0.1, 0.3, step=0.1).size == 3
    assert Float(0.1, 0.3, step=0.1).values() == [0.1, 0.2, 0.3]


def test_steps_are_the_decimals_that_one_would_write() -> None:
    # In floats 0.01 + 6 * 0.01 is 0.06999999999999999.
    rho = Float(0.01, 0.1, step=0.01)
    decimals = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1]
    assert rho.values() == decimals
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))
    assert {rho.suggest(study.ask(), "rho") for _ in range(100)} == set(decimals)


def test_sizes() -> None:
    assert Int(10, 150, step=10).size == 15
    assert Float(0.01, 0.4, log=True).size is None
    assert Float(0.2, 0.2).size == 1
    assert Choice([None, 1, 10]).size == 3
    assert Fixed(None).size == 1


@pytest.mark.parametrize(
    ("parameter", "inside", "outside"),
    [
        (Int(10, 30, step=10), [10, 20, 30], [0, 15, 40, 10.0, True, "10", None]),
        (Int(0, 1), [0, 1], [False, True]),
        (Float(0.1, 0.3, step=0.1), [0.1, 0.2, 0.1 + 0.1 * 1, 0.3], [0.15, 0.4, math.nan, "0.1"]),
        (Float(0.0, 1.0), [0, 1, 0.123], [-0.1, True, None]),
        (Choice([None, 1, "a"]), [None, 1, 1.0, "a"], [True, "b", 0]),
        (Fixed(True), [True], [1, False, None]),
    ],
)
def test_allows(parameter: Any, inside: list[Any], outside: list[Any]) -> None:
    assert [value for value in inside if not parameter.allows(value)] == []
    assert [value for value in outside if parameter.allows(value)] == []


@given(
    low=st.integers(-1000, 1000),
    step=st.integers(1, 50),
    n=st.integers(0, 40),
    scale=st.sampled_from([1, 10, 1000]),
    seed=st.integers(0, 100),
)
def test_optuna_stays_on_the_steps(low: int, step: int, n: int, scale: int, seed: int) -> None:
    """A range with steps has the same values here and there, to the bit."""
    parameter = Float(low / scale, (low + n * step) / scale, step=step / scale)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed))
    for _ in range(5):
        assert parameter.suggest(study.ask(), "x") in parameter.values()
    for value in parameter.values():
        assert float(str(round(value, 3))) == value
        study.enqueue_trial({"x": value})
        assert parameter.suggest(study.ask(), "x") == value  # Optuna takes it as one of its own


@given(
    low=st.decimals(-100, 100, places=3),
    step=st.decimals("0.001", 5, places=3),
    width=st.decimals(0, 50, places=3),
)
def test_nearest_legal_highs_are_legal(low: Any, step: Any, width: Any) -> None:
    assume(width % step != 0)
    with pytest.raises(ValueError, match="nearest legal highs") as refused:
        Float(float(low), float(low + width), step=float(step))
    for high in str(refused.value).rpartition(": ")[2].split(", "):
        assert Float(float(low), float(high), step=float(step)).extremes[1] == float(high)

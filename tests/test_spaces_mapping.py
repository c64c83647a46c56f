"""Configurations of one space in another."""

from typing import Any

import optuna
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_spaces_space import spaces

from topk_tune.spaces import Choice, Fixed, Float, Int, Parameter, Space
from topk_tune.spaces.mapping import mapped

DEFAULTS = {"prior": True, "leaves": "weights"}


def drawn(space: Space, seed: int) -> dict[str, Any]:
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed))
    return space.suggest(study.ask())


def moved(parameter: Parameter, value: Any) -> Any:
    """What a value becomes; "dropped" if the configuration does."""
    made = mapped({"p": value}, Space({"p": parameter}), DEFAULTS)
    return "dropped" if made is None else made["p"]


@settings(max_examples=60)
@given(one=spaces(), other=spaces(), seed=st.integers(0, 100))
def test_what_is_mapped_is_legal_and_stays_as_it_is(one: Space, other: Space, seed: int) -> None:
    made = mapped(drawn(one, seed), other, DEFAULTS)
    if made is not None:
        other.contains(made)
        assert mapped(made, other, DEFAULTS) == made


@settings(max_examples=60)
@given(space=spaces(), seed=st.integers(0, 100))
def test_a_configuration_of_the_space_is_itself(space: Space, seed: int) -> None:
    config = drawn(space, seed)
    assert mapped(config, space, DEFAULTS) == pytest.approx(config)


@pytest.mark.parametrize(
    ("parameter", "value", "found"),
    [
        (Int(10, 60, step=10), 200, 60),
        (Int(10, 60, step=10), 3, 10),
        (Int(10, 60, step=10), 34, 30),
        (Int(10, 60), 0.3, "dropped"),  # a share is not a number
        (Int(10, 60), None, "dropped"),
        (Float(0.1, 0.9), 0.95, 0.9),
        (Float(0.1, 0.9), 1, 0.9),
        (Float(0.1, 0.9, step=0.2), 0.44, 0.5),
        (Float(0.01, 1.0, log=True), 0.001, 0.01),
        (Choice([20, 80, 320]), 30, 20),
        (Choice([20, 80, 320]), 300, 320),
        (Choice([20, 80, 0.1, 0.3]), 0.2, 0.3),  # by the ratio
        (Choice([20, 80]), 0.1, "dropped"),
        (Choice([1, 10]), None, "dropped"),
        (Choice([None, 10]), None, None),
        (Choice(["uniform", "other"]), "single-swap", "dropped"),
        (Choice([True, False]), 1, "dropped"),
        (Fixed(3), 5, 3),
    ],
)
def test_values_move_to_the_nearest_legal_one(parameter: Parameter, value: Any, found: Any) -> None:
    assert moved(parameter, value) == found


def test_what_only_one_side_has_must_be_at_its_default() -> None:
    space = Space({"rho": Float(0.1, 0.9), "leaves": Choice(["weights", "bayes"])})
    whole = {"rho": 0.5, "leaves": "weights"}
    assert mapped({"rho": 0.5}, space, DEFAULTS) == whole
    assert mapped({"rho": 0.5, "prior": True}, space, DEFAULTS) == whole
    assert mapped({"rho": 0.5, "prior": False}, space, DEFAULTS) is None
    assert mapped({"leaves": "bayes"}, space, DEFAULTS) is None
    only = Space({"leaves": Choice(["bayes", "mean"])})
    assert mapped({}, only, DEFAULTS) is None


def test_length_and_size_of_a_run_are_the_spaces() -> None:
    config = {"loops": 20, "max_bytes": 10**6, "rho": 0.5}
    assert mapped(config, Space({"rho": Float(0.1, 0.9)}), {}) == {"rho": 0.5}
    fixed = Space({"loops": Fixed(3), "max_bytes": Fixed(7), "rho": Float(0.1, 0.9)})
    assert mapped({"rho": 0.5}, fixed, {}) == {"loops": 3, "max_bytes": 7, "rho": 0.5}


def test_a_parameter_that_does_not_exist_is_left_out() -> None:
    space = Space({"a": Choice([1, 2]), "b": Int(1, 5, when={"a": [1]})})
    assert mapped({"a": 1, "b": 9}, space, {}) == {"a": 1, "b": 5}
    assert mapped({"a": 2, "b": 3}, space, {"b": 3}) == {"a": 2}
    assert mapped({"a": 2, "b": 4}, space, {"b": 3}) is None

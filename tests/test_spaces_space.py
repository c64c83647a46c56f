"""Spaces: suggestions, conditions, grids, round trips and what a study may change."""

import json
from typing import Any

import optuna
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import lines_say, raises

from topk_tune.spaces import Choice, Fixed, Float, Int, Space, SpaceError
from topk_tune.spaces.decimals import DecimalSampler

SPACE = Space(
    {
        "algorithm": Choice(["topopt", "topada", "fullada"]),
        "loops": Fixed(20),
        "n_learners": Int(10, 30, step=10),
        "gamma": Choice([0.1, 0.2], when={"algorithm": ["topopt"]}),
        "exploration": Choice(["uniform", "single-swap"], when={"algorithm": ["topopt", "topada"]}),
        "k": Int(3, 4, when={"exploration": ["single-swap"], "algorithm": ["topopt"]}),
    }
)

numbers = st.integers(-50, 50)
scalars = st.one_of(st.none(), st.booleans(), numbers, st.sampled_from(["a", "b", "c"]))
options = st.lists(scalars, min_size=1, max_size=4, unique=True)


@st.composite
def parameters(draw: st.DrawFn, when: dict[str, list[Any]] | None) -> Any:
    kind = draw(
        st.sampled_from(["int", "log int", "float", "steps", "log float", "choice", "fixed"])
    )
    low, width = draw(numbers), draw(st.integers(0, 30))
    step = draw(st.integers(1, 7))
    match kind:
        case "int":
            return Int(low, low + width * step, step, when=when)
        case "log int":
            return Int(abs(low) + 1, abs(low) + 1 + width, log=True, when=when)
        case "float":
            return Float(low / 7, low / 7 + width, when=when)
        case "steps":
            return Float(low / 10, (low + width * step) / 10, step=step / 10, when=when)
        case "log float":
            return Float((abs(low) + 1) / 9, abs(low) + 1 + width, log=True, when=when)
        case "choice":
            return Choice(draw(options), when=when)
    return Fixed(draw(scalars), when=when)


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    """Up to six parameters, some with conditions on earlier ones that may or may not hold."""
    made: dict[str, Any] = {}
    for i in range(draw(st.integers(1, 6))):
        deciding = [name for name, p in made.items() if isinstance(p, Choice | Fixed)]
        when = None
        if deciding and draw(st.booleans()):
            other = draw(st.sampled_from(deciding))
            when = {
                other: draw(st.lists(st.sampled_from(made[other].values()), min_size=1, max_size=1))
            }
        made[f"p{i}"] = draw(parameters(when))
    return Space(made)


@settings(max_examples=60)
@given(space=spaces(), seed=st.integers(0, 1000), tpe=st.booleans())
def test_suggestions_are_contained(space: Space, seed: int, tpe: bool) -> None:
    samplers = optuna.samplers
    sampler = (
        samplers.TPESampler(n_startup_trials=2, seed=seed) if tpe else samplers.RandomSampler(seed)
    )
    study = optuna.create_study(sampler=DecimalSampler(sampler))
    for i in range(6):
        trial = study.ask()
        config = space.suggest(trial)
        space.contains(config)
        # What is stored with the trial is what was run, but for what was fixed.
        searched = [n for n in config if not isinstance(space.parameters[n], Fixed)]
        assert trial.params == {name: config[name] for name in searched}
        study.tell(trial, float(i % 3))


@given(space=spaces())
def test_a_round_trip_through_json_changes_nothing(space: Space) -> None:
    stored = json.loads(json.dumps(space.to_dict(), sort_keys=True))
    again = Space.from_dict(stored)
    assert again == space
    assert list(again.parameters) == list(space.parameters)
    assert again.to_dict() == space.to_dict()


@settings(max_examples=60)
@given(space=spaces())
def test_the_grid_has_every_configuration_once(space: Space) -> None:
    size = space.size
    if size is None:
        with raises(SpaceError, "step", "grid"):
            space.grid()
    elif size <= 2000:
        grid = space.grid()
        for config in grid:
            space.contains(config)
        assert len({json.dumps(config) for config in grid}) == len(grid) == size


@pytest.mark.parametrize("content", [{}, {"parameters": [{"name": "a", "type": "other"}]}, []])
def test_a_stored_space_that_is_none_is_refused(content: Any) -> None:
    with raises(SpaceError, "the study: ", "to_dict"):
        Space.from_dict(content, "the study")


def test_conditional_parameters_are_absent_or_present() -> None:
    seen = set()
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))
    for _ in range(100):
        config = SPACE.suggest(study.ask())
        top = config["algorithm"] != "fullada"
        assert ("gamma" in config) == (config["algorithm"] == "topopt")
        assert ("exploration" in config) == top
        swaps = config.get("exploration") == "single-swap"
        assert ("k" in config) == (config["algorithm"] == "topopt" and swaps)
        assert config["loops"] == 20
        seen.add((config["algorithm"], config.get("exploration")))
    assert len(seen) == 5


def test_grid_by_hand() -> None:
    # topopt: 3 sizes x 2 gammas x (uniform, or swaps with 2 k); topada: 3 x 2; fullada: 3.
    assert SPACE.size == 3 * 2 * (1 + 2) + 3 * 2 + 3
    grid = SPACE.grid()
    assert len(grid) == 27
    first = {"algorithm": "topopt", "loops": 20, "n_learners": 10, "gamma": 0.1}
    assert grid[:3] == [
        {**first, "exploration": "uniform"},
        {**first, "exploration": "single-swap", "k": 3},
        {**first, "exploration": "single-swap", "k": 4},
    ]
    assert grid[-1] == {"algorithm": "fullada", "loops": 20, "n_learners": 30}


def test_a_range_that_cannot_exist_does_not_hinder_a_grid() -> None:
    space = Space(
        {"algorithm": Fixed("topada"), "gamma": Float(0.1, 0.4, when={"algorithm": ["topopt"]})}
    )
    assert space.grid() == [{"algorithm": "topada"}]


def test_a_grid_that_nobody_can_train_is_refused() -> None:
    space = Space({"a": Int(1, 1000), "b": Int(1, 1000)}, source="mine.yaml")
    assert space.size == 1_000_000
    with raises(SpaceError, "mine.yaml: ", "100,000", "1,000,000"):
        space.grid()


def test_fixed_keeps_conditions() -> None:
    space = SPACE.fixed(algorithm="topada", gamma=0.3, n_learners=70)
    assert space.size == 2
    assert space.grid()[0] == {
        "algorithm": "topada",
        "loops": 20,
        "n_learners": 70,
        "exploration": "uniform",
    }
    assert SPACE.size == 27
    assert SPACE.fixed(algorithm="topopt", gamma=0.3).grid()[0]["gamma"] == 0.3


def test_fixing_an_unknown_name_lists_the_options() -> None:
    with raises(SpaceError, "'gama'", "algorithm, loops, n_learners, gamma"):
        SPACE.fixed(gama=0.1)


def test_a_space_allows_what_it_contains() -> None:
    assert all(map(SPACE.allows, SPACE.grid()[:5]))
    assert not SPACE.allows({**SPACE.grid()[0], "n_learners": 15})


def test_contains_says_every_rule_that_is_broken() -> None:
    with pytest.raises(SpaceError) as refused:
        SPACE.contains({"algorithm": "fullada", "n_learners": 15, "gamma": 0.1, "rho": 0.2})
    lines_say(
        refused.value,
        ["search space: loops:", "missing", 20],
        ["search space: n_learners:", "whole", 10, 30, "steps of 10", "got 15"],
        ["search space: gamma:", {"algorithm": ("topopt",)}],
        ["search space:", "'rho'", "algorithm, loops"],
    )


def test_largest() -> None:
    assert SPACE.largest("n_learners") == 30
    assert SPACE.largest("gamma") == 0.2
    assert SPACE.fixed(n_learners=7).largest("n_learners") == 7
    with raises(SpaceError, "exploration:", "numeric"):
        SPACE.largest("exploration")
    with raises(SpaceError, "'rho'", "algorithm, loops"):
        SPACE.largest("rho")


@pytest.mark.parametrize(
    ("parameters", "facts"),
    [
        ({"b": Fixed(1, when={"a": [1]})}, ["b:", "when", "of the space", "'a'"]),
        (
            {"b": Fixed(1, when={"a": [1]}), "a": Fixed(1)},
            ["b:", "when", "earlier", "'a'", "none"],
        ),
        ({"a": Fixed(1, when={"a": [1]})}, ["a:", "when", "earlier", "'a'"]),
        (
            {"a": Fixed(1, when={"b": [1]}), "b": Fixed(1, when={"a": [1]})},
            ["a:", "when", "earlier", "'b'"],
        ),
        (
            {"a": Int(1, 3), "b": Fixed(1, when={"a": [1]})},
            ["b:", "when", "choices or fixed values", "'a'"],
        ),
    ],
)
def test_conditions_must_be_decided_before_they_are_needed(
    parameters: dict[str, Any], facts: list[object]
) -> None:
    with raises(SpaceError, *facts):
        Space(parameters)


BEFORE = Space(
    {"a": Int(1, 5), "b": Float(0.1, 0.2, log=True), "c": Choice([1, 2]), "d": Fixed("x")}
)


@pytest.mark.parametrize(
    "change",
    [
        {"a": Int(10, 50, step=10)},
        {"a": Fixed(7)},
        {"b": Float(0.001, 0.9, log=True)},
        {"c": Fixed(3)},
        {"d": Fixed("y")},
        {"d": Choice(["x", "y"])},
        {"e": Int(1, 2)},
    ],
)
def test_a_study_may_go_on(change: dict[str, Any]) -> None:
    after = Space({**BEFORE.parameters, **change})
    after.widens(BEFORE)
    _go_on_in_optuna(after)


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"a": Float(1, 5)}, ["a:", "type", "float", "int"]),
        ({"a": Choice([1, 2])}, ["a:", "type", "choice", "int"]),
        ({"a": Int(1, 5, log=True)}, ["a:", "scale", True, False]),
        ({"c": Choice([1, 2, 3])}, ["c:", "options", [1, 2, 3], [1, 2]]),
        ({"c": Choice([2, 1])}, ["c:", "options", "order", [2, 1], [1, 2]]),
    ],
)
def test_a_study_may_not_go_on(change: dict[str, Any], facts: list[object]) -> None:
    after = Space({**BEFORE.parameters, **change})
    with raises(SpaceError, *facts):
        after.widens(BEFORE)
    with pytest.raises(ValueError, match=r"Cannot set different|dynamic value space"):
        _go_on_in_optuna(after)


def _go_on_in_optuna(after: Space) -> None:
    """Optuna itself is the judge of what a study may change."""
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))
    for space in (BEFORE, after):
        trial = study.ask()
        space.suggest(trial)
        study.tell(trial, 1.0)

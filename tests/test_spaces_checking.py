"""Spaces against the boosters: which names and bounds they take."""

import subprocess
import sys
from typing import Any

import pytest
from messages import lines_say, says

from topk_tune.spaces import Choice, Fixed, Float, Int, Space, SpaceError, parse_space

TOP = {"algorithm": ["topopt", "topada"]}


def refused(n_labels: int = 14, **parameters: Any) -> list[str]:
    """What is said to a space of these parameters, by default for topopt and 20 loops."""
    space = Space({"algorithm": Fixed("topopt"), "loops": Fixed(20), **parameters}, "mine")
    with pytest.raises(SpaceError) as error:
        space.check(n_features=103, n_labels=n_labels)
    return str(error.value).splitlines()


def accepted(n_labels: int = 14, **parameters: Any) -> None:
    space = Space({"algorithm": Fixed("topopt"), "loops": Fixed(20), **parameters}, "mine")
    space.check(n_features=103, n_labels=n_labels)


def test_errors_carry_the_line_of_the_parameter() -> None:
    text = "default:\n  algorithm: topopt\n  loops: 0\n  gamma: {type: float, low: 0, high: 1}\n"
    with pytest.raises(SpaceError) as error:
        parse_space(text, "mine.yaml").check(n_features=103, n_labels=14)
    lines_say(
        error.value,
        ["mine.yaml:3: loops:", "at least 1", 0],
        ["mine.yaml:4: gamma:", "0 < gamma < 1", 0.0],
        ["mine.yaml:4: gamma:", "0 < gamma < 1", 1.0],
    )


@pytest.mark.parametrize(
    ("parameters", "lines"),
    [
        ({"n_learners": Int(0, 10)}, [("n_learners:", 1, 0)]),
        ({"n_learners": Float(1, 10)}, [("n_learners:", "whole", 1.0), ("whole", 10.0)]),
        ({"rho": Choice([0.1, "a"])}, [("rho:", "0 < rho < 1", "'a'")]),
        ({"k": Int(1, 15)}, [("k:", 2, 14, "got 1"), ("k:", 2, 14, "got 15")]),
        ({"weight_cap": Choice([None, 0])}, [("weight_cap:", "positive", 0)]),
        ({"exploration": Fixed("other")}, [("exploration:", "uniform", "'other'")]),
        ({"seed": Fixed(1)}, [("seed:", "n_features, n_labels, seed")]),
        ({"gama": Fixed(0.1)}, [("gama:", "topopt", "exploration, fade, gamma")]),
        (
            {"algorithm": Choice(["topopt", "topad"])},
            [("algorithm:", "'topad'", "topopt, topada")],
        ),
        (
            {"algorithm": Int(1, 2)},
            [("algorithm:", "choice"), ("algorithm:", 1), ("algorithm:", 2)],
        ),
        ({"gamma": Fixed(0.1, when={"algorithm": ["topop"]})}, [("gamma:", "'topop'", "topopt")]),
        ({"loops": Float(1, 2)}, [("loops:", "whole", 1.0), ("loops:", "whole", 2.0)]),
        (
            {"algorithm": Choice(["topopt", "topada"]), "gamma": Fixed(0.1)},
            [("gamma:", "topada", "exploration, fade, k, learner")],
        ),
    ],
)
def test_what_the_boosters_do_not_take(
    parameters: dict[str, Any], lines: list[tuple[object, ...]]
) -> None:
    lines_say("\n".join(refused(**parameters)), *lines)


def test_what_is_missing_is_said() -> None:
    with pytest.raises(SpaceError) as error:
        Space({"rho": Fixed(0.1)}, "mine").check(n_features=103, n_labels=14)
    lines_say(error.value, ["mine: algorithm:", "missing"], ["mine: loops:", "missing"])


def test_many_learners_are_not_made() -> None:
    accepted(n_learners=Int(1, 10**12))


SWAPS = Choice(["uniform", "single-swap"])


@pytest.mark.parametrize("k", [Fixed(2), Choice([3, 2]), Int(2, 5), Int(3, 14), Fixed(14)])
def test_single_swaps_need_a_k_between_3_and_m(k: Any) -> None:
    (said,) = refused(k=k, exploration=SWAPS)
    says(said, "mine: exploration:", "3 <= k < n_labels = 14", "single-swap")


def test_a_k_that_is_illegal_alone_is_not_blamed_on_exploration() -> None:
    (said,) = refused(k=Choice([1, 3]), exploration=SWAPS)
    says(said, "mine: k:", 2, 14, "got 1")


def test_one_mistake_hides_no_other() -> None:
    said = refused(k=Fixed(99), exploration=Fixed("no"), schedule=Fixed("not"), rho_end=Fixed(2))
    assert [line.split(": ")[1] for line in said] == ["k", "exploration", "schedule", "rho_end"]
    # With a legal rho, this rho_end is legal too.
    (said,) = refused(rho=Fixed(2), rho_end=Fixed(0.5), schedule=Fixed("linear"), fade=Fixed(0.5))
    says(said, "mine: rho:", 2)


def test_single_swaps_with_a_legal_k() -> None:
    accepted(k=Int(3, 13), exploration=SWAPS)
    accepted(k=Choice([2, 3]), exploration=Choice(["uniform"]))
    # A condition keeps the two apart.
    accepted(k=Choice([2, 3]), exploration=Choice(["uniform", "single-swap"], when={"k": [3]}))


def test_the_default_of_a_booster_counts_too() -> None:
    (said,) = refused(n_labels=3, exploration=SWAPS)
    says(said, "mine: exploration:", "3 <= k < n_labels = 3")
    (said,) = refused(n_labels=2, rho=Fixed(0.1))
    says(said, "mine: algorithm:", "k", 2, "got 3")


def test_parameters_are_judged_only_where_they_exist() -> None:
    accepted(
        algorithm=Choice(["topopt", "topada", "fullopt", "fullada"]),
        gamma=Float(0.1, 0.4, when={"algorithm": ["topopt", "fullopt"]}),
        rho=Float(0.1, 0.4, when=TOP),
        k=Fixed(3, when=TOP),
    )


def test_reading_a_space_imports_nothing_heavy() -> None:
    program = (
        "import sys; from topk_tune.spaces import read_space; read_space('table5').grid();"
        "print(sorted({'numba', 'numpy', 'optuna', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


FADING = Choice(["constant", "linear", "explore_first"])


def test_exploration_that_fades() -> None:
    linear = Fixed("linear")
    accepted(schedule=linear, rho=Float(0.1, 0.95), rho_end=Float(0.001, 0.1), fade=Float(0.2, 1))
    accepted(
        schedule=FADING,
        rho=Float(0.001, 0.95),
        fade=Float(0.2, 1, when={"schedule": ["linear"]}),
        rho_end=Float(0.0001, 0.001, when={"schedule": ["linear", "explore_first"]}),
    )


@pytest.mark.parametrize(
    ("parameters", "facts"),
    [
        ({"fade": Float(0.0, 1)}, ["fade:", "0 < fade <= 1", 0.0]),
        ({"fade": Choice([0.5, 2])}, ["fade:", "0 < fade <= 1", 2]),
        ({"horizon": Fixed(10)}, ["horizon:", "n_features, n_labels"]),
        ({"schedule": Fixed("cosine")}, ["schedule:", "constant", "'cosine'"]),
        (
            {"schedule": FADING, "rho": Float(0.01, 0.9), "rho_end": Fixed(0.05)},
            ["rho_end:", "rho = 0.01", 0.05],
        ),
        (
            {"paper": Fixed(True), "max_nodes": Fixed(9)},
            ["max_nodes:", "paper = True", 9],
        ),
        (
            {"paper": Fixed(True), "schedule": Fixed("explore_first")},
            ["schedule:", "paper = True", "'explore_first'"],
        ),
        (
            {"paper": Fixed(True), "rho": Fixed(0.1), "schedule": FADING},
            ["schedule:", "paper = True"],
        ),
        ({"schedule": FADING, "fade": Fixed(0.5)}, ["fade:", "schedule", "constant"]),
    ],
)
def test_exploration_that_cannot_be(parameters: dict[str, Any], facts: list[object]) -> None:
    place, *others = facts
    says("\n".join(line for line in refused(**parameters) if f"mine: {place}" in line), *others)

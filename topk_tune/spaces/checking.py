"""Checks that boosters accept every configuration of a space."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import product
from typing import TYPE_CHECKING, Any

from booster.plugins import unknown
from booster.tables import ALGORITHMS
from topk_tune.spaces.conditions import assignments, controls, exists, required_problems
from topk_tune.spaces.parameters import Choice, Fixed
from topk_tune.spaces.values import is_whole

if TYPE_CHECKING:
    from booster import Booster
    from topk_tune.spaces.space import Space

NOT_SEARCHED = ("n_features", "n_labels", "seed", "trees", "horizon")
"""Parameters of a booster that the data or the study sets, or that are not plain values."""

JOINT = (("k", "exploration"), ("rho", "schedule", "rho_end"), ("schedule", "fade"))
"""The parameters whose legal values depend on each other."""


def searchable(algorithm: type["Booster"]) -> list[str]:
    """The parameters that a space may have for a booster, sorted, including `fade`."""
    from topk_tune.training.trial import FADE

    names = {field.name for field in fields(algorithm)}
    fade = {FADE} if "horizon" in names else set()
    return sorted((names | fade) - set(NOT_SEARCHED))


def booster_problems(space: "Space", n_features: int, n_labels: int) -> Iterator[str]:
    """Every rule that some configuration breaks, with its place; there may be duplicates."""
    shape = {"n_features": n_features, "n_labels": n_labels}
    problems = [
        *required_problems(space.parameters),
        *_algorithm_problems(space),
        *_loop_problems(space),
    ]
    for world in _worlds(space):
        problems += _world_problems(space, world, shape)
    for name, problem in problems:
        yield f"{space.place(name)}: {name}: {problem}"


def _worlds(space: "Space") -> Iterator[dict[str, Any]]:
    """The combinations of known algorithms and the values in conditions."""
    if isinstance(space.parameters.get("algorithm"), Choice | Fixed):
        for world in assignments(space.parameters, {"algorithm", *controls(space.parameters)}):
            if world.get("algorithm") in ALGORITHMS:
                yield world


def _algorithm_problems(space: "Space") -> Iterator[tuple[str, str]]:
    """Unknown algorithms, in the parameter itself and in conditions."""
    own = space.parameters.get("algorithm")
    if own and not isinstance(own, Choice | Fixed):
        yield "algorithm", f"must be a choice or a fixed value, but got {own.rule()}"
    for name, parameter in space.parameters.items():
        named = parameter.extremes if name == "algorithm" else ()
        for algorithm in (*named, *(parameter.when or {}).get("algorithm", ())):
            if algorithm not in ALGORITHMS:
                yield name, unknown(ALGORITHMS.kind, algorithm, ALGORITHMS)


def _loop_problems(space: "Space") -> Iterator[tuple[str, str]]:
    loops = space.parameters.get("loops")
    for value in loops.extremes if loops else ():
        if not is_whole(value) or value < 1:
            yield "loops", f"must be a whole number of at least 1, but got {value!r}"


def _world_problems(
    space: "Space", world: Mapping[str, Any], shape: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    """The problems of one algorithm with one value of each parameter in a condition."""
    algorithm = world["algorithm"]
    legal = searchable(ALGORITHMS.load(algorithm))
    candidates: dict[str, tuple[Any, ...]] = {}
    for name, parameter in space.parameters.items():
        if name in ("algorithm", "loops") or not exists(parameter, world):
            continue
        if name in legal:
            candidates[name] = (world[name],) if name in world else parameter.extremes
        elif name in NOT_SEARCHED:
            yield name, f"cannot be searched; neither can any of {', '.join(NOT_SEARCHED)}"
        else:
            yield name, f"is no parameter of {algorithm}; choose from {', '.join(legal)}"
    # The paper's algorithm fixes some parameters.
    paper = {"paper": True} if True in candidates.get("paper", ()) else {}
    for name, values in candidates.items():
        for value in values if not any(name in group for group in JOINT) else ():
            problem = _refusal(algorithm, shape, {**paper, name: value, **_harmless(legal)})
            if problem:
                yield name, problem
    for group in JOINT:
        # The first group has k itself, whose default may be too large for the labels.
        given = paper | ({} if group == JOINT[0] else _harmless(legal))
        yield from _joint_problems(algorithm, shape, candidates, group, given)


def _joint_problems(
    algorithm: str,
    shape: Mapping[str, int],
    candidates: Mapping[str, tuple[Any, ...]],
    group: tuple[str, ...],
    given: Mapping[str, Any],
) -> Iterator[tuple[str, str]]:
    """Values that are illegal together, with `given` for all of them.

    Parameters that are left out have the booster's defaults.
    """
    names = [name for name in group if name in candidates]
    for values in product(*(candidates[name] for name in names)):
        together = dict(zip(names, values, strict=True))
        problem = _refusal(algorithm, shape, {**given, **together})
        if problem:
            first = {name: together[name] for name in names[:1]}
            alone = _refusal(algorithm, shape, {**given, **first}) if first else None
            yield (names or ["algorithm"])[0 if alone else -1], alone or problem


def _harmless(legal: list[str]) -> dict[str, int]:
    """A k that works with any number of labels, so that only other parameters are checked."""
    return {"k": 2} if "k" in legal else {}


def _refusal(algorithm: str, shape: Mapping[str, int], values: Mapping[str, Any]) -> str | None:
    """The booster's error for these values, or None."""
    from topk_tune.training.trial import TrialConfig

    n_learners = values.get("n_learners", 1)
    # Learners have only a lower limit; many of them would take memory here.
    few = 1 if is_whole(n_learners) and n_learners > 1 else n_learners
    made = {"algorithm": algorithm, "loops": 1, **values, "n_learners": few}
    try:
        TrialConfig.of(made).booster(**shape, seed=0, n_rows=1)
    except ValueError as error:
        return str(error)
    return None

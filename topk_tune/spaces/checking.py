"""Checks that the algorithms accept every configuration of a space."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import booster
from booster.plugins import unknown
from booster.protocol import GIVEN, check_algorithm, parameters_of
from booster.tables import ALGORITHMS
from topk_tune.spaces.conditions import assignments, controls, exists, required_problems
from topk_tune.spaces.parameters import Choice, Fixed
from topk_tune.spaces.values import is_whole
from topk_tune.training.trial import FADE, TrialConfig

if TYPE_CHECKING:
    from topk_tune.spaces.space import Space

NOT_SEARCHED = ("trees", "horizon")
"""Parameters of a booster that are no plain value, or follow from the number of rows."""

JOINT = (
    ("k", "exploration"),
    ("rho", "schedule", "rho_end"),
    ("schedule", "fade"),
    ("learner", "observer", "leaves"),
)
"""The parameters whose legal values depend on each other."""

_STAND_INS: dict[str, dict[str, Any]] = {
    "rho": {"rho": 0.99},
    "schedule": {"schedule": "linear", "rho_end": 1e-6},
    "rho_end": {"rho_end": 1e-6},
    "observer": {"observer": "sparse"},
}
"""Legal values of some parameters of `JOINT`, with which most values of the others are legal."""

_MANY_LABELS = 1000
"""More labels than these are not assumed without data: boosters with many take memory."""

Shape = Mapping[str, int]
"""The number of features and of labels."""


def searchable(algorithm: type) -> list[str]:
    """The parameters that a space may have for an algorithm, sorted: its own, and, of a booster
    whose exploration can fade, `fade`."""
    names = set(parameters_of(algorithm))
    if "horizon" in names and _is_booster(algorithm):
        names.add(FADE)
    return sorted(names - set(_not_searched(algorithm)))


def _not_searched(algorithm: type) -> tuple[str, ...]:
    return (*GIVEN, *NOT_SEARCHED) if _is_booster(algorithm) else GIVEN


def _is_booster(algorithm: type) -> bool:
    # By its package, which imports Numba only when it is asked for a booster.
    return issubclass(algorithm, booster.Booster)


def booster_problems(space: "Space", shape: Shape | None = None) -> Iterator[tuple[str, str]]:
    """Every rule that some configuration breaks, as pairs of a parameter and its problem.

    There may be duplicates. Without a shape, only rules that hold for any data are checked.
    """
    yield from required_problems(space.parameters)
    yield from _algorithm_problems(space)
    yield from _loop_problems(space)
    for world in _worlds(space):
        yield from _world_problems(space, world, shape)


def _roomy(space: "Space") -> Shape:
    """A shape of data that suits every k of a space."""
    k = space.parameters.get("k")
    largest = max((value for value in (k.extremes if k else ()) if is_whole(value)), default=0)
    return {"n_features": 100, "n_labels": min(max(10, largest + 1), _MANY_LABELS)}


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
    space: "Space", world: Mapping[str, Any], shape: Shape | None
) -> Iterator[tuple[str, str]]:
    """The problems of one algorithm with one value of each parameter in a condition."""
    algorithm = world["algorithm"]
    made = check_algorithm(algorithm, ALGORITHMS.load(algorithm))
    legal = searchable(made)
    candidates: dict[str, tuple[Any, ...]] = {}
    for name, parameter in space.parameters.items():
        if name in ("algorithm", "loops") or not exists(parameter, world):
            continue
        if name in legal:
            candidates[name] = (world[name],) if name in world else parameter.extremes
        elif name in _not_searched(made):
            yield name, f"cannot be searched; neither can any of {', '.join(_not_searched(made))}"
        else:
            yield name, f"is not a parameter of {algorithm}; choose from {', '.join(legal)}"
    if _is_booster(made):
        yield from _booster_problems(algorithm, shape or _roomy(space), candidates)
    elif shape is not None:  # which data suit a ranker that is not ours is unknown
        yield from _ranker_problems(algorithm, shape, candidates)


def _ranker_problems(
    algorithm: str, shape: Shape, candidates: Mapping[str, tuple[Any, ...]]
) -> Iterator[tuple[str, str]]:
    """Values that an algorithm refuses beside the first ones of the other parameters, of whose
    rules nothing is known."""
    first = {name: values[0] for name, values in candidates.items()}
    if problem := _refusal(algorithm, shape, first):
        yield "algorithm", problem
        return
    for name, values in candidates.items():
        for value in values[1:]:
            if problem := _refusal(algorithm, shape, {**first, name: value}):
                yield name, problem


def _booster_problems(
    algorithm: str, shape: Shape, candidates: Mapping[str, tuple[Any, ...]]
) -> Iterator[tuple[str, str]]:
    """Values that a booster refuses, alone or together with others."""
    legal = searchable(ALGORITHMS.load(algorithm))
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
    shape: Shape,
    candidates: Mapping[str, tuple[Any, ...]],
    group: tuple[str, ...],
    given: Mapping[str, Any],
) -> Iterator[tuple[str, str]]:
    """Values that are illegal together, with `given` for all of them.

    Parameters that are left out have the booster's defaults.
    """
    names = [name for name in group if name in candidates]
    if not names and (problem := _refusal(algorithm, shape, given)):
        yield "algorithm", problem
    for values in product(*(candidates[name] for name in names)):
        yield from _culprits(algorithm, shape, dict(zip(names, values, strict=True)), given)


def _culprits(
    algorithm: str, shape: Shape, together: dict[str, Any], given: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """The values to blame for a refusal, one after another.

    The booster names the first only. So a legal value takes its place to see what else is wrong.
    """
    while together and (problem := _refusal(algorithm, shape, {**given, **together})):
        culprit = _first_culprit(algorithm, shape, together, given, problem)
        yield culprit, problem
        del together[culprit]
        given = {**given, **_stand_in(culprit, shape)}
        if _refusal(algorithm, shape, given):
            return  # the legal value does not fit in with other parameters


def _first_culprit(
    algorithm: str,
    shape: Shape,
    together: Mapping[str, Any],
    given: Mapping[str, Any],
    problem: str,
) -> str:
    """The parameter with which a problem first occurs."""
    names, tried = list(together), dict(given)
    for name in names[:-1]:
        tried[name] = together[name]
        if _refusal(algorithm, shape, tried) == problem:
            return name
    return names[-1]


def _stand_in(name: str, shape: Shape) -> dict[str, Any]:
    """What takes the place of an illegal value; without an entry, the booster's default."""
    return {"k": min(3, shape["n_labels"])} if name == "k" else _STAND_INS.get(name, {})


def _harmless(legal: list[str]) -> dict[str, int]:
    """A k that works with any number of labels, so that only other parameters are checked."""
    return {"k": 2} if "k" in legal else {}


def _refusal(algorithm: str, shape: Shape, values: Mapping[str, Any]) -> str | None:
    """The error of an algorithm for these values, or None."""
    made = {"algorithm": algorithm, "loops": 1, **values}
    n_learners = values.get("n_learners", 1)
    if _is_booster(ALGORITHMS.load(algorithm)) and is_whole(n_learners) and n_learners >= 1:
        # Learners have only a lower limit; many of them would take memory here.
        made["n_learners"] = 1
    try:
        TrialConfig.of(made).booster(**shape, seed=0, n_rows=1)
    except (ValueError, TypeError) as error:
        return str(error)
    return None

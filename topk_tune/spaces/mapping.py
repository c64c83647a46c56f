"""Configurations of one space in another: moved to the nearest legal values, or refused."""

import math
from collections.abc import Mapping
from typing import Any

from topk_tune.spaces.conditions import exists
from topk_tune.spaces.parameters import Choice, Fixed, Float, Int, Parameter
from topk_tune.spaces.space import Space
from topk_tune.spaces.values import is_number, is_whole, nearest_step, same

_OF_THE_RUN = ("loops", "max_bytes")
"""Parameters that say how long and how large, which another space may decide otherwise."""


def mapped(
    config: Mapping[str, Any], space: Space, defaults: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return the configuration of a space that is most like a given one; None if there is none.

    What the space fixes is as there. Numbers outside of a range are moved to its end, those
    between steps or options to the nearest. Parameters that only one side has must be at their
    defaults, since any other value would make another method of it.

    >>> from topk_tune.spaces import Choice, Fixed, Int, Space
    >>> space = Space({"loops": Fixed(5), "n_learners": Int(10, 60, step=10)})
    >>> mapped({"loops": 20, "n_learners": 98, "rho": 0.1}, space, {"rho": 0.1})
    {'loops': 5, 'n_learners': 60}
    """
    made: dict[str, Any] = {}
    for name, parameter in space.parameters.items():
        if not exists(parameter, made):
            continue
        found = _nearest(parameter, config.get(name, defaults.get(name)))
        moved = name not in config and not isinstance(parameter, Fixed)
        if not parameter.allows(found) or (moved and not _default(name, found, defaults)):
            return None
        made[name] = found
    left = [name for name in config if name not in made and name not in _OF_THE_RUN]
    return made if all(_default(name, config[name], defaults) for name in left) else None


def _default(name: str, value: Any, defaults: Mapping[str, Any]) -> bool:
    return name in defaults and same(value, defaults[name])


def _nearest(parameter: Parameter, value: Any) -> Any:
    """Return the nearest value of a parameter, or the value itself if nothing is near it."""
    match parameter:
        case Fixed(value=fixed):
            return fixed
        case Int() if is_whole(value):
            steps = round((min(value, parameter.high) - parameter.low) / parameter.step)
            return parameter.low + max(steps, 0) * parameter.step
        case Float() if is_number(value):
            inside = min(max(float(value), parameter.low), parameter.high)
            step = parameter.step
            return inside if step is None else nearest_step(inside, parameter.low, step)
        case Choice() if is_number(value) and not parameter.allows(value):
            # A share of 0.1 is not near a number of 1: they mean different things.
            alike: list[Any] = [each for each in parameter.options if _alike(each, value)]
            return min(alike, key=lambda each: _ratio(each, value), default=value)
    return value


def _alike(option: Any, value: float) -> bool:
    return is_number(option) and is_whole(option) == is_whole(value)


def _ratio(one: float, other: float) -> float:
    """How far two numbers are apart: by their ratio, unless one of them is not positive."""
    return abs(math.log(one / other)) if one > 0 and other > 0 else abs(one - other)

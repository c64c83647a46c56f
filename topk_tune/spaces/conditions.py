"""Which parameters exist: conditions on parameters that come earlier."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from topk_tune.spaces.parameters import Choice, Fixed, Parameter
from topk_tune.spaces.values import same

REQUIRED = ("algorithm", "loops")
"""The parameters that every configuration must have."""


def exists(parameter: Parameter, config: Mapping[str, Any]) -> bool:
    """Whether a parameter exists, given the values of the earlier ones."""
    return all(
        name in config and any(same(config[name], value) for value in values)
        for name, values in (parameter.when or {}).items()
    )


def controls(parameters: Mapping[str, Parameter]) -> set[str]:
    """The parameters that appear in conditions of others."""
    return {name for parameter in parameters.values() for name in parameter.when or {}}


def assignments(parameters: Mapping[str, Parameter], names: Iterable[str]) -> list[dict[str, Any]]:
    """Every combination of values of these parameters; the last one changes fastest.

    Parameters in their conditions must be among them.
    """
    configs: list[dict[str, Any]] = [{}]
    for name in (name for name in parameters if name in names):
        configs = [
            longer for config in configs for longer in _extended(config, name, parameters[name])
        ]
    return configs


def _extended(config: dict[str, Any], name: str, parameter: Parameter) -> Iterator[dict[str, Any]]:
    if exists(parameter, config):
        for value in parameter.values():
            yield {**config, name: value}
    else:
        yield config


def order_problems(parameters: Mapping[str, Parameter | None]) -> Iterator[tuple[str, str]]:
    """Conditions that cannot be evaluated, as pairs of a parameter and its problem.

    A parameter that could not be read is None.
    """
    earlier: list[str] = []
    for name, parameter in parameters.items():
        for other in (parameter.when or {}) if parameter else {}:
            problem = _reference_problem(other, earlier, parameters)
            if problem:
                yield name, f"when must name {problem}"
        earlier.append(name)


def _reference_problem(
    other: str, earlier: list[str], parameters: Mapping[str, Parameter | None]
) -> str | None:
    options = f"; choose from {', '.join(earlier)}" if earlier else "; there are none"
    if other not in parameters:
        return f"parameters of the space, but got {other!r}{options}"
    if other not in earlier:
        return f"parameters that come earlier, but got {other!r}{options}"
    if not isinstance(parameters[other], Choice | Fixed | None):
        return f"choices or fixed values, but got {other!r}, which is a range"
    return None


def required_problems(parameters: Mapping[str, Parameter | None]) -> Iterator[tuple[str, str]]:
    """Required parameters that may be missing, as pairs with the problem."""
    for name in REQUIRED:
        if name not in parameters:
            yield name, "is missing"
        elif (parameter := parameters[name]) and parameter.when:
            yield name, f"must always exist, but got when {dict(parameter.when)}"

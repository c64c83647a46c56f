"""Checks of values and ranges. Errors state the rule and the value."""

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

Scalar = str | int | float | bool | None


def require(holds: bool, rule: str, value: object) -> None:
    """Raise a ValueError unless the rule holds for the value."""
    if not holds:
        raise ValueError(f"{rule}, but got {value!r}")


def same(one: object, other: object) -> bool:
    """Whether two values are equal and both or neither are booleans: 1 is not True."""
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def is_number(value: object) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def is_whole(value: object) -> bool:
    """Whether a value is an integer; 1.0 and True are not."""
    return isinstance(value, int) and not isinstance(value, bool)


def scalar(name: str, value: Any) -> None:
    """Require a value that JSON can hold: text, a finite number, true, false or null."""
    holds = value is None or isinstance(value, str | bool) or is_number(value)
    require(holds, f"{name} must be text, a finite number, true, false or null", value)


def check_range(low: float, high: float, step: float | None, log: bool) -> None:
    """Check the ends of a range against each other and against its step and scale."""
    require(isinstance(log, bool), "log must be true or false", log)
    if not low <= high:
        raise ValueError(f"low must not exceed high, but got low {low} and high {high}")
    require(not log or low > 0, "low must be positive in a logarithmic range", low)
    if step is not None:
        require(not log, "a logarithmic range must not have a step", step)
        require(step > 0, "step must be positive", step)
        _check_last_step(low, high, step)


def n_steps(low: float, high: float, step: float) -> int:
    """How many whole steps fit between the ends, in the decimals that were written."""
    return int((_exact(high) - _exact(low)) // _exact(step))


def nth_step(low: float, step: float, n: int) -> float:
    """The number n steps above the low end, in the decimals that were written."""
    return float(_exact(low) + n * _exact(step))


def nearest_step(value: float, low: float, step: float) -> float:
    """The exact decimal of a step whose value was summed up in floats.

    >>> nearest_step(0.06999999999999999, 0.01, 0.01)
    0.07
    """
    return nth_step(low, step, round((value - low) / step))


def frozen_conditions(when: Any) -> dict[str, tuple[Scalar, ...]] | None:
    """A checked copy of `when`, with the values as tuples."""
    if when is None:
        return None
    require(
        isinstance(when, Mapping) and bool(when),
        "when must be a mapping of parameters to values",
        when,
    )
    return {name: frozen_values(f"when {name}", values) for name, values in when.items()}


def frozen_values(name: str, values: Any) -> tuple[Scalar, ...]:
    """A checked copy of a list of distinct values."""
    listed = isinstance(values, Iterable) and not isinstance(values, str | Mapping)
    require(listed, f"{name} must be a list", values)
    frozen = tuple(values)
    require(bool(frozen), f"{name} must have at least one value", list(frozen))
    for value in frozen:
        scalar(f"each value of {name}", value)
    # To Python, and so to Optuna, 1, 1.0 and true are one option.
    require(len(set(frozen)) == len(frozen), f"{name} must have distinct values", list(frozen))
    return frozen


def _check_last_step(low: float, high: float, step: float) -> None:
    """Refuse a high end that no step reaches: Optuna would silently lower it."""
    below = _exact(low) + n_steps(low, high, step) * _exact(step)
    if below != _exact(high):
        kind = type(low)
        nearest = f"{kind(below)}, {kind(below + _exact(step))}"
        raise ValueError(
            f"high must be low + n * step, but got high {high} with low {low} and step "
            f"{step}; nearest legal highs: {nearest}"
        )


def _exact(value: float) -> Fraction:
    """The number as it was written: 0.1 is one tenth here, not the float next to it."""
    return Fraction(str(value))

"""Scales: from values to positions on a chart, with readable ticks."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from topk_tune.spaces import Choice, Parameter
from topk_tune.spaces.values import is_number, same

Tick = tuple[float, str]
"""A position, as a share of the axis, and its label."""

_LOG_FROM = 20.0
"""Positive values that span more than this factor are drawn on a logarithmic scale."""

_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)
"""The first digits of round steps."""
_TINY = 1e-9
"""Rounding errors, as a share of a step."""


class Scale(Protocol):
    """Maps values to positions on an axis, from 0 to 1."""

    def place(self, value: Any) -> float:
        """Return the position of a value."""

    def ticks(self, count: int) -> list[Tick]:
        """Return about `count` positions to label."""


@dataclass(frozen=True)
class Numbers:
    """A linear or logarithmic scale from `low` to `high`."""

    low: float
    high: float
    log: bool = False

    def place(self, value: float) -> float:
        """Return the position of a number."""
        low, high, at = self.low, self.high, float(value)
        if self.log:
            low, high, at = math.log(low), math.log(high), math.log(at)
        return (at - low) / (high - low)

    def at(self, share: float) -> float:
        """Return the number at a position of a linear scale."""
        return self.low + share * (self.high - self.low)

    def ticks(self, count: int) -> list[Tick]:
        """Return round numbers within the range."""
        values = _round_powers(self.low, self.high, count) if self.log else []
        if len(values) < 2:
            values = _round_steps(self.low, self.high, count)
        return [(self.place(value), label(value)) for value in values]


@dataclass(frozen=True)
class Options:
    """A scale of values without order, side by side."""

    options: Sequence[Any]

    def place(self, value: Any) -> float:
        """Return the position of an option."""
        index = next(i for i, option in enumerate(self.options) if same(option, value))
        return (index + 0.5) / len(self.options)

    def ticks(self, count: int) -> list[Tick]:
        """Return every option, or about `count` of them if there are many."""
        step = max(1, math.ceil(len(self.options) / (2 * count)))
        return [(self.place(option), short(option)) for option in self.options[::step]]


def spanning(values: Iterable[float], log: bool | None = None) -> Numbers:
    """Return a scale over all values with a small margin; logarithmic if they need it."""
    numbers = list(values)
    low, high = min(numbers), max(numbers)
    if log is None:
        log = low > 0 and high / low > _LOG_FROM
    if low == high:
        room = abs(low) * 0.1 or 1.0
        return Numbers(low - room, high + room)
    if log:
        room = (high / low) ** 0.04
        return Numbers(low / room, high * room, log=True)
    room = (high - low) * 0.04
    return Numbers(low - room, high + room)


def whole(low: int, high: int) -> Numbers:
    """Return a scale of counts, with a small margin on both sides."""
    room = max(0.5, (high - low) * 0.02)
    return Numbers(low - room, high + room)


def rows(names: Sequence[str]) -> Options:
    """Return a scale of named rows, the first at the top."""
    return Options(names[::-1])


def of_parameter(parameter: Parameter, values: Sequence[Any]) -> Scale:
    """Return the scale of a searched parameter over the values of the trials."""
    if not isinstance(parameter, Choice) and all(map(is_number, values)):
        log = bool(getattr(parameter, "log", False)) and min(values) > 0
        return spanning(values, log=log)
    options = list(parameter.options) if isinstance(parameter, Choice) else []
    for value in values:
        if not any(same(value, option) for option in options):
            options.append(value)
    return Options(options)


def label(value: float) -> str:
    """Return a number as a short tick label."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.6g}"


def short(value: Any, length: int = 16) -> str:
    """Return a value in a few characters, on one line."""
    text = " ".join(str(value).split())
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _round_steps(low: float, high: float, count: int) -> list[float]:
    """Return the multiples of the smallest round step that needs at most `count` steps."""
    if not low < high:
        return [float(f"{low:.12g}")]
    least = (high - low) / count
    power = math.floor(math.log10(least))
    steps = [digits * 10.0**exponent for exponent in (power - 1, power) for digits in _ROUND]
    fitting = next(place for place, step in enumerate(steps) if step >= least * (1 - _TINY))
    for step in steps[fitting::-1]:
        first, last = math.ceil(low / step - _TINY), math.floor(high / step + _TINY)
        if last > first:
            break
    # Multiples of a step have rounding errors, which a label must not show.
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def _round_powers(low: float, high: float, count: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for digits in ((1, 2, 5), (1,)):
        values = [d * 10.0**power for power in powers for d in digits]
        values = [v for v in values if low <= v <= high]
        if len(values) <= count + 2:
            return values
    return values[:: math.ceil(len(values) / count)]

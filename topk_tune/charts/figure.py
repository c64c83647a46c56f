"""What a picture shows, apart from how it is drawn: values on axes, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from topk_tune.charts.scales import Scale

Shape = Literal["dot", "diamond", "cross", "ring", "tick"]


@dataclass(frozen=True)
class Axis:
    """What is measured along an axis, with its unit, and the values that it has room for."""

    title: str
    scale: Scale


@dataclass(frozen=True)
class Line:
    """A line through points; of a trial, if it is one's."""

    x: Sequence[Any]
    y: Sequence[Any]
    role: str
    trial: int | None = None


@dataclass(frozen=True)
class Band:
    """The area between two curves."""

    x: Sequence[Any]
    low: Sequence[float]
    high: Sequence[float]
    role: str


@dataclass(frozen=True)
class Marks:
    """Marks of one shape and role; with the trials that they stand for, one for each."""

    x: Sequence[Any]
    y: Sequence[Any]
    role: str
    shape: Shape = "dot"
    trials: Sequence[int] = ()


@dataclass(frozen=True)
class Bars:
    """A bar for each of some rows, from one value to another, perhaps with words at its end."""

    rows: Sequence[Any]
    low: Sequence[float]
    high: Sequence[float]
    role: str
    labels: Sequence[str] = ()


Layer = Line | Band | Marks | Bars


@dataclass(frozen=True)
class Chart:
    """Layers over two axes, the first at the bottom.

    Parameters
    ----------
    title
        What it shows, for those who do not see it.
    x, y
        The axes; options along `y` are rows with names.
    layers
        What is drawn.
    small
        Whether it is one of many, side by side.
    """

    title: str
    x: Axis
    y: Axis
    layers: Sequence[Layer]
    small: bool = False


@dataclass(frozen=True)
class Parallel:
    """Lines over parallel axes: each passes through the axes by number, at the value there."""

    title: str
    axes: Sequence[Axis]
    lines: Sequence[Line]


@dataclass(frozen=True)
class Key:
    """An entry of a legend: a mark in some role, and what it means."""

    mark: Shape | Literal["line", "area"]
    role: str
    text: str


@dataclass(frozen=True)
class Figure:
    """A picture with what one must know to read it.

    Parameters
    ----------
    title, note
        What it shows, and how to read it; or why there is nothing to see.
    charts
        The chart, or several side by side; none if there is nothing to see.
    keys
        The legend.
    """

    title: str
    note: str
    charts: Sequence[Chart | Parallel] = ()
    keys: Sequence[Key] = ()

"""The data of a figure, independent of how it is drawn: values on axes, and their meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from topk_tune.charts.scales import Scale

Shape = Literal["dot", "diamond", "cross", "ring", "tick"]


@dataclass(frozen=True)
class Axis:
    """A title with the unit, and the scale of the values."""

    title: str
    scale: Scale


@dataclass(frozen=True)
class Line:
    """A line through points, optionally that of a trial."""

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
    """Marks of one shape and role, optionally with the trial of each mark."""

    x: Sequence[Any]
    y: Sequence[Any]
    role: str
    shape: Shape = "dot"
    trials: Sequence[int] = ()


@dataclass(frozen=True)
class Bars:
    """One bar per row, from one value to another, optionally with text at its end."""

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
        A description for people who cannot see it.
    x, y
        The axes; options along `y` are named rows.
    layers
        The layers to draw.
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
    """Lines over parallel axes: each crosses the numbered axes at its values."""

    title: str
    axes: Sequence[Axis]
    lines: Sequence[Line]


@dataclass(frozen=True)
class Key:
    """An entry of a legend: a mark with a role, and its meaning."""

    mark: Shape | Literal["line", "area"]
    role: str
    text: str


@dataclass(frozen=True)
class Figure:
    """A figure with the explanations needed to read it.

    Parameters
    ----------
    title, note
        What it shows and how to read it, or why it is empty.
    charts
        The chart, or several side by side; none if there is nothing to show.
    keys
        The legend.
    """

    title: str
    note: str
    charts: Sequence[Chart | Parallel] = ()
    keys: Sequence[Key] = ()

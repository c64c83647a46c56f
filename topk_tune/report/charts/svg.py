"""SVG drawings, coloured by the classes of the page's style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from topk_tune.report.charts.scales import Numbers, Scale, short
from topk_tune.report.tables import ReportTable

Point = tuple[float, float]

_LETTER = 6.5
"""The approximate width of a letter of a label."""


@dataclass(frozen=True)
class Key:
    """An entry of a legend: a mark, its style classes and its meaning."""

    mark: str
    classes: str
    text: str

    @property
    def picture(self) -> Markup:
        """The mark alone."""
        drawing = Drawing(22, 12, "")
        if self.mark == "line":
            drawing.line([(1, 6), (21, 6)], self.classes)
        elif self.mark == "area":
            drawing.add("rect", self.classes, x=1, y=2, width=20, height=8)
        else:
            drawing.mark(self.mark, (11, 6), self.classes)
        return drawing.markup()


@dataclass(frozen=True)
class Panel:
    """A part of the page: a chart, a table, or both.

    Parameters
    ----------
    title, note
        The title, and a note on how to read it.
    pictures
        The drawing; several for small charts side by side.
    keys
        The legend.
    table
        The table of its numbers.
    wide
        Whether it has the full width of the page.
    """

    title: str
    note: str
    pictures: Sequence[Markup] = ()
    keys: Sequence[Key] = ()
    table: ReportTable | None = None
    wide: bool = False


class Drawing:
    """An SVG picture that scales with the page.

    Parameters
    ----------
    width, height
        The size, in units of which text is about 13 high.
    title
        A description for screen readers; empty if it is decorative.
    """

    def __init__(self, width: float, height: float, title: str) -> None:
        self.width, self.height = width, height
        self._root = ElementTree.Element("svg", {"viewBox": f"0 0 {width} {height}"})
        if title:
            self._root.set("role", "img")
            self._root.set("aria-label", title)
        else:
            self._root.set("aria-hidden", "true")

    def add(self, tag: str, classes: str, text: str = "", **attributes: Any) -> None:
        """Add an element; the underscores of attribute names become dashes."""
        named = {name.replace("_", "-"): _plain(value) for name, value in attributes.items()}
        element = ElementTree.SubElement(self._root, tag, {"class": classes} | named)
        element.text = text

    def line(self, points: Iterable[Point], classes: str, **attributes: Any) -> None:
        """A line through points."""
        self.add("path", f"line {classes}", d=_path(points), **attributes)

    def area(self, points: Iterable[Point], classes: str) -> None:
        """The area that points enclose."""
        self.add("path", f"area {classes}", d=f"{_path(points)}Z")

    def mark(self, shape: str, at: Point, classes: str, **attributes: Any) -> None:
        """A dot, a diamond, a cross or a ring."""
        (x, y), classes = at, f"mark {shape} {classes}"
        if shape in ("dot", "ring"):
            self.add("circle", classes, cx=x, cy=y, r=3.2 if shape == "dot" else 6, **attributes)
        elif shape == "diamond":
            corners = [(x, y - 4), (x + 4, y), (x, y + 4), (x - 4, y)]
            self.add("path", classes, d=f"{_path(corners)}Z", **attributes)
        else:
            one, other = [(x - 3, y - 3), (x + 3, y + 3)], [(x - 3, y + 3), (x + 3, y - 3)]
            self.add("path", classes, d=_path(one) + _path(other), **attributes)

    def text(self, at: Point, text: str, classes: str = "", anchor: str = "middle") -> None:
        """A line of text."""
        self.add("text", classes, text, x=at[0], y=at[1], text_anchor=anchor)

    def markup(self) -> Markup:
        """The picture as markup, with all text escaped."""
        return Markup(ElementTree.tostring(self._root, encoding="unicode"))


@dataclass
class Axes:
    """A drawing with two axes.

    Parameters
    ----------
    title
        What the chart shows.
    x_title, y_title
        The titles of the axes, with units; empty for none.
    width, height
        The size of the drawing.
    left
        The space for the labels of the vertical axis.
    """

    title: str
    x_title: str
    y_title: str
    width: float = 480
    height: float = 300
    left: float = 58
    drawing: Drawing = field(init=False)

    def __post_init__(self) -> None:
        self.drawing = Drawing(self.width, self.height, self.title)

    @property
    def horizontal(self) -> Point:
        """Where the horizontal axis starts and ends."""
        return (self.left, self.width - 12)

    @property
    def vertical(self) -> Point:
        """Where the vertical axis starts, below, and ends."""
        return (self.height - 46, 14)

    def frame(self, x: Scale, y: Scale | None) -> None:
        """Draw grid lines, ticks and titles; no vertical axis without a scale."""
        (left, right), (bottom, top) = self.horizontal, self.vertical
        for at, label in y.ticks(5) if y else ():
            self.drawing.line([(left, at), (right, at)], "grid")
            self.drawing.text((left - 7, at + 4), label, "tick", "end")
        ticks = x.ticks(6 if self.width > 400 else 4)
        room = int((right - left) / max(len(ticks), 1) / _LETTER)
        for at, label in ticks:
            self.drawing.line([(at, bottom), (at, top if y is None else bottom + 4)], "grid")
            self.drawing.text((at, bottom + 18), short(label, max(room, 3)), "tick")
        self.drawing.line([(left, bottom), (right, bottom)], "axis")
        self.drawing.text(((left + right) / 2, self.height - 8), self.x_title, "title")
        if self.y_title:
            middle = (bottom + top) / 2
            turned = {"transform": f"rotate(-90 13 {middle:.1f})", "text_anchor": "middle"}
            self.drawing.add("text", "title", self.y_title, x=13, y=middle, **turned)


def whole(low: int, high: int, start: float, end: float) -> Numbers:
    """A scale of counts, with some space on both sides."""
    room = max(0.5, (high - low) * 0.02)
    return Numbers(low - room, high + room, start, end)


def _path(points: Iterable[Point]) -> str:
    return "".join(f"{'L' if i else 'M'}{_plain(x)} {_plain(y)}" for i, (x, y) in enumerate(points))


def _plain(value: Any) -> str:
    """A number rounded to tenths of a unit, which a screen cannot resolve; text unchanged."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, int | float) else str(value)

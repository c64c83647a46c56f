"""Draws charts as SVG without scripts, coloured by a style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from topk_tune.charts.drawing import KEY_SIZE, Point, draw, draw_key, size
from topk_tune.charts.figure import Chart, Key, Parallel, Shape
from topk_tune.charts.looks import BAND, LOOKS, Look


def picture(chart: Chart | Parallel) -> Markup:
    """Return a chart as SVG for a page."""
    canvas = SvgCanvas(*size(chart), chart.title)
    draw(canvas, chart)
    return canvas.markup()


def key_picture(key: Key) -> Markup:
    """Return the mark of a legend; the text beside it explains it."""
    canvas = SvgCanvas(*KEY_SIZE, "")
    draw_key(canvas, key)
    return canvas.markup()


def style() -> str:
    """Return the style sheet of the roles; print uses the light colours."""
    light = "".join(f"--{role}:{look.light};" for role, look in LOOKS.items())
    dark = "".join(f"--{role}:{look.dark};" for role, look in LOOKS.items())
    rules = "".join(_rules(role, look) for role, look in LOOKS.items())
    return (
        f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
        f"{rules}.area{{fill-opacity:{BAND}}}\n"
    )


def _rules(role: str, look: Look) -> str:
    dashes = " ".join(f"{length:g}" for length in look.dashes) or "none"
    return (
        f".line.{role}{{stroke:var(--{role});stroke-width:{look.width:g};"
        f"stroke-dasharray:{dashes};stroke-opacity:{look.opacity:g}}}\n"
        f".area.{role}{{fill:var(--{role})}}\n"
        f".mark.{role}{{fill:var(--{role});stroke:var(--{look.edge})}}\n"
        f".bar.{role}{{fill:var(--{role});fill-opacity:{look.opacity:g}}}\n"
        f".mark.hollow.{role}{{fill:none;stroke:var(--{role})}}\n"
    )


class SvgCanvas:
    """An SVG picture that scales with the page.

    Parameters
    ----------
    width, height
        The size in units; text is about 12 units high.
    title
        A description for people who cannot see it; empty if it is only decoration.
    """

    def __init__(self, width: float, height: float, title: str) -> None:
        self._root = ElementTree.Element("svg", {"viewBox": f"0 0 {width:g} {height:g}"})
        if title:
            self._root.set("role", "img")
            self._root.set("aria-label", title)
        else:
            self._root.set("aria-hidden", "true")

    def line(self, points: Sequence[Point], role: str, trial: int | None = None) -> None:
        """Draw a line through points."""
        self._add("path", f"line {role}", d=_path(points), **_of(trial))

    def area(self, points: Sequence[Point], role: str) -> None:
        """Fill the area enclosed by points."""
        self._add("path", f"area {role}", d=f"{_path(points)}Z")

    def bar(self, corner: Point, width: float, height: float, role: str) -> None:
        """A rectangle."""
        x, y = corner
        self._add("rect", f"bar {role}", x=x, y=y, width=width, height=height)

    def marks(self, shape: Shape, at: Sequence[Point], role: str, trials: Sequence[int]) -> None:
        """Draw marks of one shape."""
        classes = f"mark {shape} {role}" if shape == "dot" else f"mark hollow {shape} {role}"
        for (x, y), trial in zip_longest(at, trials):
            if shape in ("dot", "ring"):
                radius = 3.2 if shape == "dot" else 6
                self._add("circle", classes, cx=x, cy=y, r=radius, **_of(trial))
            else:
                self._add("path", classes, d=_outline(shape, x, y), **_of(trial))

    def text(self, at: Point, text: str, kind: str, anchor: str = "middle") -> None:
        """Draw a line of text."""
        self._add("text", kind, text, x=at[0], y=at[1], text_anchor=anchor)

    def upright(self, at: Point, text: str) -> None:
        """Draw the title of a vertical axis, read from bottom to top."""
        x, y = at
        turned = {"transform": f"rotate(-90 {_plain(x)} {_plain(y)})", "text_anchor": "middle"}
        self._add("text", "title", text, x=x, y=y, **turned)

    def markup(self) -> Markup:
        """Return the picture; all text in it is escaped."""
        return Markup(ElementTree.tostring(self._root, encoding="unicode"))

    def _add(self, tag: str, classes: str, text: str = "", **attributes: Any) -> None:
        """Add an element; underscores in attribute names become dashes."""
        named = {name.replace("_", "-"): _plain(value) for name, value in attributes.items()}
        element = ElementTree.SubElement(self._root, tag, {"class": classes} | named)
        element.text = text


def _outline(shape: Shape, x: float, y: float) -> str:
    if shape == "diamond":
        return f"{_path([(x, y - 4), (x + 4, y), (x, y + 4), (x - 4, y)])}Z"
    if shape == "tick":
        return _path([(x, y - 11), (x, y + 11)])
    one, other = [(x - 3, y - 3), (x + 3, y + 3)], [(x - 3, y + 3), (x + 3, y - 3)]
    return _path(one) + _path(other)


def _of(trial: int | None) -> dict[str, str]:
    """Return the attributes with which a page finds the marks of a trial."""
    return {} if trial is None else {"data_n": str(trial)}


def _path(points: Iterable[Point]) -> str:
    return "".join(f"{'L' if i else 'M'}{_plain(x)} {_plain(y)}" for i, (x, y) in enumerate(points))


def _plain(value: Any) -> str:
    """Return a number in tenths of a unit, which is finer than a screen; other values as text."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, int | float) else str(value)

"""Draws figures on a canvas, with the same marks at the same places on every kind of canvas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Protocol

from topk_tune.charts.figure import Band, Bars, Chart, Key, Layer, Line, Marks, Parallel, Shape
from topk_tune.charts.scales import Options, Scale, short

Point = tuple[float, float]

LETTER = 6.6
"""The approximate width of a letter of a label, in units; text is about 12 units high."""

KEY_SIZE = (22, 12)
"""The size of the mark of a legend."""

_BAR = 18
_ROW = 30
_PARALLEL = (960, 330)
_SIDE = 60


class Canvas(Protocol):
    """A drawing surface; its vertical axis points down, and roles are those of `LOOKS`."""

    def line(self, points: Sequence[Point], role: str, trial: int | None = None) -> None:
        """Draw a line through points."""

    def area(self, points: Sequence[Point], role: str) -> None:
        """Fill the area enclosed by points."""

    def bar(self, corner: Point, width: float, height: float, role: str) -> None:
        """A rectangle."""

    def marks(self, shape: Shape, at: Sequence[Point], role: str, trials: Sequence[int]) -> None:
        """Draw marks of one shape."""

    def text(self, at: Point, text: str, kind: str, anchor: str = "middle") -> None:
        """Draw a line of text: a `tick`, a `label` of a row, or the `title` of an axis."""

    def upright(self, at: Point, text: str) -> None:
        """Draw the title of a vertical axis, read from bottom to top."""


def size(chart: Chart | Parallel) -> Point:
    """Return the width and height of a chart."""
    if isinstance(chart, Parallel):
        return _PARALLEL
    frame = _Frame.of(chart)
    return frame.width, frame.height


def draw(canvas: Canvas, chart: Chart | Parallel) -> None:
    """Draw a chart."""
    if isinstance(chart, Parallel):
        _draw_parallel(canvas, chart)
        return
    frame = _Frame.of(chart)
    _draw_axes(canvas, chart, frame)
    for layer in chart.layers:
        _draw_layer(layer, canvas, chart, frame)


def draw_key(canvas: Canvas, key: Key) -> None:
    """Draw the mark of a legend."""
    width, height = KEY_SIZE
    if key.mark == "line":
        canvas.line([(1, height / 2), (width - 1, height / 2)], key.role)
    elif key.mark == "area":
        canvas.bar((1, 2), width - 2, height - 4, key.role)
    else:
        canvas.marks(key.mark, [(width / 2, height / 2)], key.role, ())


@dataclass(frozen=True)
class _Frame:
    """The position of the axes of a chart.

    Parameters
    ----------
    width, height
        The size of the drawing.
    left
        The room for the labels of the vertical axis.
    rows
        The number of named rows, if the vertical axis has rows.
    """

    width: float
    height: float
    left: float = 58
    rows: int = 0

    @classmethod
    def of(cls, chart: Chart) -> _Frame:
        """Return the frame of a chart."""
        if chart.small:
            return cls(320, 240)
        if not isinstance(chart.y.scale, Options):
            return cls(480, 300)
        names = [short(name) for name in chart.y.scale.options]
        return cls(480, 60 + _ROW * len(names), 18 + LETTER * max(map(len, names)), len(names))

    @property
    def right(self) -> float:
        return self.width - 12

    @property
    def bottom(self) -> float:
        return self.height - 46

    @property
    def top(self) -> float:
        return 14

    def across(self, share: float) -> float:
        """Return a position on the horizontal axis."""
        return self.left + share * (self.right - self.left)

    def up(self, share: float) -> float:
        """Return a position on the vertical axis."""
        return self.bottom - share * (self.bottom - self.top)

    def points(self, chart: Chart, x: Sequence[object], y: Sequence[object]) -> list[Point]:
        """Return the positions of values."""
        return list(zip(self._xs(chart.x.scale, x), self._ys(chart.y.scale, y), strict=True))

    def _xs(self, scale: Scale, values: Sequence[object]) -> list[float]:
        return [self.across(scale.place(value)) for value in values]

    def _ys(self, scale: Scale, values: Sequence[object]) -> list[float]:
        return [self.up(scale.place(value)) for value in values]


def _draw_axes(canvas: Canvas, chart: Chart, frame: _Frame) -> None:
    for share, label in chart.y.scale.ticks(frame.rows or 5):
        at = frame.up(share)
        if not frame.rows:
            canvas.line([(frame.left, at), (frame.right, at)], "grid")
        kind = "label" if frame.rows else "tick"
        canvas.text((frame.left - 7, at + 4), label, kind, "end")
    ticks = chart.x.scale.ticks(4 if chart.small else 6)
    room = int((frame.right - frame.left) / max(len(ticks), 1) / LETTER)
    for share, label in ticks:
        at = frame.across(share)
        canvas.line(
            [(at, frame.bottom), (at, frame.top if frame.rows else frame.bottom + 4)], "grid"
        )
        canvas.text((at, frame.bottom + 18), short(label, max(room, 3)), "tick")
    canvas.line([(frame.left, frame.bottom), (frame.right, frame.bottom)], "axis")
    middle = (frame.left + frame.right) / 2
    most = int(min(middle, frame.width - middle) * 2 / LETTER)
    canvas.text((middle, frame.height - 8), short(chart.x.title, most), "title")
    if chart.y.title:
        canvas.upright((13, (frame.bottom + frame.top) / 2), short(chart.y.title, 36))


@singledispatch
def _draw_layer(layer: Layer, canvas: Canvas, chart: Chart, frame: _Frame) -> None:
    raise TypeError(f"a layer must be a line, a band, marks or bars, but got {layer!r}")


@_draw_layer.register
def _draw_line(layer: Line, canvas: Canvas, chart: Chart, frame: _Frame) -> None:
    canvas.line(frame.points(chart, layer.x, layer.y), layer.role, layer.trial)


@_draw_layer.register
def _draw_band(layer: Band, canvas: Canvas, chart: Chart, frame: _Frame) -> None:
    upper = frame.points(chart, layer.x, layer.high)
    lower = frame.points(chart, layer.x, layer.low)
    canvas.area(upper + lower[::-1], layer.role)


@_draw_layer.register
def _draw_marks(layer: Marks, canvas: Canvas, chart: Chart, frame: _Frame) -> None:
    canvas.marks(layer.shape, frame.points(chart, layer.x, layer.y), layer.role, layer.trials)


@_draw_layer.register
def _draw_bars(layer: Bars, canvas: Canvas, chart: Chart, frame: _Frame) -> None:
    starts = frame.points(chart, layer.low, layer.rows)
    ends = frame.points(chart, layer.high, layer.rows)
    for (start, y), (end, _) in zip(starts, ends, strict=True):
        canvas.bar((start, y - _BAR / 2), max(end - start, 0.5), _BAR, layer.role)
    for (end, y), label in zip(ends, layer.labels, strict=False):
        canvas.text((end + 5, y + 4), label, "tick", "start")


def _draw_parallel(canvas: Canvas, chart: Parallel) -> None:
    width, height = _PARALLEL
    bottom, top = height - 20, 40
    gap = (width - 2 * _SIDE) / (len(chart.axes) - 1)

    def place(axis: int, value: object) -> Point:
        share = chart.axes[axis].scale.place(value)
        return (_SIDE + axis * gap, bottom - share * (bottom - top))

    for line in chart.lines:
        points = [place(axis, value) for axis, value in zip(line.x, line.y, strict=True)]
        canvas.line(points, line.role, line.trial)
    letters = max(int(gap / LETTER), 5)
    for number, axis in enumerate(chart.axes):
        x = _SIDE + number * gap
        canvas.line([(x, bottom), (x, top)], "axis")
        canvas.text((x, top - 22), short(axis.title, min(letters, 18)), "title")
        for share, label in axis.scale.ticks(5):
            at = (x + 6, bottom - share * (bottom - top) + 4)
            canvas.text(at, short(label, letters), "tick halo", "start")

"""Writes figures as PNG files, or in any other format of matplotlib, on a light background."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import count
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topk_tune.charts.drawing import KEY_SIZE, LETTER, Point, draw, draw_key, size
from topk_tune.charts.figure import Figure, Key, Shape
from topk_tune.charts.looks import BAND, LOOKS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

_ABREAST = 2
"""The most small charts side by side: more would be illegible at the width that MLflow shows."""

_HEADING, _KEY_ROW, _MARGIN = 30, 19, 8
_POINTS = 72
"""Units of a chart per inch: a unit is a point, so that text and lines look as on the page."""

_DOTS = 120
"""Dots per inch: a chart fills the width that MLflow shows."""

_FONTS = {"tick": 10.5, "label": 11.0, "title": 11.0}
_ANCHORS = {"start": "left", "middle": "center", "end": "right"}
_MARKERS: Mapping[Shape, Mapping[str, Any]] = {
    "dot": {"marker": "o", "markersize": 6.4, "markeredgewidth": 0.5},
    "diamond": {"marker": "D", "markersize": 5.6, "fillstyle": "none"},
    "cross": {"marker": "x", "markersize": 6, "markeredgewidth": 1.8},
    "ring": {"marker": "o", "markersize": 12, "fillstyle": "none", "markeredgewidth": 1.6},
    "tick": {"marker": "|", "markersize": 22, "markeredgewidth": 2.4},
}


def write_figures(folder: Path, figures: Mapping[str, Figure]) -> list[str]:
    """Write the figures that are not empty as FOLDER/NAME.png; return their names.

    Older pictures with these names are deleted, so that none is mistaken for a new one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        (folder / f"{name}.png").unlink(missing_ok=True)
        if figure.charts:
            write_figure(folder / f"{name}.png", figure)
    return [name for name, figure in figures.items() if figure.charts]


def write_figure(path: Path, figure: Figure) -> None:
    """Write a figure in the format of the file's suffix."""
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # a name may have letters that no font has
        sheet(figure).savefig(path, dpi=_DOTS)


def sheet(figure: Figure) -> Sheet:
    """Return a figure as a matplotlib figure, with its title above and its legend below."""
    from matplotlib.figure import Figure as Sheet

    abreast = min(_ABREAST, len(figure.charts))
    width, height = size(figure.charts[0])
    width, rows = width * abreast, ceil(len(figure.charts) / abreast)
    columns = _key_columns(figure.keys, width)
    legend = _KEY_ROW * ceil(len(figure.keys) / columns)
    total = _HEADING + height * rows + legend + 2 * _MARGIN
    # Not from pyplot, which would keep the figure and needs a display or a backend.
    made = Sheet(figsize=(width / _POINTS, total / _POINTS), facecolor=LOOKS["card"].light)
    page = MatplotlibCanvas(made, (0, 0), (width, total))
    page.text((16, 22), figure.title, "heading", "start")
    for i, chart in enumerate(figure.charts):
        corner = ((i % abreast) * width / abreast, _HEADING + (i // abreast) * height)
        draw(MatplotlibCanvas(made, corner, size(chart)), chart)
    for i, key in enumerate(figure.keys):
        corner = (16 + (i % columns) * (width - 16) / columns, total - legend - _MARGIN)
        at = (corner[0], corner[1] + (i // columns) * _KEY_ROW)
        draw_key(MatplotlibCanvas(made, at, KEY_SIZE), key)
        page.text((at[0] + KEY_SIZE[0] + 6, at[1] + 10), key.text, "label", "start")
    return made


def _key_columns(keys: Sequence[Key], width: float) -> int:
    """Return how many keys fit side by side."""
    longest = max((len(key.text) for key in keys), default=1)
    return max(1, min(len(keys), int(width // (longest * LETTER + KEY_SIZE[0] + 24))))


class MatplotlibCanvas:
    """A part of a sheet, with the same coordinates as an SVG picture of its size.

    Parameters
    ----------
    sheet
        The whole sheet.
    corner, size
        The upper left corner of the part, and its width and height.
    """

    def __init__(self, sheet: Sheet, corner: Point, size: Point) -> None:
        self._axes = _part(sheet, corner, size)
        self._layers = count()

    @property
    def _over(self) -> dict[str, Any]:
        """Options that draw over everything before, up to the edge of the sheet."""
        return {"zorder": next(self._layers), "clip_on": False}

    def line(self, points: Sequence[Point], role: str, trial: int | None = None) -> None:
        """Draw a line through points."""
        look = LOOKS[role]
        self._axes.plot(
            *_columns(points),
            color=look.light,
            linewidth=look.width,
            alpha=look.opacity,
            linestyle=(0, [length / look.width for length in look.dashes] or None),
            **self._over,
        )

    def area(self, points: Sequence[Point], role: str) -> None:
        """Fill the area enclosed by points."""
        look: dict[str, Any] = {"color": LOOKS[role].light, "alpha": BAND, "linewidth": 0}
        self._axes.fill(*_columns(points), **look, **self._over)

    def bar(self, corner: Point, width: float, height: float, role: str) -> None:
        """A rectangle."""
        from matplotlib.patches import Rectangle

        look: dict[str, Any] = {
            "color": LOOKS[role].light,
            "alpha": LOOKS[role].opacity,
            "linewidth": 0,
        }
        self._axes.add_patch(Rectangle(corner, width, height, **look, **self._over))

    def marks(self, shape: Shape, at: Sequence[Point], role: str, trials: Sequence[int]) -> None:
        """Draw marks of one shape."""
        edge = LOOKS[LOOKS[role].edge if shape == "dot" else role]
        self._axes.plot(
            *_columns(at),
            linestyle="none",
            color=LOOKS[role].light,
            markeredgecolor=edge.light,
            **_MARKERS[shape],
            **self._over,
        )

    def text(self, at: Point, text: str, kind: str, anchor: str = "middle") -> None:
        """Draw a line of text."""
        from matplotlib.patheffects import withStroke

        name, _, halo = kind.partition(" ")
        self._axes.text(
            *at,
            text,
            fontsize=_FONTS.get(name, 13.0),
            color=LOOKS["soft" if name == "tick" else "ink"].light,
            horizontalalignment=_ANCHORS[anchor],
            fontweight="bold" if name == "heading" else "normal",
            **self._over,
            parse_math=False,  # dollar signs in a name are literal
            path_effects=[withStroke(linewidth=3, foreground=LOOKS["card"].light)] if halo else [],
        )

    def upright(self, at: Point, text: str) -> None:
        """Draw the title of a vertical axis, read from bottom to top."""
        self._axes.text(
            *at,
            text,
            fontsize=_FONTS["title"],
            color=LOOKS["ink"].light,
            rotation=90,
            horizontalalignment="center",
            verticalalignment="center",
            parse_math=False,
            **self._over,
        )


def _part(sheet: Sheet, corner: Point, size: Point) -> Axes:
    """Return axes without a frame, in chart units from the top."""
    width, height = (length * _POINTS for length in sheet.get_size_inches())
    (x, y), (wide, high) = corner, size
    axes = sheet.add_axes((x / width, 1 - (y + high) / height, wide / width, high / height))
    axes.set_axis_off()
    axes.set(xlim=(0, wide), ylim=(high, 0), autoscale_on=False)
    return axes


def _columns(points: Sequence[Point]) -> tuple[list[float], list[float]]:
    return [x for x, _ in points], [y for _, y in points]

"""Writes figures as SVG files that need no page around them, many times faster than PNG files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import ceil
from pathlib import Path

from markupsafe import Markup, escape

from topk_tune.charts.drawing import KEY_SIZE, size
from topk_tune.charts.figure import Figure
from topk_tune.charts.svg import key_picture, picture, style

_ABREAST = 2
"""The most small charts side by side: more would be illegible at the width that MLflow shows."""

_HEADING, _KEY_ROW, _MARGIN = 30, 19, 8
_TEXT = 28
"""Units from the left side of a legend's mark to its text."""

_LOOK = """\
text { font: 12.5px sans-serif; fill: var(--ink); }
.heading { font-size: 14px; }
.tick { fill: var(--soft); font-size: 11.5px; }
.halo { paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
.line { fill: none; stroke-linejoin: round; }
.tick.mark { stroke-width: 2.4; }
.paper { fill: var(--card); }
"""


def write_svg_figures(folder: Path, figures: Mapping[str, Figure]) -> None:
    """Write the figures that are not empty as FOLDER/NAME.svg."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in figures.items():
        if figure.charts:
            text = svg_figure(figure)
            # A name may have bytes that are not text in any encoding.
            (folder / f"{name}.svg").write_text(text, "utf-8", errors="backslashreplace")


def svg_figure(figure: Figure) -> str:
    """Return a figure with its title above and its legend below."""
    abreast = min(_ABREAST, len(figure.charts))
    width, height = size(figure.charts[0])
    rows = ceil(len(figure.charts) / abreast)
    below = _HEADING + rows * height + _MARGIN
    whole = width * abreast, below + len(figure.keys) * _KEY_ROW + _MARGIN
    parts = [*_charts(figure, abreast), *_legend(figure, below)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole[0]:g}" height="{whole[1]:g}" '
        f'viewBox="0 0 {whole[0]:g} {whole[1]:g}"><style>{style()}{_LOOK}</style>'
        '<rect width="100%" height="100%" class="paper"/>'
        f'<text x="{_MARGIN}" y="20" class="heading">{escape(figure.title)}</text>'
        f"{''.join(parts)}</svg>\n"
    )


def _charts(figure: Figure, abreast: int) -> Iterator[str]:
    width, height = size(figure.charts[0])
    for number, chart in enumerate(figure.charts):
        row, column = divmod(number, abreast)
        yield _placed(picture(chart), column * width, _HEADING + row * height, (width, height))


def _legend(figure: Figure, top: float) -> Iterator[str]:
    for number, key in enumerate(figure.keys):
        y = top + number * _KEY_ROW
        yield _placed(key_picture(key), _MARGIN, y, KEY_SIZE)
        yield f'<text x="{_MARGIN + _TEXT}" y="{y + 10:g}" class="label">{escape(key.text)}</text>'


def _placed(drawn: Markup, x: float, y: float, area: tuple[float, float]) -> str:
    place = f'<svg x="{x:g}" y="{y:g}" width="{area[0]:g}" height="{area[1]:g}" '
    return place + str(drawn).removeprefix("<svg ")

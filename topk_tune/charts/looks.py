"""The look of each role in a chart, in light and dark mode."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """The look of a role.

    Parameters
    ----------
    light, dark
        Its colour on a light and on a dark background.
    width
        The width of its lines.
    dashes
        The lengths of strokes and gaps of its lines; empty for a solid line.
    opacity
        The opacity of its lines and bars.
    edge
        The role whose colour the edges of its dots have.
    """

    light: str
    dark: str
    width: float = 1.8
    dashes: Sequence[float] = ()
    opacity: float = 1.0
    edge: str = "card"


_RANKED = [
    ("#08306b", "#f0f7ff"),
    ("#0b4f96", "#c4e0fa"),
    ("#2272b4", "#95c7f0"),
    ("#4591c6", "#69aae0"),
    ("#6dabd3", "#488bc4"),
    ("#94c2de", "#346ea1"),
    ("#b5d2e8", "#2f6090"),
    ("#ccdcec", "#305373"),
]

LEVELS = len(_RANKED)
"""Shades of a ranking, from the best to the worst."""

_CURVES = [
    Look("#0072b2", "#56b4e9"),
    Look("#b3470e", "#f29a5c", dashes=(7, 3)),
    Look("#00805c", "#45c99c", dashes=(2, 3)),
    Look("#9c4477", "#e59cc8", dashes=(9, 3, 2, 3)),
    Look("#6b6300", "#d8cf4e", dashes=(4, 2)),
]

SERIES = len(_CURVES)
"""The most curves in one chart: as many as there are colours that everyone can distinguish."""

LOOKS = {
    "ink": Look("#1b1f24", "#e6eaee"),
    "soft": Look("#57606a", "#9fabb7"),
    "card": Look("#ffffff", "#191e24"),
    "grid": Look("#e3e6ea", "#2b323a", width=1),
    "axis": Look("#8a939d", "#6b7681", width=1),
    "complete": Look("#0072b2", "#56b4e9"),
    "pruned": Look("#a06a00", "#e0a93a"),
    "failed": Look("#b3261e", "#ff8a80"),
    "best": Look("#1b1f24", "#e6eaee", width=1.6),
    "front": Look("#b3470e", "#f29a5c", dashes=(5, 3)),
    "mean": Look("#1b1f24", "#e6eaee", width=2.4),
    "spread": Look("#8a939d", "#6b7681", opacity=0.35),
    **{f"series{i}": look for i, look in enumerate(_CURVES)},
    **{
        f"level{level}": Look(light, dark, width=1.4 if level else 2.2, opacity=0.85, edge="axis")
        for level, (light, dark) in enumerate(_RANKED)
    },
}
"""The roles by name: backgrounds and text first, then states, curves and ranks."""

BAND = 0.13
"""The opacity of bands, which may overlap."""


def palettes() -> dict[str, dict[str, str]]:
    """The colours of the roles by name, for light and dark screens."""
    return {
        "light": {role: look.light for role, look in LOOKS.items()},
        "dark": {role: look.dark for role, look in LOOKS.items()},
    }


def style() -> str:
    """The colours as variables of a style sheet; print uses the light ones."""
    light, dark = (
        "".join(f"--{role}:{colour};" for role, colour in palette.items())
        for palette in palettes().values()
    )
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"

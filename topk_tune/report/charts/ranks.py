"""Colours by rank in eighths, so that one bad trial does not dominate the scale."""

from topk_tune.report.charts.svg import Key
from topk_tune.report.content import Content

LEVELS = 8


def levels(content: Content) -> dict[int, int]:
    """The eighth of the ranking of each complete trial, by number; 0 is the best."""
    total = len(content.ranked)
    return {record.number: i * LEVELS // total for i, record in enumerate(content.ranked)}


def keys(content: Content) -> list[Key]:
    """The legend of the colours, with the values at both ends."""
    best, worst = content.ranked[0].value, content.ranked[-1].value
    first = Key("area", "level0", f"best eighth, from a {content.metric} of {best:.4f}")
    return [first, Key("area", f"level{LEVELS - 1}", f"worst eighth, to {worst:.4f}")]

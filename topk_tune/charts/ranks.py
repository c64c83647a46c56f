"""Colours by rank in eighths, so that one bad trial does not dominate the scale."""

from topk_tune.charts.figure import Key
from topk_tune.charts.looks import LEVELS
from topk_tune.charts.results import Results

STOPPED = Key("diamond", "pruned", "pruned: the value when it was stopped")


def levels(results: Results) -> dict[int, int]:
    """The eighth of the ranking of each usable trial, by number; 0 is the best."""
    total = len(results.ranked)
    return {record.number: i * LEVELS // total for i, record in enumerate(results.ranked)}


def keys(results: Results) -> list[Key]:
    """The legend of the colours, with the values at both ends."""
    best, worst = results.ranked[0].value, results.ranked[-1].value
    first = Key("area", "level0", f"best eighth, from a {results.metric} of {best:.4f}")
    last = Key("area", f"level{LEVELS - 1}", f"worst eighth, to {worst:.4f}")
    return [first, last, *([STOPPED] if results.stopped else [])]

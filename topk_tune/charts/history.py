"""The value of each trial, and the best so far."""

from collections.abc import Sequence
from itertools import pairwise

from topk_tune.charts.figure import Axis, Chart, Figure, Key, Layer, Line, Marks, Shape
from topk_tune.charts.ranks import STOPPED
from topk_tune.charts.results import Results, has_value, value_of
from topk_tune.charts.sampling import drawn, remark
from topk_tune.charts.scales import Numbers, spanning, whole
from topk_tune.records.trials import TrialRecord, comparable

SHAPES: dict[str, Shape] = {"complete": "dot", "pruned": "diamond", "failed": "cross"}
"""The mark of each state; shape and colour both differ."""

_KEYS = {
    "complete": "complete",
    "pruned": STOPPED.text,
    "failed": "failed: drawn at the worse end",
}


def history(results: Results) -> Figure:
    """Return the objective of every trial by its number."""
    failed = [record for record in results.records if record.state == "failed"]
    ended = [r for r in results.records if r.state in ("complete", "pruned") and has_value(r)]
    if not ended:
        return Figure("History", "No trial has a value yet.")
    shown = sorted(failed + ended, key=lambda record: record.number)
    steps = improvements(results.records)
    x = whole(0, max(record.number for record in results.records))
    y = spanning(map(value_of, ended), log=False)
    minimized = results.settings.goal.direction == "minimize"
    worse_end = y.at(0.985 if minimized else 0.015)
    layers: list[Layer] = [_stairs(steps, x)] if steps else []
    for state, shape in SHAPES.items():
        kept = [record for record in drawn(shown) if record.state == state]
        numbers = [record.number for record in kept]
        heights = [worse_end if state == "failed" else value_of(record) for record in kept]
        layers.append(Marks(numbers, heights, state, shape, numbers))
    keys = [Key(SHAPES[s], s, text) for s, text in _KEYS.items() if s in results.counts]
    best = [Key("line", "best", "best trial so far")] if steps else []
    title = f"The {results.metric} of each trial by its number"
    chart = Chart(title, Axis("trial", x), Axis(results.metric, y), layers)
    note = f"{'Lower' if minimized else 'Higher'} is better.{remark(shown)}"
    return Figure("History", note, [chart], keys + best)


def improvements(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """Return the trials that were better than all before them."""
    better: list[TrialRecord] = []
    for record in sorted(comparable(records), key=lambda each: each.number):
        if has_value(record) and (not better or record.key < better[-1].key):
            better.append(record)
    return better


def _stairs(steps: Sequence[TrialRecord], x: Numbers) -> Line:
    """Return the best value so far, up to the end of the axis."""
    edges = [float(record.number) for record in steps] + [x.high]
    values = [value_of(record) for record in steps]
    return Line(
        [edge for pair in pairwise(edges) for edge in pair],
        [value for value in values for _ in range(2)],
        "best",
    )

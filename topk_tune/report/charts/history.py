"""The value of each trial, and the best so far."""

from collections.abc import Sequence

from topk_tune.records.trials import TrialRecord
from topk_tune.report.charts.sampling import drawn, remark
from topk_tune.report.charts.scales import spanning
from topk_tune.report.charts.svg import Axes, Key, Panel, Point, whole
from topk_tune.report.content import Content, has_value, value_of

SHAPES = {"complete": "dot", "pruned": "diamond", "failed": "cross"}
"""The mark of each state; states differ in shape as well as in colour."""

_KEYS = {
    "complete": "complete",
    "pruned": "pruned: the value when it was stopped",
    "failed": "failed: drawn at the worse end",
}


def history(content: Content) -> Panel:
    """Draw the objective of every trial by its number."""
    failed = [record for record in content.records if record.state == "failed"]
    ended = [r for r in content.records if r.state in ("complete", "pruned") and has_value(r)]
    shown = sorted(failed + ended, key=lambda record: record.number)
    steps = improvements(content.records)
    title = "History"
    if not ended:
        return Panel(title, "No trial has a value yet.")
    axes = Axes(f"The {content.metric} of each trial by its number", "trial", content.metric)
    x = whole(0, max(record.number for record in content.records), *axes.horizontal)
    y = spanning(map(value_of, ended), *axes.vertical, log=False)
    axes.frame(x, y)
    stairs = _stairs([(x.place(r.number), y.place(value_of(r))) for r in steps], axes.horizontal[1])
    axes.drawing.line(stairs, "best")
    better = "Lower" if content.settings.goal.direction == "minimize" else "Higher"
    bottom, top = axes.vertical
    worse_end = top + 4 if better == "Lower" else bottom - 4
    for record in drawn(shown):
        height = worse_end if record.state == "failed" else y.place(value_of(record))
        place = (x.place(record.number), height)
        axes.drawing.mark(SHAPES[record.state], place, record.state, data_n=str(record.number))
    keys = [Key(SHAPES[s], s, text) for s, text in _KEYS.items() if s in content.counts]
    best = [Key("line", "best", "best complete trial so far")] if steps else []
    note = f"{better} is better.{remark(shown)}"
    return Panel(title, note, [axes.drawing.markup()], keys + best)


def improvements(records: Sequence[TrialRecord]) -> list[TrialRecord]:
    """The complete trials that were better than all earlier ones."""
    better: list[TrialRecord] = []
    for record in records:
        if record.state == "complete" and has_value(record):
            if better and record.key >= better[-1].key:
                continue
            better.append(record)
    return better


def _stairs(points: Sequence[Point], end: float) -> list[Point]:
    """Points as a step line that continues to the end."""
    path: list[Point] = []
    for x, y in points:
        path += [(x, path[-1][1]), (x, y)] if path else [(x, y)]
    return [*path, (end, path[-1][1])] if path else []

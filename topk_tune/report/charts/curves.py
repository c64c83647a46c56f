"""Learning curves of the best trials."""

from dataclasses import dataclass

import numpy as np

from topk_tune.records.trials import TrialRecord
from topk_tune.report.charts.scales import spanning
from topk_tune.report.charts.svg import Axes, Key, Panel, whole
from topk_tune.report.content import Content

BEST = 5
"""The number of curves: as many as there are colours that are easy to distinguish."""


@dataclass(frozen=True)
class Band:
    """The mean over seeds after each loop, and one standard deviation; 0 for a single seed."""

    mean: list[float]
    spread: list[float]

    @property
    def low(self) -> list[float]:
        """The lower edge."""
        return [m - s for m, s in zip(self.mean, self.spread, strict=True)]

    @property
    def high(self) -> list[float]:
        """The upper edge."""
        return [m + s for m, s in zip(self.mean, self.spread, strict=True)]


def band(record: TrialRecord) -> Band:
    """The curve of a trial, averaged over its seeds."""
    length, runs, value = len(record.curve), record.full_runs, record.objective.value
    values = np.array([[value(report.metrics) for report in r.reports[:length]] for r in runs])
    spread = values.std(axis=0, ddof=1) if len(runs) > 1 else np.zeros(length)
    return Band(record.curve, [float(s) for s in spread])


def curves(content: Content) -> Panel:
    """Draw the curves of the best trials, with bands over the seeds."""
    title, best = "Learning curves", content.ranked[:BEST]
    if not best:
        return Panel(title, "No trial is complete yet.")
    bands = [band(record) for record in best]
    axes = Axes(f"The {content.metric} after each loop of the best trials", "loop", content.metric)
    x = whole(1, max(len(each.mean) for each in bands), *axes.horizontal)
    edges = [edge for each in bands for edge in each.low + each.high]
    y = spanning(edges, *axes.vertical, log=False)
    axes.frame(x, y)
    for series, (record, each) in reversed(list(enumerate(zip(best, bands, strict=True)))):
        loops = [x.place(loop) for loop in range(1, len(each.mean) + 1)]
        if any(each.spread):
            upper = list(zip(loops, map(y.place, each.high), strict=True))
            lower = list(zip(loops, map(y.place, each.low), strict=True))
            axes.drawing.area(upper + lower[::-1], f"band series{series}")
        means = list(zip(loops, map(y.place, each.mean), strict=True))
        classes, number = f"series{series}", str(record.number)
        axes.drawing.line(means, classes, data_n=number)
        axes.drawing.mark("dot", means[(record.best_loop or 1) - 1], classes, data_n=number)
    keys = [Key("line", f"series{i}", f"trial {r.number}") for i, r in enumerate(best)]
    return Panel(title, _note(bands), [axes.drawing.markup()], keys)


def _note(bands: list[Band]) -> str:
    dots = "A dot marks the loop that counts."
    if not any(any(each.spread) for each in bands):
        return f"Each trial was trained with one seed, so there are no bands. {dots}"
    return f"Means and bands of one standard deviation over the seeds. {dots}"

"""Learning curves of trials, loop by loop."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topk_tune.charts.figure import Axis, Band, Chart, Figure, Key, Layer, Line, Marks
from topk_tune.charts.looks import SERIES
from topk_tune.charts.results import Results
from topk_tune.charts.scales import spanning, whole
from topk_tune.records.settings import StudySettings
from topk_tune.records.trials import SeedRun, TrialRecord
from topk_tune.training.metrics import MAIN


@dataclass(frozen=True)
class Curve:
    """The mean over some runs after each loop, and the standard deviation; 0 for a single run."""

    mean: list[float]
    spread: list[float]

    @classmethod
    def over(cls, runs: Sequence[Sequence[float]]) -> "Curve":
        """Make a curve from the values of each run."""
        values = np.array(runs, dtype=float)
        spread = values.std(axis=0, ddof=1) if len(values) > 1 else np.zeros(values.shape[1])
        return cls(values.mean(axis=0).tolist(), spread.tolist())

    @property
    def low(self) -> list[float]:
        """The lower edge of the band."""
        return [m - s for m, s in zip(self.mean, self.spread, strict=True)]

    @property
    def high(self) -> list[float]:
        """The upper edge of the band."""
        return [m + s for m, s in zip(self.mean, self.spread, strict=True)]

    def layers(self, x: Sequence[float], role: str, trial: int | None = None) -> list[Layer]:
        """Return the line, with the band below it if there is one."""
        line = Line(x, self.mean, role, trial)
        return [Band(x, self.low, self.high, role), line] if any(self.spread) else [line]


def curve(record: TrialRecord) -> Curve:
    """Return the curve of a trial over the seeds that its value is averaged over."""
    length, value = len(record.curve), record.objective.value
    return Curve.over(
        [[value(report.metrics) for report in r.reports[:length]] for r in record.full_runs]
    )


def curves(results: Results) -> Figure:
    """Return the curves of the best trials, with bands over the seeds."""
    title, best = "Learning curves", results.ranked[:SERIES]
    if not best:
        return Figure(title, "No trial has a result yet.")
    found = [curve(record) for record in best]
    layers: list[Layer] = []
    for series, (record, each) in reversed(list(enumerate(zip(best, found, strict=True)))):
        role, counts = f"series{series}", record.best_loop or 1
        layers += each.layers(range(1, len(each.mean) + 1), role, record.number)
        layers.append(Marks([counts], [each.mean[counts - 1]], role, trials=[record.number]))
    chart = Chart(
        f"The {results.metric} after each loop of the best trials",
        Axis("loop", whole(1, max(len(each.mean) for each in found))),
        Axis(results.metric, spanning((e for c in found for e in c.low + c.high), log=False)),
        layers,
    )
    keys = [Key("line", f"series{i}", f"trial {r.number}") for i, r in enumerate(best)]
    return Figure(title, _note(found), [chart], keys)


def trial_curves(settings: StudySettings, record: TrialRecord) -> Figure:
    """Return the curves of one trial, one per seed, beside the loss on the training rows."""
    goal, title = record.objective, f"Trial {record.number}"
    rows = "test rows" if settings.protocol == "paper" else "validation rows"
    wanted = {goal.metric: Key("line", "series0", f"{goal.words}, {rows}")}
    if goal.metric in MAIN:  # other metrics have another unit or direction
        wanted["train_loss"] = Key("line", "series1", "greedy loss, training rows")
    layers = [
        layer
        for metric, key in reversed(wanted.items())  # the objective is drawn last, on top
        for run in record.runs
        for layer in _seed_curve(run, metric, key.role)
    ]
    if not layers:
        return Figure(title, "Nothing was measured.")
    values = [value for layer in layers for value in layer.y]
    loops = [loop for layer in layers for loop in layer.x]
    chart = Chart(
        f"{title}, loop by loop",
        Axis("loop", whole(1, max(loops))),
        Axis(goal.words, spanning(values, log=False)),
        layers,
    )
    return Figure(title, "One line per seed.", [chart], list(wanted.values()))


def _seed_curve(run: SeedRun, metric: str, role: str) -> list[Line | Marks]:
    """Return a metric after each loop in which it was measured."""
    found = {report.loop: report.metrics.get(metric, math.nan) for report in run.reports}
    known = {loop: value for loop, value in found.items() if math.isfinite(value)}
    x, y = list(known), list(known.values())
    return [Line(x, y, role), Marks(x, y, role)] if known else []


def _note(found: Sequence[Curve]) -> str:
    dots = "A dot marks the best loop."
    if not any(any(each.spread) for each in found):
        return f"Each trial was trained with one seed, so there are no bands. {dots}"
    return f"Means and bands of one standard deviation over the seeds. {dots}"

"""The charts of a report as PNG files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from topk_tune.records.trials import FINISHED, TrialRecord
from topk_tune.report.charts.curves import BEST, band
from topk_tune.report.charts.sampling import drawn
from topk_tune.report.content import Content, value_of
from topk_tune.storage.quiet_optuna import unannounced
from topk_tune.study.confirmed_figures import ranked_alike, ranked_by, ranked_metric
from topk_tune.tracking.plots import study_plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURES = {
    "confirmations": "Confirmations, seed by seed",
    "history": "History",
    "curves": "Learning curves of the best trials, with bands of one standard deviation over seeds",
    "runtime": "Runtime against objective, with the Pareto front",
    "importances": "Importances",
    "parallel": "Parallel coordinates",
    "slice": "Slices",
    "pareto": "Pareto front as Optuna draws it",
}
"""The pictures by file name, in the order of the report."""

_SIZE = (7, 4.5)


def write_images(folder: Path, content: Content) -> list[str]:
    """Draw the pictures into a folder; returns the names of those that were drawn."""
    from matplotlib import rc_context

    folder.mkdir(parents=True, exist_ok=True)
    for name in PICTURES:  # pictures of an earlier report must not remain
        (folder / f"{name}.png").unlink(missing_ok=True)
    if content.ranked:
        with unannounced(), rc_context():  # so that the style is restored
            study_plots(folder, content.settings, _drawn(content))
        _save(folder / "curves.png", content, _curves)
        _save(folder / "runtime.png", content, _runtime)
    if content.confirmed:
        _save(folder / "confirmations.png", content, _confirmations)
    return [name for name in PICTURES if (folder / f"{name}.png").is_file()]


def _drawn(content: Content) -> list[TrialRecord]:
    """A sample of the finished trials that includes the best."""
    finished = [record for record in content.records if record.state in FINISHED]
    kept = {record.number: record for record in [*drawn(finished), *content.ranked[:BEST]]}
    return [kept[number] for number in sorted(kept)]


def _save(path: Path, content: Content, draw: Callable[[Axes, Content], None]) -> None:
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context("tableau-colorblind10", after_reset=True):
        figure = Figure(figsize=_SIZE, layout="constrained")
        axes = figure.subplots()
        draw(axes, content)
        axes.grid(alpha=0.3)
        figure.savefig(path, dpi=100)


def _curves(axes: Axes, content: Content) -> None:
    from matplotlib.ticker import MaxNLocator

    for record in content.ranked[:BEST]:
        each = band(record)
        loops = range(1, len(each.mean) + 1)
        axes.plot(loops, each.mean, label=f"trial {record.number}")
        axes.fill_between(loops, each.low, each.high, alpha=0.15)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set(xlabel="loop", ylabel=content.metric)
    axes.legend()


def _runtime(axes: Axes, content: Content) -> None:
    shown = drawn(content.ranked)
    axes.plot([r.seconds for r in shown], list(map(value_of, shown)), ".", label="complete trial")
    front = content.front
    seconds, values = [r.seconds for r in front], list(map(value_of, front))
    axes.plot(seconds, values, "o--", fillstyle="none", label="Pareto front")
    axes.set(xlabel="training time of all seeds (seconds)", ylabel=content.metric)
    axes.legend()


def _confirmations(axes: Axes, content: Content) -> None:
    rows = ranked_alike(content.confirmed)
    for place, by in enumerate(map(ranked_by, rows)):
        axes.plot(by.values, [place] * len(by.values), "C0.")
        axes.errorbar(by.value, place, xerr=by.spread or 0.0, fmt="k|", capsize=4)
    axes.set_yticks(range(len(rows)), [f"trial {each.trial}" for each in rows])
    axes.invert_yaxis()
    metric = ranked_metric(content.confirmed)
    axes.set(xlabel=f"{metric}: seeds, mean and standard deviation")

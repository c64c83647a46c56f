"""The parts of the page: charts with their legends, tables, or both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from topk_tune.charts import figures
from topk_tune.charts.figure import Figure, Parallel
from topk_tune.charts.svg import key_picture, picture
from topk_tune.report import tables
from topk_tune.report.content import Content
from topk_tune.report.tables import ReportTable
from topk_tune.study import confirmed_figures


@dataclass(frozen=True)
class Panel:
    """A part of the page.

    Parameters
    ----------
    title, note
        What it shows, and what one must know to read it.
    pictures
        The drawing; several for small charts side by side.
    keys
        The legend: marks, and what they mean.
    table
        The figures behind it.
    wide
        Whether it takes the whole width of a page.
    """

    title: str
    note: str
    pictures: Sequence[Markup] = ()
    keys: Sequence[tuple[Markup, str]] = ()
    table: ReportTable | None = None
    wide: bool = False


def panels(content: Content) -> list[Panel]:
    """All of them, in the order of the page."""
    drawn = figures(content)
    confirmed = tables.confirmations(content) if content.confirmed else None
    return [
        _panel(drawn.pop("confirmations"), confirmed),
        _tests(content),
        _baselines(content),
        *(_panel(drawn.pop(name)) for name in ("history", "curves", "pareto", "importances")),
        _front(content),
        *map(_panel, drawn.values()),
    ]


def _panel(figure: Figure, table: ReportTable | None = None) -> Panel:
    return Panel(
        figure.title,
        figure.note,
        [picture(chart) for chart in figure.charts],
        [(key_picture(key), key.text) for key in figure.keys],
        table,
        wide=any(isinstance(chart, Parallel) or chart.small for chart in figure.charts),
    )


def _tests(content: Content) -> Panel:
    """The confirmed best on the test rows."""
    title, table = "Test", tables.tested(content)
    if table is None:
        return Panel(title, "Nothing is tested yet.")
    first = content.confirmed[0]
    return Panel(
        title, confirmed_figures.sentence(confirmed_figures.tested(first).title), table=table
    )


def _baselines(content: Content) -> Panel:
    """What others reach on the rows that trials are measured with."""
    title, table = "Baselines", tables.baselines(content)
    if not table.rows:
        return Panel(title, "They are not known: the data could not be loaded.")
    note = "Weighted rank loss on the same rows as that of the trials. Label frequency shows "
    note += "everybody the same: the labels that are most often relevant first."
    if len(table.rows) == 1:
        note += f" More: topk-tune report {content.settings.name} --baselines"
    return Panel(title, note, table=table)


def _front(content: Content) -> Panel:
    """The trials of the Pareto front."""
    if not content.ranked:
        return Panel("Pareto front", "No trial is complete yet.")
    note = "Complete trials that no other beats in both time and objective, fastest first."
    return Panel("Pareto front", note, table=tables.pareto(content))

"""The confirmed configurations seed by seed, the best of them on the test rows, and baselines."""

from topk_tune.report.charts.scales import spanning
from topk_tune.report.charts.svg import Axes, Key, Panel
from topk_tune.report.content import Content
from topk_tune.report.tables import baselines as baseline_table
from topk_tune.report.tables import confirmations, tested
from topk_tune.study import confirmed_figures as figures

_ROW, _MOST = 34, 20


def confirmed(content: Content) -> Panel:
    """Draw a row of values for each configuration, on the rows that rank them."""
    title = "Confirmations"
    if not content.confirmed:
        command = f"topk-tune confirm {content.settings.name}"
        return Panel(title, f"Nothing is confirmed on fresh seeds yet: {command}")
    drawn = figures.ranked_alike(content.confirmed)
    rows = [(each.trial, figures.ranked_by(each)) for each in drawn[:_MOST]]
    height = 64 + _ROW * len(rows)
    metric = figures.ranked_metric(content.confirmed)
    axes = Axes(f"The {metric} of the confirmed configurations", metric, "", height=height)
    axes.left = 74
    edges = [by.value + sign * (by.spread or 0.0) for _, by in rows for sign in (-1, 1)]
    values = [value for _, by in rows for value in by.values]
    x = spanning([*edges, *values], *axes.horizontal, log=False)
    axes.frame(x, None)
    for row, (trial, by) in enumerate(rows):
        y, number = axes.vertical[1] + _ROW * (row + 0.5), str(trial)
        axes.drawing.text((axes.left - 7, y + 4), f"trial {number}", "label", "end")
        start, end = (x.place(by.value + sign * (by.spread or 0.0)) for sign in (-1, 1))
        width = max(end - start, 0.5)
        axes.drawing.add("rect", "spread", x=start, y=y - 9, width=width, height=18)
        for value in by.values:
            axes.drawing.mark("dot", (x.place(value), y), "complete", data_n=number)
        mean = x.place(by.value)
        axes.drawing.line([(mean, y - 11), (mean, y + 11)], "mean")
    keys = [
        Key("dot", "complete", "one seed"),
        Key("line", "mean", "mean"),
        Key("area", "spread", "one standard deviation"),
    ]
    more = len(content.confirmed) - len(rows)
    note = figures.sentence(figures.ranking(content.confirmed, content.settings).title)
    note += f" {more} more are not drawn." if more else ""
    return Panel(title, note, [axes.drawing.markup()], keys, confirmations(content))


def tests(content: Content) -> Panel:
    """The confirmed best on the test rows."""
    title, table = "Test", tested(content)
    if table is None:
        return Panel(title, "Nothing is tested yet.")
    first = content.confirmed[0]
    return Panel(title, figures.sentence(figures.tested(first).title), table=table)


def baselines(content: Content) -> Panel:
    """The baselines on the rows that trials are evaluated on."""
    title, table = "Baselines", baseline_table(content)
    if not table.rows:
        return Panel(title, "Not available: the data could not be loaded.")
    note = "Weighted rank loss on the same rows as the trials. Label frequency ranks all rows "
    note += "alike: the labels that are most often relevant first."
    if len(table.rows) == 1:
        note += f" More: topk-tune report {content.settings.name} --baselines"
    return Panel(title, note, table=table)

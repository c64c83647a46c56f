"""The confirmed configurations on the test rows, seed by seed."""

from topk_tune.metrics import words
from topk_tune.report.charts.scales import spanning
from topk_tune.report.charts.svg import Axes, Key, Panel
from topk_tune.report.content import Content
from topk_tune.report.tables import confirmations

_ROW, _MOST = 34, 20


def confirmed(content: Content) -> Panel:
    """Draw a row of values for each confirmed configuration, the best on top."""
    title, rows = "Confirmations", content.confirmed[:_MOST]
    if not rows:
        command = f"topk-tune confirm {content.settings.name}"
        return Panel(title, f"Nothing is confirmed on fresh seeds yet: {command}")
    height = 64 + _ROW * len(rows)
    metric = f"{words(rows[0].metric)} on the test rows"
    axes = Axes(f"The {metric} of the confirmed configurations", metric, "", height=height)
    axes.left = 74
    edges = [c.value + sign * (c.spread or 0.0) for c in rows for sign in (-1, 1)]
    x = spanning(
        [*edges, *(value for c in rows for value in c.values)], *axes.horizontal, log=False
    )
    axes.frame(x, None)
    for row, each in enumerate(rows):
        y, number = axes.vertical[1] + _ROW * (row + 0.5), str(each.trial)
        axes.drawing.text((axes.left - 7, y + 4), f"trial {number}", "label", "end")
        start, end = (x.place(each.value + sign * (each.spread or 0.0)) for sign in (-1, 1))
        width = max(end - start, 0.5)
        axes.drawing.add("rect", "spread", x=start, y=y - 9, width=width, height=18)
        for value in each.values:
            axes.drawing.mark("dot", (x.place(value), y), "complete", data_n=number)
        mean = x.place(each.value)
        axes.drawing.line([(mean, y - 11), (mean, y + 11)], "mean")
    keys = [
        Key("dot", "complete", "one seed"),
        Key("line", "mean", "mean"),
        Key("area", "spread", "one standard deviation"),
    ]
    more = len(content.confirmed) - len(rows)
    note = "Trained on all training rows with fresh seeds, tested as the paper does: predict each "
    note += "row, then learn it." + (f" {more} more are not drawn." if more else "")
    return Panel(title, note, [axes.drawing.markup()], keys, confirmations(content))

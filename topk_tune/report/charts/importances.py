"""Importances of parameters."""

from topk_tune.report.charts.scales import Numbers, short
from topk_tune.report.charts.svg import Axes, Panel
from topk_tune.report.content import Content
from topk_tune.tracking.plots import ENOUGH

_ROW = 26


def importances(content: Content) -> Panel:
    """Draw a bar for each parameter."""
    shares = content.importances
    title = "Importances"
    if not shares:
        note = f"They need {ENOUGH} complete trials and a parameter that is searched."
        return Panel(title, f"{note} There are {len(content.ranked)} complete trials.")
    height = 60 + _ROW * len(shares)
    axes = Axes("Importance of each parameter", "share", "", height=height, left=118)
    x = Numbers(0.0, max(shares.values()) * 1.18 or 1.0, *axes.horizontal)
    axes.frame(x, None)
    for row, (name, share) in enumerate(shares.items()):
        y = axes.vertical[1] + _ROW * (row + 0.5)
        axes.drawing.text((axes.left - 7, y + 4), short(name, 16), "label", "end")
        width = x.place(share) - axes.left
        axes.drawing.add("rect", "bar", x=axes.left, y=y - 8, width=width, height=16)
        axes.drawing.text((x.place(share) + 5, y + 4), f"{share:.2f}", "tick", "start")
    note = (
        "How much a parameter decides whether a trial is among the best tenth (PED-ANOVA); the "
        "shares add up to 1. With few trials they are rough estimates."
    )
    return Panel(title, note, [axes.drawing.markup()])

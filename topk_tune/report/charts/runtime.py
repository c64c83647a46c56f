"""The objective against the training time."""

from topk_tune.report.charts.sampling import drawn, remark
from topk_tune.report.charts.scales import spanning
from topk_tune.report.charts.svg import Axes, Key, Panel
from topk_tune.report.content import Content, value_of
from topk_tune.report.tables import pareto


def runtime(content: Content) -> Panel:
    """Draw the objective against the training time, with the Pareto front."""
    title = f"Runtime against {content.metric}"
    if not content.ranked:
        return Panel(title, "No trial is complete yet.")
    metric = content.metric
    axes = Axes(f"The {metric} of complete trials against their training time", "", metric)
    x = spanning([r.seconds for r in content.ranked], *axes.horizontal)
    scale = ", logarithmic" if x.log else ""
    axes.x_title = f"training time of all seeds (seconds{scale})"
    y = spanning([value_of(r) for r in content.ranked], *axes.vertical, log=False)
    axes.frame(x, y)
    front = [(x.place(r.seconds), y.place(value_of(r))) for r in content.front]
    axes.drawing.line(front, "front")
    for record in drawn(content.ranked):
        place = (x.place(record.seconds), y.place(value_of(record)))
        axes.drawing.mark("dot", place, "complete", data_n=str(record.number))
    for record, place in zip(content.front, front, strict=True):
        axes.drawing.mark("ring", place, "front", data_n=str(record.number))
    keys = [
        Key("dot", "complete", "complete trial"),
        Key("ring", "front", "Pareto front: no trial is both better and faster"),
    ]
    note = "Times were measured on the machines that ran the trials." + remark(content.ranked)
    return Panel(title, note, [axes.drawing.markup()], keys)


def front(content: Content) -> Panel:
    """List the trials of the Pareto front."""
    if not content.ranked:
        return Panel("Pareto front", "No trial is complete yet.")
    note = "Complete trials that no other beats in both time and objective, fastest first."
    return Panel("Pareto front", note, table=pareto(content))

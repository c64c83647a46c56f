"""The objective against training time."""

from topk_tune.charts.figure import Axis, Chart, Figure, Key, Line, Marks
from topk_tune.charts.results import Results, value_of
from topk_tune.charts.sampling import drawn, remark
from topk_tune.charts.scales import spanning


def pareto(results: Results) -> Figure:
    """Return the objective against the training time, with the Pareto front."""
    metric = results.metric
    title = f"Runtime against {metric}"
    if not results.ranked:
        return Figure(title, "No trial has a result yet.")
    x = spanning([record.seconds for record in results.ranked])
    y = spanning([value_of(record) for record in results.ranked], log=False)
    shown, front = drawn(results.ranked), results.front
    times, values = [r.seconds for r in front], [value_of(r) for r in front]
    complete = Marks(
        [r.seconds for r in shown],
        [value_of(r) for r in shown],
        "complete",
        trials=[r.number for r in shown],
    )
    rings = Marks(times, values, "front", "ring", [r.number for r in front])
    chart = Chart(
        f"The {metric} of trials against their training time",
        Axis(f"training time of all seeds (seconds{', logarithmic' if x.log else ''})", x),
        Axis(metric, y),
        [Line(times, values, "front"), complete, rings],
    )
    keys = [
        Key("dot", "complete", "trial"),
        Key("ring", "front", "Pareto front: no trial is both better and faster"),
    ]
    note = "Times depend on the machines that the trials ran on." + remark(results.ranked)
    return Figure(title, note, [chart], keys)

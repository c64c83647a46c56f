"""Every configuration as a line over the searched parameters."""

from topk_tune.charts.figure import Axis, Figure, Line, Parallel
from topk_tune.charts.ranks import keys, levels
from topk_tune.charts.results import Results, value_of
from topk_tune.charts.sampling import drawn, remark
from topk_tune.charts.scales import of_parameter, spanning
from topk_tune.records.trials import TrialRecord

_MOST = 300


def parallel(results: Results) -> Figure:
    """Return a line for each trial, the best on top."""
    title, axes = "Parallel coordinates", _axes(results)
    if len(axes) < 2 or not results.ranked:
        return Figure(title, "This chart needs trials and a searched parameter.")
    eighth = levels(results)
    lines = [
        *(_line(record, axes, "pruned") for record in drawn(results.stopped, _MOST)),
        *(
            _line(record, axes, f"level{eighth[record.number]}")
            for record in reversed(drawn(results.ranked, _MOST))
        ),
    ]
    note = "Each line is a trial: darker is better in print and on a light screen, "
    note += f"brighter on a dark one.{remark(results.ranked, _MOST)}"
    chart = Parallel("Configurations of the trials as lines", axes, lines)
    return Figure(title, note, [chart], keys(results))


def _axes(results: Results) -> list[Axis]:
    """Return an axis for each parameter of trials, and one for the objective."""
    axes, every = [], results.ranked + results.stopped
    for name, parameter in results.searched.items():
        values = [record.params[name] for record in every if name in record.params]
        if values:
            axes.append(Axis(name, of_parameter(parameter, values)))
    if axes:
        heights = spanning([value_of(r) for r in every], log=False)
        axes.append(Axis(results.metric, heights))
    return axes


def _line(record: TrialRecord, axes: list[Axis], role: str) -> Line:
    """Return the line of a trial; it skips parameters that the trial does not have."""
    *parameters, _ = axes
    passed = {i: axis.title for i, axis in enumerate(parameters) if axis.title in record.params}
    values = [record.params[name] for name in passed.values()]
    return Line([*passed, len(parameters)], [*values, record.value], role, record.number)

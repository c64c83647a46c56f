"""The objective against one parameter at a time."""

from collections.abc import Sequence

from topk_tune.charts.figure import Axis, Chart, Figure, Marks
from topk_tune.charts.looks import LEVELS
from topk_tune.charts.ranks import keys, levels
from topk_tune.charts.results import Results, value_of
from topk_tune.charts.sampling import drawn, remark
from topk_tune.charts.scales import of_parameter, spanning
from topk_tune.records.trials import TrialRecord
from topk_tune.spaces import Parameter

_MOST = 400


def slices(results: Results) -> Figure:
    """Return a small chart for each searched parameter."""
    title, eighth = "Slices", levels(results)
    charts = []
    for name, parameter in results.searched.items():
        records = [record for record in results.ranked if name in record.params]
        stopped = [record for record in results.stopped if name in record.params]
        if records:
            charts.append(_slice(name, parameter, records, stopped, eighth))
    if not charts:
        return Figure(title, "This chart needs trials and a searched parameter.")
    note = f"The {results.metric} of each trial against one parameter; the others differ too."
    return Figure(title, note + remark(results.ranked, _MOST), charts, keys(results))


def _slice(
    name: str,
    parameter: Parameter,
    records: list[TrialRecord],
    stopped: list[TrialRecord],
    eighth: dict[int, int],
) -> Chart:
    metric, layers = records[0].objective.words, []
    shown = drawn(records, _MOST)
    if stopped:
        layers.append(_stopped(name, drawn(stopped, _MOST)))
    for level in reversed(range(LEVELS)):  # the best on top
        among = [record for record in shown if eighth[record.number] == level]
        values, heights = [r.params[name] for r in among], [value_of(r) for r in among]
        layers.append(
            Marks(values, heights, f"level{level}", trials=[record.number for record in among])
        )
    return Chart(
        f"The {metric} against {name}",
        Axis(name, of_parameter(parameter, [r.params[name] for r in records + stopped])),
        Axis(metric, spanning([value_of(r) for r in records + stopped], log=False)),
        layers,
        small=True,
    )


def _stopped(name: str, records: Sequence[TrialRecord]) -> Marks:
    values, heights = [r.params[name] for r in records], [value_of(r) for r in records]
    return Marks(values, heights, "pruned", "diamond", [record.number for record in records])

"""The objective against one parameter at a time."""

from markupsafe import Markup

from topk_tune.records.trials import TrialRecord
from topk_tune.report.charts.ranks import keys, levels
from topk_tune.report.charts.sampling import drawn, remark
from topk_tune.report.charts.scales import of_parameter, short, spanning
from topk_tune.report.charts.svg import Axes, Panel
from topk_tune.report.content import Content, value_of
from topk_tune.spaces import Parameter

_MOST = 400


def slices(content: Content) -> Panel:
    """Draw a small chart for each searched parameter."""
    title = "Slices"
    eighth = levels(content)
    pictures = []
    for name, parameter in content.searched.items():
        records = [record for record in content.ranked if name in record.params]
        if records:
            pictures.append(_slice(name, parameter, records, eighth))
    if not pictures:
        return Panel(title, "They need complete trials and a parameter that is searched.")
    note = (
        f"The {content.metric} of each complete trial against one parameter; the others differ too."
    )
    note += remark(content.ranked, _MOST)
    return Panel(title, note, pictures, keys(content), wide=True)


def _slice(
    name: str, parameter: Parameter, records: list[TrialRecord], eighth: dict[int, int]
) -> Markup:
    metric = records[0].objective.words
    axes = Axes(f"The {metric} against {name}", short(name, 30), metric, width=320, height=240)
    x = of_parameter(parameter, [record.params[name] for record in records], *axes.horizontal)
    y = spanning([value_of(record) for record in records], *axes.vertical, log=False)
    axes.frame(x, y)
    for record in reversed(drawn(records, _MOST)):
        place = (x.place(record.params[name]), y.place(value_of(record)))
        classes = f"level{eighth[record.number]}"
        axes.drawing.mark("dot", place, classes, data_n=str(record.number))
    return axes.drawing.markup()

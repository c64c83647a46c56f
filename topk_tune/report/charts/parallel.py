"""Every configuration as a line over the searched parameters."""

from topk_tune.records.trials import TrialRecord
from topk_tune.report.charts.ranks import keys, levels
from topk_tune.report.charts.sampling import drawn, remark
from topk_tune.report.charts.scales import Scale, of_parameter, short, spanning
from topk_tune.report.charts.svg import Drawing, Panel, Point
from topk_tune.report.content import Content, value_of

_MOST = 300
_WIDTH, _HEIGHT, _SIDE = 960, 330, 60
_FROM, _TO = _HEIGHT - 20, 40


def parallel(content: Content) -> Panel:
    """Draw a line for each complete trial, the best on top."""
    title = "Parallel coordinates"
    scales = _scales(content)
    if len(scales) < 2:
        return Panel(title, "They need complete trials and a parameter that is searched.")
    drawing = Drawing(_WIDTH, _HEIGHT, "Configurations of the complete trials as lines")
    gap = (_WIDTH - 2 * _SIDE) / (len(scales) - 1)
    places = {name: _SIDE + i * gap for i, name in enumerate(scales)}
    eighth = levels(content)
    for record in reversed(drawn(content.ranked, _MOST)):
        points = _points(record, scales, places)
        classes = f"trial level{eighth[record.number]}"
        drawing.line(points, classes, data_n=str(record.number))
    for name, scale in scales.items():
        x = places[name]
        drawing.line([(x, _FROM), (x, _TO)], "axis")
        drawing.text((x, _TO - 22), short(name, 18), "title")
        for y, label in scale.ticks(5):
            drawing.text((x + 6, y + 4), label, "tick halo", "start")
    note = "Each line is a complete trial: darker is better in print and on a light screen, "
    note += f"brighter on a dark one.{remark(content.ranked, _MOST)}"
    return Panel(title, note, [drawing.markup()], keys(content), wide=True)


def _scales(content: Content) -> dict[str, Scale]:
    """A scale for each parameter that complete trials have, and one for the objective."""
    scales: dict[str, Scale] = {}
    for name, parameter in content.searched.items():
        values = [record.params[name] for record in content.ranked if name in record.params]
        if values:
            scales[name] = of_parameter(parameter, values, _FROM, _TO)
    if scales:
        scales[content.metric] = spanning(
            [value_of(r) for r in content.ranked], _FROM, _TO, log=False
        )
    return scales


def _points(record: TrialRecord, scales: dict[str, Scale], places: dict[str, float]) -> list[Point]:
    """Where the line of a trial passes; it jumps over parameters that do not exist for it."""
    values = {**record.params, record.objective.words: record.value}
    return [(places[n], scale.place(values[n])) for n, scale in scales.items() if n in values]

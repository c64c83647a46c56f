"""The confirmed configurations, seed by seed."""

from topk_tune.charts.figure import Axis, Bars, Chart, Figure, Key, Marks
from topk_tune.charts.results import Results
from topk_tune.charts.scales import rows, spanning
from topk_tune.study import confirmed_figures as figures

_MOST = 20


def confirmations(results: Results) -> Figure:
    """Return one row of values per configuration, on the rows that they were ranked by."""
    title = "Confirmations"
    if not results.confirmed:
        command = f"topk-tune confirm {results.settings.name}"
        return Figure(title, f"Nothing is confirmed with fresh seeds yet: {command}")
    shown = figures.ranked_alike(results.confirmed)[:_MOST]
    names = [f"trial {each.trial}" for each in shown]
    by = [figures.ranked_by(each) for each in shown]
    low = [each.value - (each.spread or 0.0) for each in by]
    high = [each.value + (each.spread or 0.0) for each in by]
    pairs = [(row, value) for row in range(len(by)) for value in by[row].values]
    values = [value for _, value in pairs]
    metric = figures.ranked_metric(results.confirmed)
    chart = Chart(
        f"The {metric} of the confirmed configurations",
        Axis(metric, spanning([*low, *high, *values], log=False)),
        Axis("", rows(names)),
        [
            Bars(names, low, high, "spread"),
            Marks(
                values,
                [names[row] for row, _ in pairs],
                "complete",
                trials=[shown[row].trial for row, _ in pairs],
            ),
            Marks([each.value for each in by], names, "mean", "tick"),
        ],
    )
    keys = [
        Key("dot", "complete", "one seed"),
        Key("tick", "mean", "mean"),
        Key("area", "spread", "one standard deviation"),
    ]
    more = len(results.confirmed) - len(shown)
    note = figures.sentence(figures.ranking(results.confirmed, results.settings).title)
    note += f" {more} more are not drawn." if more else ""
    return Figure(title, note, [chart], keys)

"""The charts and tables of a report: SVG without scripts, coloured by the page's style sheet."""

from topk_tune.report.charts.confirmed import baselines, confirmed, tests
from topk_tune.report.charts.curves import curves
from topk_tune.report.charts.history import history
from topk_tune.report.charts.importances import importances
from topk_tune.report.charts.parallel import parallel
from topk_tune.report.charts.runtime import front, runtime
from topk_tune.report.charts.slices import slices
from topk_tune.report.charts.svg import Panel
from topk_tune.report.content import Content


def panels(content: Content) -> list[Panel]:
    """All charts and tables, in the order of the page."""
    results = (confirmed, tests, baselines)
    draw = (*results, history, curves, runtime, importances, front, parallel, slices)
    return [each(content) for each in draw]

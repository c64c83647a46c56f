"""Charts of a study: their data, and how they are drawn.

For each chart one function makes a `Figure`, which is data: values on axes in named roles, with the
explanations needed to read it. `drawing` puts it on a canvas, which is matplotlib's for files
(`png`). A new chart is one function and a line here. The page of a report draws by itself, because
its charts follow filters; the order of trials, curves and colours are those of this package.
"""

from collections.abc import Callable

from topk_tune.charts.confirmations import confirmations
from topk_tune.charts.curves import curves
from topk_tune.charts.figure import Figure
from topk_tune.charts.history import history
from topk_tune.charts.importances import importances
from topk_tune.charts.parallel import parallel
from topk_tune.charts.pareto import pareto
from topk_tune.charts.results import Results
from topk_tune.charts.slices import slices

CHARTS: dict[str, Callable[[Results], Figure]] = {
    "confirmations": confirmations,
    "history": history,
    "curves": curves,
    "pareto": pareto,
    "importances": importances,
    "parallel": parallel,
    "slice": slices,
}
"""The charts of a study by file name, in the order in which they are shown."""


def figures(results: Results) -> dict[str, Figure]:
    """Return all charts of a study; some may be empty."""
    return {name: chart(results) for name, chart in CHARTS.items()}

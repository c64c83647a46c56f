"""Figure 1: learning curves of TopOpt on Yeast for several sizes of the feedback."""

from collections.abc import Sequence

import search_spaces
from topk_tune.charts.curves import Curve
from topk_tune.charts.figure import Figure
from topk_tune.records.trials import TrialRecord
from topk_tune.reproduce.figures.drawn import (
    DATASET,
    Drawn,
    Series,
    averages,
    keys,
    panel,
    rounds,
)
from topk_tune.reproduce.outcomes import Bench, Progress
from topk_tune.reproduce.paper import FIGURE_KS
from topk_tune.reproduce.tables import PaperTable
from topk_tune.spaces import Choice, Fixed, Parameter, Space

GAMMA = 0.1
"""The paper does not give the edge of its figure; this is the smallest of its search."""

_NOTE = """\
The loss of what is shown, averaged over the stream so far: means and standard deviations over the
runs. Parameters are those of the paper's Table 5 with gamma 0.1; nothing was searched."""


def draw(bench: Bench, quick: bool, progress: Progress) -> Drawn:
    """Run or continue the study, and draw it."""
    trials = curves(bench, 3 if quick else 10, 2 if quick else None, progress)
    return Drawn(table(trials), chart(trials), _NOTE)


def curves(bench: Bench, runs: int, loops: int | None, progress: Progress) -> list[TrialRecord]:
    """A trial for each size of the feedback, with the parameters of the paper's Table 5."""
    picked = search_spaces.paper_parameters("topopt", DATASET) | {"gamma": GAMMA}
    if loops is not None:
        picked["loops"] = loops
    picked.pop("k")
    parameters: dict[str, Parameter] = {"algorithm": Fixed("topopt")}
    parameters |= {name: Fixed(value) for name, value in picked.items()}
    space = Space(parameters | {"k": Choice(list(FIGURE_KS))})
    study = bench.study(
        f"{bench.prefix}figure1", DATASET, len(FIGURE_KS), progress, space=space,
        sampler="grid", pruner="none", protocol="paper", seeds=runs,
    )  # fmt: skip
    found = {record.config["k"]: record for record in study.records()}
    return [found[k] for k in FIGURE_KS]


def table(trials: Sequence[TrialRecord]) -> PaperTable:
    """The curves as a table: after the first loop, half of the loops and all."""
    rows = []
    for record in trials:
        runs = averages(record)
        loops = len(runs[0])
        marks = sorted({1, max(1, loops // 2), loops})
        curve = Curve.over(runs)
        cells = [f"{curve.mean[n - 1]:.3f} ± {curve.spread[n - 1]:.3f}" for n in marks]
        rows.append([f"k = {record.config['k']}", f"{len(runs)} runs", *cells])
    head = ["feedback", "", *(f"after {n} loops" for n in marks)]
    return PaperTable(
        "figure1", "TopOpt on Yeast: loss of what is shown, averaged over the stream", head, rows
    )


def chart(trials: Sequence[TrialRecord]) -> Figure:
    """The curves with bands of one standard deviation over the runs."""
    series = [
        Series(f"k = {record.config['k']}", rounds(record), Curve.over(averages(record)))
        for record in trials
    ]
    drawn = panel(
        "The loss of what is shown by the number of rounds",
        "rounds",
        "weighted rank loss of what is shown",
        series,
    )
    note = "Averaged over the stream; means and one standard deviation over the runs."
    return Figure("TopOpt on Yeast", note, [drawn], keys(series))

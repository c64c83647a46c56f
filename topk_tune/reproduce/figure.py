"""Figure 1: learning curves of TopOpt on Yeast for several sizes of the feedback."""

from collections.abc import Sequence

import numpy as np

import search_spaces
from topk_tune.charts.curves import Curve
from topk_tune.charts.figure import Axis, Chart, Figure, Key, Marks
from topk_tune.charts.scales import spanning
from topk_tune.records.trials import TrialRecord
from topk_tune.reproduce.outcomes import Bench, Progress
from topk_tune.reproduce.paper import FIGURE_KS
from topk_tune.reproduce.tables import PaperTable
from topk_tune.spaces import Choice, Fixed, Parameter, Space

GAMMA = 0.1
"""The paper does not give the edge of its figure; this is the smallest of its search."""


def curves(bench: Bench, runs: int, loops: int | None, progress: Progress) -> list[TrialRecord]:
    """A trial for each size of the feedback, with the parameters of the paper's Table 5."""
    picked = search_spaces.paper_parameters("topopt", "yeast") | {"gamma": GAMMA}
    if loops is not None:
        picked["loops"] = loops
    picked.pop("k")
    parameters: dict[str, Parameter] = {"algorithm": Fixed("topopt")}
    parameters |= {name: Fixed(value) for name, value in picked.items()}
    space = Space(parameters | {"k": Choice(list(FIGURE_KS))})
    study = bench.study(
        f"{bench.prefix}figure1", "yeast", len(FIGURE_KS), progress, space=space,
        sampler="grid", pruner="none", protocol="paper", seeds=runs,
    )  # fmt: skip
    found = {record.config["k"]: record for record in study.records()}
    return [found[k] for k in FIGURE_KS]


def averages(record: TrialRecord) -> np.ndarray:
    """The average loss of the rankings shown until the end of each loop, one row per run."""
    if not record.curve_of("stream_loss"):
        raise ValueError(
            f"trial {record.number} of the figure must have a stream_loss of every run, which an "
            "earlier version did not measure: choose another --storage, or remove the study"
        )
    return np.array(
        [[report.metrics["stream_loss"] for report in run.reports] for run in record.runs]
    )


def table(trials: Sequence[TrialRecord]) -> PaperTable:
    """The curves as a table: after the first loop, half of the loops and all."""
    rows = []
    for record in trials:
        runs = averages(record)
        loops = runs.shape[1]
        marks = sorted({1, max(1, loops // 2), loops})
        curve = Curve.over(runs.tolist())
        cells = [f"{curve.mean[n - 1]:.3f} ± {curve.spread[n - 1]:.3f}" for n in marks]
        rows.append([f"k = {record.config['k']}", f"{len(runs)} runs", *cells])
    head = ["feedback", "", *(f"after {n} loops" for n in marks)]
    return PaperTable(
        "figure1", "TopOpt on Yeast: loss of what is shown, averaged over the stream", head, rows
    )


def chart(trials: Sequence[TrialRecord]) -> Figure:
    """The curves with bands of one standard deviation over the runs."""
    found = [Curve.over(averages(record).tolist()) for record in trials]
    rounds = [[report.rounds for report in record.runs[0].reports] for record in trials]
    roles = [f"series{i}" for i in range(len(trials))]
    layers = [
        layer
        for x, curve, role in zip(rounds, found, roles, strict=True)
        for layer in (*curve.layers(x, role), Marks(x, curve.mean, role))
    ]
    drawn = Chart(
        "The loss of what is shown by the number of rounds",
        Axis("rounds", spanning([x for each in rounds for x in each], log=False)),
        Axis("weighted rank loss of what is shown", spanning(_edges(found), log=False)),
        layers,
    )
    keys = [
        Key("line", role, f"k = {record.config['k']}")
        for role, record in zip(roles, trials, strict=True)
    ]
    note = "Averaged over the stream; means and one standard deviation over the runs."
    return Figure("TopOpt on Yeast", note, [drawn], keys)


def _edges(curves: Sequence[Curve]) -> list[float]:
    return [edge for curve in curves for edge in curve.low + curve.high]

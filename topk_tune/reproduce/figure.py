"""Figure 1: learning curves of TopOpt on Yeast for several sizes of the feedback."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

import search_spaces
from topk_tune.records.trials import TrialRecord
from topk_tune.reproduce.outcomes import Bench, Progress
from topk_tune.reproduce.paper import FIGURE_KS
from topk_tune.reproduce.tables import PaperTable
from topk_tune.spaces import Choice, Fixed, Parameter, Space

GAMMA = 0.1
"""The paper does not give the edge of its figure; this is the smallest of its search."""


def curves(bench: Bench, runs: int, loops: int | None, progress: Progress) -> list[TrialRecord]:
    """A trial for each size of the feedback, with the parameters of the paper's Table 5."""
    picked = search_spaces.table5("topopt", "yeast") | {"gamma": GAMMA}
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
        cells = [f"{runs[:, n - 1].mean():.3f} ± {_deviation(runs[:, n - 1]):.3f}" for n in marks]
        rows.append([f"k = {record.config['k']}", f"{len(runs)} runs", *cells])
    head = ["feedback", "", *(f"after {n} loops" for n in marks)]
    return PaperTable(
        "figure1", "TopOpt on Yeast: loss of what is shown, averaged over the stream", head, rows
    )


def draw(trials: Sequence[TrialRecord], path: Path) -> None:
    """Draw the curves with bands of one standard deviation."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for record in trials:
        runs = averages(record)
        x = [report.rounds for report in record.runs[0].reports]
        mean, deviation = runs.mean(axis=0), np.apply_along_axis(_deviation, 0, runs)
        (line,) = axes.plot(x, mean, marker=".", label=f"k = {record.config['k']}")
        axes.fill_between(x, mean - deviation, mean + deviation, alpha=0.2, color=line.get_color())
    axes.set_xlabel("rounds")
    axes.set_ylabel("weighted rank loss of what is shown, averaged over the stream")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(path, metadata=None)


def _deviation(values: np.ndarray) -> float:
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0

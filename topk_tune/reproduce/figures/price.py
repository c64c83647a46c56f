"""Figure 3: the price of feedback: TopOpt on Yeast, tuned at each size of the feedback."""

from collections.abc import Sequence

from topk_tune.charts.curves import Curve
from topk_tune.charts.figure import Figure
from topk_tune.records.trials import Confirmation
from topk_tune.reproduce.cells import Cell
from topk_tune.reproduce.effort import Effort
from topk_tune.reproduce.figures.drawn import DATASET, Drawn, Series, panel
from topk_tune.reproduce.first_configs import starts
from topk_tune.reproduce.outcomes import HOLDOUT, Bench, Progress
from topk_tune.reproduce.tables import PaperTable

KS = (2, 3, 5, 14)
"""The last is every label."""

EFFORT = Effort(trials=12, seeds=2, finalists=2, fresh=10, loops=10, pruner="none")
"""The same for each size, and fixed before the first search (docs/results/diary.md)."""

QUICK = Effort(trials=2, seeds=1, finalists=1, fresh=2, loops=1)

LEARNERS = 50
"""With the loops an eighth of the most time of a training for Table 1."""

_CELL = Cell(DATASET, "topopt", "uniform")

_NOTE = f"""\
For each size k of the feedback a search of {EFFORT.trials} trials with {EFFORT.seeds} seeds on
held-out training rows ({HOLDOUT}), by the loss of what is shown. The best {EFFORT.finalists} were
ranked again with {EFFORT.fresh} fresh seeds on other held-out rows, and the winner was trained on
all training rows with {EFFORT.fresh} other seeds and tested once: mean ± standard deviation. The
first trials of every search are the same: starts in round figures, and what earlier searches at
k = 3 found. Boosters have {LEARNERS} learners and {EFFORT.loops} loops, which take an eighth of the
most that Table 1 spends on a training; so losses at k = 3 differ from those there. *Shown*,
*greedy*, *frozen* and *stream* are as in [Table 1](table1.md)."""


def draw(bench: Bench, quick: bool, progress: Progress) -> Drawn:
    """Run or continue the search at each size, and draw their winners."""
    found = {k: _winner(bench, k, QUICK if quick else EFFORT, progress) for k in KS}
    return Drawn(table(found), chart(found), _NOTE)


def _winner(bench: Bench, k: int, effort: Effort, progress: Progress) -> Confirmation:
    space = _CELL.space(effort.loops).fixed(k=k, n_learners=LEARNERS)
    winner, _ = bench.confirmed(
        f"{bench.prefix}figure3-k{k}",
        DATASET,
        effort,
        progress,
        space=space,
        first=starts(_CELL, space),
    )
    return winner


def table(found: dict[int, Confirmation]) -> PaperTable:
    """The losses of the winners, with their parameters."""
    rows = []
    for k, winner in found.items():
        losses = [
            f"{winner.metrics[name]:.4f} ± {winner.spread_of(name) or 0:.4f}"
            for name in ("shown_loss", "greedy_loss", "frozen/shown_loss", "stream_loss")
        ]
        picked = ", ".join(f"{n} {winner.config[n]:.3g}" for n in ("loops", "rho", "gamma"))
        rows.append([f"k = {k}", f"{len(winner.runs)} runs", *losses, picked])
    head = ["feedback", "", "shown", "greedy", "frozen", "stream", "winner"]
    return PaperTable(
        "figure3", "The price of feedback: TopOpt on Yeast, tuned at each k", head, rows
    )


def chart(found: dict[int, Confirmation]) -> Figure:
    """What is shown on the test rows beside what was shown while training."""
    panels = [
        panel(title, "labels with feedback", title, [_series(found, metric)], small=True)
        for title, metric in (("on the test rows", "shown_loss"), ("while training", "stream_loss"))
    ]
    note = "Means and one standard deviation over the runs."
    return Figure(
        "Yeast: loss of what TopOpt shows, tuned at each size of the feedback", note, panels
    )


def _series(found: dict[int, Confirmation], metric: str) -> Series:
    runs = [[run.reports[-1].metrics[metric] for run in each.runs] for each in found.values()]
    by_run: Sequence[Sequence[float]] = list(zip(*runs, strict=True))
    return Series(metric, list(found), Curve.over(by_run))

"""Figure 2: what constant exploration and exploration that ends show, while training and after."""

from collections.abc import Mapping
from typing import Any

import search_spaces
from topk_tune.charts.curves import Curve
from topk_tune.charts.figure import Chart, Figure
from topk_tune.records.trials import TrialRecord
from topk_tune.reproduce.cells import TOP
from topk_tune.reproduce.figures.drawn import (
    DATASET,
    Drawn,
    Series,
    averages,
    keys,
    panel,
    rounds,
)
from topk_tune.reproduce.figures.feedback import GAMMA
from topk_tune.reproduce.first_configs import most_exploring
from topk_tune.reproduce.outcomes import Bench, Progress
from topk_tune.reproduce.paper import TITLES, K
from topk_tune.reproduce.tables import PaperTable
from topk_tune.spaces import Fixed, Space

RATE, END = 0.9, 0.002
LOOPS, LEARNERS, RUNS = 10, 50, 10

Curves = dict[str, TrialRecord]
"""A trial by the name of its exploration."""

_NOTE = f"""\
*While training*: the loss of what is shown during a loop over the training rows. *Afterwards*: the
loss of what would be shown on the test rows if training had ended with that loop, exploration
included, learning from each row after it was ranked. Exploration that ends goes down to {END} then:
*explore first* from one rate, *geometric* by and by from the first round to the last. Means and
standard deviations over {RUNS} runs. The first curve of each algorithm has the parameters of the
paper's Table 5; the others share one start of the searches, in round figures, with {LEARNERS}
learners, which were chosen for exploring first: tuned to its rate, constant exploration
may come closer. Nothing was searched, and nothing was chosen by these losses."""


def draw(bench: Bench, quick: bool, progress: Progress) -> Drawn:
    """Run or continue a study for each curve, and draw them."""
    loops, learners, runs = (2, 10, 2) if quick else (LOOPS, LEARNERS, RUNS)
    found: dict[str, Curves] = {}
    every = [(a, name, config) for a, _ in TOP for name, config in ways(a).items()]
    for algorithm, name, config in every:
        progress(sum(map(len, found.values())), len(every))
        fixed = {"algorithm": algorithm, **config, "loops": loops}
        fixed["n_learners"] = min(learners, fixed["n_learners"])
        study = bench.study(
            f"{bench.prefix}figure2-{algorithm}-{name.replace(' ', '-')}",
            DATASET,
            1,
            _unheard,
            space=Space({key: Fixed(value) for key, value in fixed.items()}),
            sampler="grid",
            pruner="none",
            protocol="paper",
            seeds=runs,
        )
        found.setdefault(algorithm, {})[name] = study.records()[0]
    return Drawn(table(found), chart(found), _NOTE)


def ways(algorithm: str) -> dict[str, dict[str, Any]]:
    """The configuration of each curve by its name."""
    paper = search_spaces.paper_parameters(algorithm, DATASET)
    if algorithm == "topopt":
        paper["gamma"] = GAMMA
    ours = most_exploring(algorithm) | {"k": K, "exploration": "uniform", "n_learners": LEARNERS}
    ending = {"rho": RATE, "rho_end": END}
    return {
        "paper": paper | {"schedule": "constant"},
        "constant": ours | {"schedule": "constant", "rho": paper["rho"]},
        "explore first": ours | ending | {"schedule": "explore_first"},
        "geometric": ours | ending | {"schedule": "geometric"},
    }


def while_training(record: TrialRecord) -> Curve:
    """The loss of what was shown during each loop."""
    loops = []
    for run in averages(record):
        sums = [mean * loop for loop, mean in enumerate(run, 1)]
        loops.append([b - a for a, b in zip([0.0, *sums], sums, strict=False)])
    return Curve.over(loops)


def afterwards(record: TrialRecord) -> Curve:
    """The loss of what would be shown if training had ended with each loop."""
    return Curve.over([[r.metrics["shown_loss"] for r in run.reports] for run in record.runs])


def table(found: Mapping[str, Curves]) -> PaperTable:
    """The curves as a table: the first and the last loop, and all of the stream."""
    rows = []
    for algorithm, trials in found.items():
        for name, record in trials.items():
            stream = Curve.over(averages(record))
            cells = [_at(while_training(record), 0), _at(while_training(record), -1)]
            cells += [_at(stream, -1), _at(afterwards(record), 0), _at(afterwards(record), -1)]
            rows.append([TITLES[algorithm], f"{name}, {_rates(record)}", *cells])
    head = ["algorithm", "exploration", "first loop", "last loop", "whole stream"]
    head += ["after the first loop", "after the last"]
    title = "Yeast: what is shown while exploring, and what afterwards"
    return PaperTable("figure2", title, head, rows)


def chart(found: Mapping[str, Curves]) -> Figure:
    """For each algorithm a panel of the training beside one of what follows it."""
    panels: list[Chart] = []
    series: list[Series] = []
    for algorithm, trials in found.items():
        for when, curve in (("while training", while_training), ("afterwards", afterwards)):
            series = [Series(name, rounds(r), curve(r)) for name, r in trials.items()]
            title = f"{TITLES[algorithm]}, {when}"
            panels.append(panel(title, "rounds", title, series, small=True))
    note = "Loss of what is shown; means and one standard deviation over the runs."
    return Figure("Yeast: loss of what is shown, by rounds of training", note, panels, keys(series))


def _unheard(done: int, total: int) -> None:
    """The progress of a study of one trial."""


def _at(curve: Curve, loop: int) -> str:
    return f"{curve.mean[loop]:.3f} ± {curve.spread[loop]:.3f}"


def _rates(record: TrialRecord) -> str:
    rho, end = record.config["rho"], record.config.get("rho_end")
    return f"{rho:g}" if record.config["schedule"] == "constant" else f"{rho:g} to {end:g}"

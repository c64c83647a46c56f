"""The tables: our results and the paper's, with a row per cell."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import search_spaces
from topk_tune.data import Dataset
from topk_tune.data.summary import summarise
from topk_tune.reproduce.cells import COLUMNS
from topk_tune.reproduce.outcomes import Outcome
from topk_tune.reproduce.paper import SECONDS, SPREADS, SUMMARIES, TITLES
from topk_tune.training.baselines import Baseline

DASH = "--"


@dataclass(frozen=True)
class PaperTable:
    """A table as text.

    Parameters
    ----------
    name, title
        Its name in the command, and its title.
    head, rows
        Its cells; the first two columns are texts.
    """

    name: str
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def shows(name: str, outcome: Outcome) -> bool:
    """Whether a table shows an outcome; those of protocol paper have a separate column."""
    if (outcome.cell.algorithm, outcome.cell.exploration) not in COLUMNS[name]:
        return False
    return outcome.protocol == "validation" or MAKERS[name][1] is losses


def losses(name: str, title: str, outcomes: Sequence[Outcome]) -> PaperTable:
    """Tables 1 and 2: the test loss, searched by validation and, if run, by protocol paper."""
    by_paper = {o.cell: o for o in outcomes if o.protocol == "paper"}
    head = ["data set", "algorithm", "paper", "shown", "difference", *_BESIDE]
    rows = []
    for outcome in _of(name, outcomes):
        paper, ours = outcome.cell.paper, outcome.shown
        row = [
            *_names(outcome),
            DASH if paper is None else f"{paper:.2f}",
            _spread(outcome),
            DASH if paper is None or ours is None else f"{ours - paper:+.3f}",
            *(_mean(outcome, metric) for metric in _BESIDE.values()),
        ]
        if by_paper:
            row.append(_spread(by_paper[outcome.cell]) if outcome.cell in by_paper else DASH)
        rows.append(row)
    return PaperTable(name, title, [*head, "protocol paper"] if by_paper else head, rows)


_BESIDE = {
    "greedy": "greedy_loss",
    "shuffled": "shuffled/shown_loss",
    "frozen": "frozen/shown_loss",
    "stream": "stream_loss",
}
"""Further losses, by the head of their column."""


def baselines(found: Mapping[str, Sequence[Baseline]]) -> PaperTable:
    """The baselines on the test rows of the data sets."""
    names = dict.fromkeys(each.name for others in found.values() for each in others)
    rows = [
        [name, "all labels" if _of_all_labels(name, found) else "", *_by_dataset(name, found)]
        for name in names
    ]
    head = ["", "learns from", *(TITLES[dataset] for dataset in found)]
    return PaperTable("table1", "Baselines, which do not learn from the test rows", head, rows)


def _of_all_labels(name: str, found: Mapping[str, Sequence[Baseline]]) -> bool:
    return any(e.needs_all_labels for others in found.values() for e in others if e.name == name)


def _by_dataset(name: str, found: Mapping[str, Sequence[Baseline]]) -> list[str]:
    losses = [{each.name: each.loss for each in others} for others in found.values()]
    return [f"{loss[name]:.3f}" if name in loss else DASH for loss in losses]


def glance(name: str, outcomes: Sequence[Outcome]) -> PaperTable:
    """A summary of Table 1 or 2, with the paper's losses in brackets."""
    found = _of(name, outcomes)
    datasets = list(dict.fromkeys(outcome.cell.dataset for outcome in found))
    rows: dict[str, dict[str, str]] = {}
    for outcome in found:
        paper, ours = outcome.cell.paper, _mean(outcome, "shown_loss")
        text = f"{ours} ({DASH if paper is None else f'{paper:.2f}'})"
        rows.setdefault(outcome.cell.title, {})[outcome.cell.dataset] = text
    cells = [[title, *(row.get(d, "") for d in datasets)] for title, row in rows.items()]
    return PaperTable(name, "At a glance", ["", *(TITLES[d] for d in datasets)], cells)


def spreads(name: str, title: str, outcomes: Sequence[Outcome]) -> PaperTable:
    """Table 3: means with standard deviations."""
    rows = []
    for outcome in _of(name, outcomes):
        cell = outcome.cell
        paper = SPREADS[cell.algorithm].get(cell.dataset)
        theirs = DASH if paper is None else f"{cell.paper:.2f} ± {paper:.4f}"
        rows.append([*_names(outcome), theirs, _spread(outcome, 4)])
    return PaperTable(name, title, ["data set", "algorithm", "paper", "ours"], rows)


def runtimes(name: str, title: str, outcomes: Sequence[Outcome]) -> PaperTable:
    """Table 4: seconds of one training with the tuned parameters."""
    rows = []
    for outcome in _of(name, outcomes):
        cell, config = outcome.cell, outcome.confirmation.config
        paper = SECONDS[cell.algorithm].get(cell.dataset)
        rows.append(
            [
                *_names(outcome),
                DASH if paper is None else f"{paper:,.0f}",
                f"{outcome.seconds:.2f}",
                DASH if paper is None else f"{paper / outcome.seconds:,.0f}",
                f"{config['n_learners']} x {config['loops']}",
                f"{outcome.bytes / 1e6:.1f}",
            ]
        )
    head = ["data set", "algorithm", "paper (s)", "ours (s)", "times faster", "N x loops",
            "trees (MB)"]  # fmt: skip
    return PaperTable(name, title, head, rows)


def parameters(name: str, title: str, outcomes: Sequence[Outcome]) -> PaperTable:
    """Table 5: the best parameters, with the paper's in brackets."""
    rows = []
    for outcome in _of(name, outcomes):
        cell, config = outcome.cell, outcome.confirmation.config
        paper = search_spaces.paper_parameters(cell.algorithm, cell.dataset)
        others = {n: config[n] for n in config if n not in _SHOWN}
        rows.append(
            [
                *_names(outcome),
                f"{config['n_learners']} ({paper['n_learners']})",
                f"{config['rho']:.3g} ({paper['rho']:g})",
                f"{config['loops']} ({paper['loops']})",
                f"{config['gamma']:.3g}" if "gamma" in config else DASH,
                ", ".join(f"{n} {_short(value)}" for n, value in others.items()),
            ]
        )
    head = ["data set", "algorithm", "weak learners", "rho", "loops", "gamma", "others"]
    return PaperTable(name, title, head, rows)


_SHOWN = ("algorithm", "n_learners", "rho", "loops", "gamma", "k", "exploration")


def summaries(name: str, title: str, data: Iterable[tuple[str, Dataset]]) -> PaperTable:
    """Table 6: statistics of the data sets; the paper's are added where they differ."""
    rows = []
    for dataset, loaded in data:
        found = summarise(loaded)
        ours = (
            *(found.n_train, found.n_test, found.n_features, found.n_labels),
            *(found.min_labels, round(found.mean_labels, 2), found.max_labels),
        )
        pairs = zip(ours, SUMMARIES[dataset], strict=True)
        cells = [f"{one}" if one == other else f"{one} (paper {other})" for one, other in pairs]
        rows.append([TITLES[dataset], "", *cells])
    head = ["data set", "", "training rows", "test rows", "features", "m", "min", "mean", "max"]
    return PaperTable(name, title, head, rows)


Maker = Callable[[str, str, Sequence[Outcome]], PaperTable]

MAKERS: dict[str, tuple[str, Maker]] = {
    "table1": ("Weighted rank loss of what is shown on the test rows, uniform exploration", losses),
    "table2": ("Weighted rank loss of what is shown on the test rows, single swaps", losses),
    "table3": ("Mean and standard deviation of the loss of what is shown", spreads),
    "table4": ("Runtime of one training", runtimes),
    "table5": ("Parameters", parameters),
}


def _of(table: str, outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes of a table, by validation if available, in the order of its rows."""
    found = {o.cell: o for protocol in ("paper", "validation") for o in outcomes
             if o.protocol == protocol}  # fmt: skip
    columns = COLUMNS[table]
    kept = [o for o in found.values() if (o.cell.algorithm, o.cell.exploration) in columns]
    return sorted(kept, key=lambda o: _place(o, columns))


def _place(outcome: Outcome, columns: Sequence[tuple[str, str | None]]) -> tuple[int, int]:
    cell = outcome.cell
    order = list(TITLES)
    return order.index(cell.dataset), columns.index((cell.algorithm, cell.exploration))


def _names(outcome: Outcome) -> list[str]:
    return [TITLES[outcome.cell.dataset], outcome.cell.title]


def _spread(outcome: Outcome, digits: int = 3) -> str:
    """The loss of what is shown, with its standard deviation."""
    found = outcome.confirmation
    if outcome.shown is None:
        return DASH
    spread = found.spread_of("shown_loss")
    return f"{outcome.shown:.{digits}f}" + ("" if spread is None else f" ± {spread:.{digits}f}")


def _mean(outcome: Outcome, metric: str) -> str:
    value = outcome.confirmation.metrics.get(metric)
    return DASH if value is None else f"{value:.3f}"


def _short(value: object) -> str:
    return "none" if value is None else f"{value:.3g}" if isinstance(value, float) else str(value)

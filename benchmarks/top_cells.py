"""Feedback on three labels: the paper, the paper's algorithm searched here, and everything we have.

Run with `python -m benchmarks.top_cells` after `topk-tune reproduce table1`, whose outcomes it
reads; it continues where it stopped, and writes the page after each data set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.datasets import available
from benchmarks.report import RESULTS, provenance, write
from topk_tune.backends.resources import ResourceOptions
from topk_tune.markup.markdown import table
from topk_tune.records.trials import Confirmation
from topk_tune.reproduce import baseline_file, outcome_file
from topk_tune.reproduce.cells import TOP, Cell
from topk_tune.reproduce.effort import effort
from topk_tune.reproduce.outcomes import HOLDOUT, Bench
from topk_tune.reproduce.paper import DATASETS, TITLES
from topk_tune.reproduce.tables import DASH
from topk_tune.spaces import read_space
from topk_tune.storage import Location

FOLDER = Path("build") / "top_cells"
SEEDS = 10

METRICS = {
    "shown": "shown_loss",
    "greedy": "greedy_loss",
    "stream": "stream_loss",
    "shuffled": "shuffled/shown_loss",
    "frozen": "frozen/shown_loss",
}
HEAD = ("", "", "", *METRICS)


def rows(bench: Bench, dataset: str) -> Iterator[list[str]]:
    """The lines of a data set: the paper, two searches of ours for each algorithm, baselines."""
    everything = {
        one.outcome.cell: one.outcome.confirmation
        for one in outcome_file.read(RESULTS / "paper-outcomes.jsonl")
        if one.outcome.protocol == "validation"
    }
    for cell in (Cell(dataset, *each) for each in TOP):
        title = [TITLES[dataset], cell.title]
        paper = DASH if cell.paper is None else f"{cell.paper:.2f}"
        yield [*title, "the paper", paper, *[DASH] * (len(METRICS) - 1)]
        yield [*title, "its algorithm and space", *losses(searched(bench, cell))]
        if cell in everything:
            yield [*title, "everything", *losses(everything[cell])]
    for each in baseline_file.read(RESULTS / "paper-baselines.json").get(dataset, []):
        yield [TITLES[dataset], each.name, "all labels, frozen", *[DASH] * 4, f"{each.loss:.3f}"]


def searched(bench: Bench, cell: Cell) -> Confirmation:
    """The winner of a search of the paper's space, with the budget of a cell of Table 1."""
    spent = replace(effort(cell.algorithm, cell.dataset, "validation", quick=False), pruner="none")
    space = read_space("paper").fixed(algorithm=cell.algorithm)
    name = f"{cell.dataset}-{cell.algorithm}"
    winner, _ = bench.confirmed(
        name, cell.dataset, spent, lambda done, of: None, space=space, first=()
    )
    return winner


def losses(found: Confirmation) -> list[str]:
    """The mean and spread of each loss of a winner on the test rows."""
    return [
        f"{found.metrics[m]:.3f} ± {found.spread_of(m) or 0:.3f}" if m in found.metrics else DASH
        for m in METRICS.values()
    ]


def main() -> None:
    """Search, test and write docs/results/top_cells.md."""
    bench = Bench(Location.of(str(FOLDER)), ResourceOptions("local", workers=1), None)
    datasets = [name for name in DATASETS if name in available()]
    made = provenance("python -m benchmarks.top_cells", f"study seed 0, {SEEDS} seeds tested")
    done: list[list[str]] = []
    for number, dataset in enumerate(datasets, 1):
        for line in rows(bench, dataset):
            print(" | ".join(line), flush=True)
            done.append(line)
        left = [TITLES[name] for name in datasets[number:]]
        parts = [_INTRODUCTION, table(HEAD, done, right=range(3, len(HEAD)))]
        parts += [f"Not run yet: {', '.join(left)}."] if left else []
        write("top_cells.md", "\n\n".join([*parts, made]))


_INTRODUCTION = f"""# Feedback on three labels: the paper, its algorithm, and everything

*Its algorithm and space*: the paper's algorithm without our changes (`paper=True`: constant
exploration, trees of any size, ties by label) over the paper's ranges
(`search_spaces/paper.yaml`), searched here by the loss of what is shown. *Everything*: what
[table1.md](table1.md) has. Both have the same protocol: as many trials and seeds, by the loss on
held-out training rows ({HOLDOUT}), the best ranked again there with {SEEDS} fresh seeds, the winner
trained on all training rows with {SEEDS} others and tested once. The searches of the paper's space
began with nothing and stopped no trial early; those of everything began with round figures and
with what earlier searches had found. What the paper prints was chosen on the test rows.

*shown*: the loss of what is shown on the test rows, exploration included, learning from each after
it was ranked, as in the paper; *greedy*: the same before exploration; *stream*: what was shown
while training, averaged over its rounds; *shuffled*: *shown* with the test rows in another order;
*frozen*: without learning from them. Mean and standard deviation over seeds."""


if __name__ == "__main__":
    main()

"""`topk-tune reproduce`: the paper's tables and figures again."""

from collections.abc import Callable, Iterator
from pathlib import Path

from booster.tables import ALGORITHMS
from topk_tune.backends.resources import ResourceOptions
from topk_tune.commands import driving
from topk_tune.commands.signals import INTERRUPTED, terminable
from topk_tune.commands.terminal import console
from topk_tune.data import load
from topk_tune.plugins.names import one_of
from topk_tune.records.settings import Protocol
from topk_tune.reproduce import aims, baseline_file, outcome_file, page, tables, tuned
from topk_tune.reproduce.baseline_file import Baselines
from topk_tune.reproduce.cells import COLUMNS, LARGEST, Cell, cells
from topk_tune.reproduce.effort import effort
from topk_tune.reproduce.figures import exploring, feedback, price
from topk_tune.reproduce.figures.drawn import Drawn
from topk_tune.reproduce.outcome_file import StoredOutcome, makers
from topk_tune.reproduce.outcomes import Bench, Outcome, Progress
from topk_tune.reproduce.page import made_by
from topk_tune.reproduce.paper import DATASETS
from topk_tune.reproduce.tables import PaperTable
from topk_tune.storage import Location
from topk_tune.terminal.count_view import CountView
from topk_tune.training.baselines import baselines as fitted
from topk_tune.training.metrics import words
from topk_tune.training.trial import test_rows

FIGURES: dict[str, Callable[[Bench, bool, Progress], Drawn]] = {
    "figure1": feedback.draw,
    "figure2": exploring.draw,
    "figure3": price.draw,
}


def reproduce(
    what: str,
    dataset: list[str] | None,
    algorithm: list[str] | None,
    resources: ResourceOptions,
    *,
    quick: bool,
    paper_protocol: bool,
    baselines: bool,
    known: bool,
    output: Path,
    storage: str | None,
    track: bool,
) -> None:
    """Run what a table of the paper needs, and print ours beside the paper's."""
    names = list(COLUMNS) if what == "all" else [one_of("table", what, (*COLUMNS, "all"))]
    wanted = [one_of("data set", name, DATASETS) for name in dataset or []]
    algorithms = [one_of("algorithm", name, ALGORITHMS.own) for name in algorithm or []]
    if not wanted:
        wanted = [name for name in DATASETS if not (quick and name == LARGEST)]
        if quick:
            console.say(f"--quick leaves {LARGEST} out, unless it is named by --dataset")
    resources.check()
    bench = Bench(
        Location.of(storage),
        resources,
        driving.tracking(track),
        prefix="quick-" if quick else "paper-",
    )
    made = made_by(_command(what, dataset, algorithm, quick, paper_protocol, baselines))
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{bench.prefix}outcomes.jsonl"
    outcome_file.read(path)  # a damaged file is an error now, not after hours
    try:
        with terminable():
            if not known:
                for outcome in _outcomes(bench, names, wanted, algorithms, quick, paper_protocol):
                    outcome_file.keep(path, StoredOutcome(outcome, made))
            done = outcome_file.read(path)
            for name in names:
                if name in FIGURES:
                    _figure(bench, name, quick, known, output, made)
                    continue
                table = _table(name, wanted, done)
                beside = []
                if name == "table1":
                    fits = output / f"{bench.prefix}baselines.json"
                    beside = [aims.table([one.outcome for one in done])] if not quick else []
                    beside.append(tables.baselines(_baselines(fits, wanted, baselines, known)))
                _show(table, done, output, made, beside)
    except KeyboardInterrupt:
        console.say("interrupted: run the same command again to continue")
        raise SystemExit(INTERRUPTED) from None


def _outcomes(
    bench: Bench,
    names: list[str],
    datasets: list[str],
    algorithms: list[str],
    quick: bool,
    paper_protocol: bool,
) -> Iterator[Outcome]:
    every = cells(names, datasets)
    if algorithms:
        every = [cell for cell in every if cell.algorithm in algorithms]
    wanted: list[tuple[Cell, Protocol]] = [(cell, "validation") for cell in every]
    wanted += [(cell, "paper") for cell in every if paper_protocol and cell.paper_protocol]
    for number, (cell, protocol) in enumerate(wanted, 1):
        label = f"[{number}/{len(wanted)}] {cell.study(protocol)}"
        with CountView(console.out, label) as progress:
            spent = effort(cell.algorithm, cell.dataset, protocol, quick)
            outcome = bench.outcome(cell, protocol, spent, progress)
        found = outcome.confirmation
        value = f"{words(found.metric)} {found.value:.4f} ± {found.spread or 0:.4f}"
        console.say(f"{label}: {value} on the test rows")
        yield outcome


def _figure(bench: Bench, name: str, quick: bool, known: bool, output: Path, made: str) -> None:
    if known:
        console.say(f"{name} is left as it is: its values are in its studies, not in the outcomes")
        return
    with CountView(console.out, name) as progress:
        drawn = FIGURES[name](bench, quick, progress)
    console.say(f"\n{drawn.table.title}")
    console.table(drawn.table.head, drawn.table.rows, left=2)
    console.say(f"written to {page.write_drawn(output, drawn, made)}")


def _table(name: str, datasets: list[str], known: list[StoredOutcome]) -> PaperTable:
    if name == "table6":
        loaded = ((dataset, load(dataset)) for dataset in datasets)
        return tables.summaries(name, "The data sets", loaded)
    title, make = tables.MAKERS[name]
    return make(name, title, [one.outcome for one in known])


def _baselines(path: Path, datasets: list[str], more: bool, known: bool) -> Baselines:
    """The baselines of all data sets; those that are in the file are not fitted again."""
    found = baseline_file.read(path)
    for dataset in [] if known else datasets:
        if dataset not in found or (more and len(found[dataset]) == 1):
            found[dataset] = fitted(test_rows(load(dataset)), more=more)
            baseline_file.keep(path, found)
    return {dataset: found[dataset] for dataset in DATASETS if dataset in found}


def _show(
    table: PaperTable,
    known: list[StoredOutcome],
    output: Path,
    made: str,
    beside: list[PaperTable],
) -> None:
    shown = [one for one in known if tables.shows(table.name, one.outcome)]
    console.say(f"\n{table.title}")
    console.table(table.head, table.rows, left=2)
    for other in beside:
        console.say(f"\n{other.title}")
        console.table(other.head, other.rows, left=2)
    outcomes = [one.outcome for one in shown]
    written = page.write(output, table, outcomes, makers(shown) or [made], beside)
    console.say(f"written to {written}")
    if table.name == "table5":
        path = tuned.write(output, [one.outcome for one in known], makers(known))
        console.say(f"the parameters, to be read by programs, are in {path}")


def _command(
    what: str,
    datasets: list[str] | None,
    algorithms: list[str] | None,
    quick: bool,
    paper_protocol: bool,
    baselines: bool,
) -> str:
    parts = ["topk-tune reproduce", what, *(f"--dataset {name}" for name in datasets or [])]
    parts += [f"--algorithm {name}" for name in algorithms or []]
    flags = {"--quick": quick, "--paper-protocol": paper_protocol, "--baselines": baselines}
    return " ".join([*parts, *(flag for flag, given in flags.items() if given)])

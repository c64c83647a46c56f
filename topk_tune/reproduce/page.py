"""The results as Markdown, with the information for repeating them."""

from collections.abc import Sequence
from pathlib import Path

from topk_tune.charts.png import write_figure
from topk_tune.markup import markdown as markup
from topk_tune.provenance.facts import facts, processor, versions
from topk_tune.reproduce.figures.drawn import Drawn
from topk_tune.reproduce.outcomes import HOLDOUT, Outcome
from topk_tune.reproduce.tables import PaperTable, glance

_NOTE = """\
*shown*: the expected loss of what is shown, exploration included. Parameters were found by
{trials} trials on held-out training rows ({holdout}), the first of which repeat what earlier such
searches found; the best few were ranked again with fresh seeds on other parts held out; the winner
was trained on all training rows with {fresh} fresh seeds and tested on the test rows as in the
paper (rank a row, then learn from it): mean ± standard deviation. No search saw the test rows; but
the ranges that are searched were drawn up by people who had seen losses on them, those of earlier
searches too.

*greedy* is the loss of the ranking before exploration, a tie of a relevant with an irrelevant label
counting as wrong. *shuffled* is *shown* with the test rows in another order: where the file is
sorted by label, as that of Scene is, a row tells of the next. *frozen* is *shown* without learning
from the test rows. *stream* is what was shown while training, averaged over its rounds: the price
of exploring first. A dash was not measured."""

_TIMES = """\
Times are from the test of the winner, by the clock, beside the other work of the machine: they are
at best rather too long, and where the outcome was made at a low priority many times too long."""

_PAPER_PROTOCOL = """
*protocol paper*: the same with {trials} trials, but searched by the loss on the test rows, as the
paper did. It is there for comparison and flatters, most of all where test rows are
sorted by label, as those of Scene are: such parameters learn from the neighbours of a row, and are
of no use elsewhere."""


def made_by(command: str) -> str:
    """How the results are made now: the command, the versions and the processor."""
    return f"`{command}`; study seed 0; {versions(facts())}; {processor()}"


def write(
    folder: Path,
    table: PaperTable,
    outcomes: Sequence[Outcome],
    makers: Sequence[str],
    beside: Sequence[PaperTable] = (),
) -> Path:
    """Write a table and how its cells were made to a file; returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [f"# {table.title}", markdown(table)]
    if table.name in ("table1", "table2"):
        parts.insert(1, markdown(glance(table.name, outcomes)))
    parts += [f"{other.title}\n\n{markdown(other)}" for other in beside]
    if outcomes:
        parts.append(_note(outcomes))
    if table.name == "table4":
        parts.append(_TIMES)
    return _written(folder, table.name, parts, makers)


def write_drawn(folder: Path, drawn: Drawn, made: str) -> Path:
    """Write a figure as a picture, and its page with the values; returns the page."""
    name = drawn.table.name
    write_figure(folder / f"{name}.svg", drawn.figure)
    picture = f"![{drawn.figure.title}]({name}.svg)"
    parts = [f"# {drawn.table.title}", picture, markdown(drawn.table), drawn.note]
    return _written(folder, name, parts, [made])


def _written(folder: Path, name: str, parts: Sequence[str], makers: Sequence[str]) -> Path:
    path = folder / f"{name}.md"
    whole = [*parts, "Made by " + "; by ".join(makers) + "."]
    path.write_text("\n\n".join(whole) + "\n", encoding="utf-8")
    return path


def markdown(table: PaperTable) -> str:
    """The table without notes."""
    return markup.table(table.head, table.rows, right=range(2, len(table.head)))


def _note(outcomes: Sequence[Outcome]) -> str:
    trials = sorted({o.trials for o in outcomes if o.protocol == "validation"})
    by_paper = sorted({o.trials for o in outcomes if o.protocol == "paper"})
    fresh = sorted({len(outcome.confirmation.runs) for outcome in outcomes})
    note = _NOTE.format(trials=_between(trials), fresh=_between(fresh), holdout=HOLDOUT)
    return note + (_PAPER_PROTOCOL.format(trials=_between(by_paper)) if by_paper else "")


def _between(numbers: Sequence[int]) -> str:
    return str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"

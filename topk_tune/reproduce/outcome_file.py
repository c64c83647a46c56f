"""Outcomes in a file: every seed of every cell.

Studies stay on the machine that ran them. With this file, a cell can be repeated or a column added
without repeating the other cells.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from topk_tune.records import codec
from topk_tune.reproduce.cells import SWAPS, UNIFORM, Cell
from topk_tune.reproduce.outcomes import Outcome
from topk_tune.reproduce.paper import DATASETS, TITLES

_ABOUT = ("dataset", "algorithm", "exploration", "protocol", "trials", "made")
"""The keys of a line besides the confirmation."""


@dataclass(frozen=True)
class StoredOutcome:
    """An outcome, with the command, the versions and the processor that made it."""

    outcome: Outcome
    made: str


def makers(kept: Sequence[StoredOutcome]) -> list[str]:
    """How the outcomes were made, each with its data sets."""
    found: dict[str, list[str]] = {}
    for one in kept:
        places = found.setdefault(one.made, [])
        if (title := TITLES[one.outcome.cell.dataset]) not in places:
            places.append(title)
    return [f"{made} ({', '.join(places)})" for made, places in found.items()]


def read(path: Path) -> list[StoredOutcome]:
    """The outcomes in a file, one per line; none if there is no file."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_of_line(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]


def keep(path: Path, new: StoredOutcome) -> None:
    """Write an outcome into a file, replacing another of the same cell and protocol.

    An outcome that is already in the file is not changed.
    """
    with FileLock(path.with_suffix(".lock")):
        known = read(path)
        if any(one.outcome == new.outcome for one in known):
            return
        others = [one for one in known if _place(one) != _place(new)]
        ordered = sorted([*others, new], key=_place)
        whole = path.with_suffix(".new")
        whole.write_text("".join(_line(one) + "\n" for one in ordered), encoding="utf-8")
        whole.replace(path)


def _place(kept: StoredOutcome) -> tuple[bool, int, int]:
    """The position of an outcome: files have the order of the cells."""
    cell, protocol = kept.outcome.cell, kept.outcome.protocol
    column = (*UNIFORM, *SWAPS).index((cell.algorithm, cell.exploration))
    return protocol == "paper", DATASETS.index(cell.dataset), column


def _line(kept: StoredOutcome) -> str:
    outcome, cell = kept.outcome, kept.outcome.cell
    values = (cell.dataset, cell.algorithm, cell.exploration, outcome.protocol, outcome.trials)
    about = dict(zip(_ABOUT, (*values, kept.made), strict=True))
    return codec.outcome_text(outcome.confirmation, about)


def _of_line(line: str, place: str) -> StoredOutcome:
    try:
        found, about = codec.read_outcome(line, _ABOUT, place)
    except codec.SchemaError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{place}: must be a line of `topk-tune reproduce`, but got {error!r}"
        ) from None
    cell = Cell(about["dataset"], about["algorithm"], about["exploration"])
    return StoredOutcome(Outcome(cell, about["protocol"], found, about["trials"]), about["made"])

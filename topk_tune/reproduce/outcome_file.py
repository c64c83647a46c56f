"""Outcomes in a file beside the pages: every seed of every cell, for later pages and for readers.

Studies stay on the machine that ran them. With this file a cell can be done again, or a column
added, without doing all the others once more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from topk_tune.records import codec
from topk_tune.reproduce.cells import SWAPS, UNIFORM, Cell
from topk_tune.reproduce.outcomes import Outcome
from topk_tune.reproduce.paper import DATASETS

_ABOUT = ("dataset", "algorithm", "exploration", "protocol", "trials", "made")
"""What a line says beside the confirmation."""


@dataclass(frozen=True)
class StoredOutcome:
    """An outcome, with what it was made by and on, in words."""

    outcome: Outcome
    made: str


def makers(kept: Sequence[StoredOutcome]) -> list[str]:
    """All that some were made by, each once."""
    return list(dict.fromkeys(one.made for one in kept))


def read(path: Path) -> list[StoredOutcome]:
    """The outcomes of a file, a line each; none if there is no file."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [_of_line(line, f"{path}:{number}") for number, line in enumerate(lines, 1)]


def keep(path: Path, new: StoredOutcome) -> None:
    """Write an outcome into a file, in the place of another of its cell and protocol.

    One that is there already stays as it is, with what it was made by.
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
    """In the order in which cells are worked on."""
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
        raise ValueError(f"{place}: must be a line that reproduce wrote, but {error!r}") from None
    cell = Cell(about["dataset"], about["algorithm"], about["exploration"])
    return StoredOutcome(Outcome(cell, about["protocol"], found, about["trials"]), about["made"])

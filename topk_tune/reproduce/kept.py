"""Outcomes in a file beside the pages: every seed of every cell, for later pages and for readers.

Studies stay on the machine that ran them. With this file a cell can be done again, or a column
added, without doing all the others once more.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from topk_tune.confirm import Confirmation
from topk_tune.records import SeedRun
from topk_tune.reproduce.cells import Cell
from topk_tune.reproduce.outcomes import Outcome
from topk_tune.trial import LoopReport

_REPORT = [field.name for field in fields(LoopReport)]


@dataclass(frozen=True)
class Kept:
    """An outcome, with what it was made by and on, in words."""

    outcome: Outcome
    made: str


def read(path: Path) -> list[Kept]:
    """The outcomes of a file, a line each; none if there is no file."""
    if not path.exists():
        return []
    return [_of_line(line) for line in path.read_text(encoding="utf-8").splitlines()]


def keep(path: Path, new: Kept) -> None:
    """Write an outcome into a file, in the place of one of the same cell and protocol."""
    path.parent.mkdir(parents=True, exist_ok=True)
    others = [one for one in read(path) if _key(one) != _key(new)]
    ordered = sorted([*others, new], key=_key)
    whole = path.with_suffix(".new")
    whole.write_text("".join(_line(one) + "\n" for one in ordered), encoding="utf-8")
    whole.replace(path)


def _key(kept: Kept) -> tuple[str, str]:
    outcome = kept.outcome
    return outcome.cell.study(outcome.protocol), outcome.protocol


def _line(kept: Kept) -> str:
    outcome, found = kept.outcome, kept.outcome.confirmation
    last = [run.reports[-1] for run in found.runs]
    content = {
        "dataset": outcome.cell.dataset,
        "algorithm": outcome.cell.algorithm,
        "exploration": outcome.cell.exploration,
        "protocol": outcome.protocol,
        "trials": outcome.trials,
        "trial": found.trial,
        "config": found.config,
        "seed": [run.seed for run in found.runs],
        **{name: [getattr(report, name) for report in last] for name in _REPORT},
        "made": kept.made,
    }
    return json.dumps(content)


def _of_line(line: str) -> Kept:
    content: Mapping[str, Any] = json.loads(line)
    reports = zip(*(content[name] for name in _REPORT), strict=True)
    runs = tuple(
        SeedRun(seed, (LoopReport(*report),))
        for seed, report in zip(content["seed"], reports, strict=True)
    )
    cell = Cell(content["dataset"], content["algorithm"], content["exploration"])
    found = Confirmation(content["trial"], content["config"], runs)
    return Kept(Outcome(cell, content["protocol"], found, content["trials"]), content["made"])

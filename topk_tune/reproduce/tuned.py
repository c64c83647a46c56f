"""The best parameters, in the format of `search_spaces/best`."""

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

import yaml

from topk_tune.reproduce.outcomes import Outcome

NAME = "tuned.yaml"

_HEAD = """\
Parameters found on held-out training rows: algorithm, data set, parameters; -s is single-swap \
exploration. In comments the loss of what is shown on the test rows, exploration included, and the \
time of a training. Made by """


def write(folder: Path, outcomes: Sequence[Outcome], makers: Sequence[str]) -> Path:
    """Write the parameters of all cells that were searched by validation; returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_text(text(outcomes, makers), encoding="utf-8")
    return path


def text(outcomes: Iterable[Outcome], makers: Sequence[str]) -> str:
    """The file: a block for each algorithm, with a line per data set."""
    blocks: dict[str, list[str]] = {}
    for outcome in outcomes:
        if outcome.protocol == "validation":
            blocks.setdefault(outcome.cell.title.lower(), []).extend(_lines(outcome))
    head = textwrap.wrap(_HEAD + "; by ".join(makers) + ".", width=98, break_on_hyphens=False)
    parts = ["".join(f"# {line}\n" for line in head)]
    parts += ["\n".join([f"{name}:", *lines, ""]) for name, lines in blocks.items()]
    return "\n".join(parts)


def _lines(outcome: Outcome) -> list[str]:
    found = outcome.confirmation
    config = {n: value for n, value in found.config.items() if n != "algorithm"}
    flow = yaml.safe_dump(config, default_flow_style=True, sort_keys=False, width=10_000).strip()
    spread = found.spread_of("shown_loss") if outcome.shown is not None else None
    shown = "not tested by what is shown" if outcome.shown is None else f"{outcome.shown:.4f}"
    shown += "" if spread is None else f" ± {spread:.4f}"
    return [
        f"  # {shown}, {len(found.runs)} seeds; {outcome.seconds:.2f} s",
        f"  {outcome.cell.dataset}: {flow}",
    ]

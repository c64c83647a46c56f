"""Baselines in a file: fitting them takes minutes, and they do not change with our outcomes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from topk_tune.training.baselines import Baseline

Baselines = Mapping[str, Sequence[Baseline]]
"""By data set."""


def read(path: Path) -> dict[str, list[Baseline]]:
    """The baselines in a file; none if there is no file."""
    if not path.exists():
        return {}
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {dataset: [Baseline(**each) for each in found] for dataset, found in stored.items()}


def keep(path: Path, found: Baselines) -> None:
    """Write the baselines of all data sets into a file."""
    values = {dataset: [asdict(each) for each in one] for dataset, one in found.items()}
    path.write_text(json.dumps(values, indent=1) + "\n", encoding="utf-8")

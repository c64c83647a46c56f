"""The trial of `benchmarks.search_live` as a user would write it for another tuner."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from topk_tune.data import load
from topk_tune.records.settings import StudySettings
from topk_tune.spaces import Space, read_space
from topk_tune.study.rows import tuning_rows
from topk_tune.training.training import run_trial
from topk_tune.training.trial import TrialConfig, TrialRows

ALGORITHM = "topada"
WORKERS = 2


def space_of(dataset: str) -> Space:
    """Return the space that ours searches by default."""
    return read_space(ALGORITHM, dataset)


def rows_of(dataset: str) -> TrialRows:
    """Return the rows that ours trains on and measures with by default."""
    data = load(dataset)
    settings = StudySettings(name="x", dataset=dataset, fingerprint=data.fingerprint, space={})
    return tuning_rows(data, settings)


def losses(config: Mapping[str, Any], seed: int, rows: TrialRows) -> Iterator[float]:
    """Train loop by loop; yield the shown loss on the held-out rows after each."""
    for report in run_trial(TrialConfig.of(config), seed, rows, "read-only"):
        yield report.metrics["shown_loss"]

"""Trials as rows of a table."""

from typing import Any

from topk_tune.records.trials import TrialRecord
from topk_tune.training.metrics import MAIN


def row(record: TrialRecord) -> dict[str, Any]:
    """Return a trial as a row of a table."""
    return {
        "number": record.number,
        "state": record.state,
        record.objective.metric: record.value,
        "spread": record.spread,
        **{name: record.metrics.get(name) for name in MAIN if name != record.objective.metric},
        "best_loop": record.best_loop,
        "seconds": record.seconds,
        **record.config,
        "reused": record.reused,
        "attempts": record.attempts,
        "error": record.error,
    }

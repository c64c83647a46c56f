"""Trials as rows of a table."""

from typing import Any

from topk_tune.records.trials import TrialRecord
from topk_tune.training.metrics import main_metrics


def row(record: TrialRecord) -> dict[str, Any]:
    """Return a trial as a row of a table."""
    others = main_metrics(record.objective.metric)
    return {
        "number": record.number,
        "state": record.state,
        record.objective.metric: record.value,
        "spread": record.spread,
        **{name: record.metrics.get(name) for name in others if name != record.objective.metric},
        "best_loop": record.best_loop,
        "seconds": record.seconds,
        **record.config,
        "reused": record.reused,
        "attempts": record.attempts,
        "error": record.error,
    }

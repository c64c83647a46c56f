"""Training and measuring with the rows of a log, which have feedback instead of all labels."""

from __future__ import annotations

from typing import Any

from booster import LogResult, LossEstimate
from topk_tune.data.rows import FeatureRows


def learn_log(model: Any, X: FeatureRows, Y: Any, loops: int = 1) -> LogResult:
    """Let a ranker learn from feedback."""
    if not hasattr(model, "run_log"):
        name = type(getattr(model, "ranker", model)).__name__
        raise ValueError(f"{name} cannot learn from a log: it has no run_log")
    learned: LogResult = model.run_log(Y.log(X), loops)
    return learned


def log_estimate(model: Any, X: FeatureRows, Y: Any) -> LossEstimate:
    """Return the estimated rank loss of a ranker on rows that it has not learned from."""
    estimate: LossEstimate = model.evaluate_log(Y.log(X)).best
    return estimate

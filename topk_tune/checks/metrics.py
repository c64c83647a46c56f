"""The check of a metric."""

import math
import re
from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from booster import Evaluation, LossEstimate
from booster.checks import demand
from booster.log_intervals import Interval
from topk_tune.training.metrics import Direction, Measured, Metric, Needs

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")


def check_metric(metric: Metric) -> None:
    """Check that a metric is finite, deterministic, without side effects, and has its direction.

    It is computed from rows in many orders, from a single row, and from rows without a relevant or
    an irrelevant label. A perfect ranking must be better than its reverse.
    """
    demand(isinstance(metric, Metric), f"a metric must be a Metric, but got {metric!r}")
    demand(
        _NAME.fullmatch(metric.name),
        "the name of a metric must have only letters, digits, dots, dashes, underscores, but got "
        f"{metric.name!r}",
    )
    for options, got in ((Direction, metric.direction), (Needs, metric.needs)):
        names = get_args(options)
        demand(got in names, f"{metric.name}: choose from {', '.join(names)}, but got {got!r}")
    demand(metric.help, f"{metric.name} must say what it is in its help")
    for ranked in _rankings():
        for k in (1, 2, ranked.shape[1]):
            _check_value(metric, ranked, k)
    _check_direction(metric)


def _rankings() -> list[NDArray[np.uint8]]:
    """Return the relevance of labels in ranked order, for several rankings."""
    rng = np.random.default_rng(0)
    drawn = [rng.random((rows, 5)) < share for rows in (1, 7) for share in (0.2, 0.5, 0.8)]
    edges = [np.zeros((3, 4)), np.ones((3, 4)), np.eye(2)]
    return [np.asarray(each, np.uint8) for each in (*drawn, *edges)]


def _check_value(metric: Metric, ranked: NDArray[np.uint8], k: int) -> None:
    name, kept = metric.name, ranked.copy()
    value, again = (_computed(metric, _measured(kept, k)) for _ in range(2))
    demand(math.isfinite(value), f"{name} must be finite, but got {value} for {ranked.tolist()}")
    demand((kept == ranked).all(), f"{name} must not change the rows that it is computed from")
    demand(value == again, f"{name} must be deterministic, but got {value}, then {again}")


def _check_direction(metric: Metric) -> None:
    perfect = np.array([[1, 1, 0, 0, 0], [1, 0, 0, 0, 0]], np.uint8)
    best, worst = (_computed(metric, _measured(each, 2)) for each in (perfect, perfect[:, ::-1]))
    better = best < worst if metric.direction == "minimize" else best > worst
    demand(
        better,
        f"{metric.name} is to be {metric.direction}d, so a perfect ranking must be better than its "
        f"reverse, but got {best} and {worst}",
    )


def _computed(metric: Metric, measured: Measured) -> float:
    try:
        return float(metric.compute(measured))
    except Exception as error:
        raise AssertionError(f"{metric.name} raised {type(error).__name__}: {error}") from error


def _measured(ranked: NDArray[np.uint8], k: int) -> Measured:
    """Return the input of metrics for these rankings; half of the wrong pairs count as ties."""
    relevant = ranked.astype(bool)
    before = np.cumsum(~relevant, axis=1)
    wrong = (before * relevant).sum(axis=1)
    pairs = relevant.sum(axis=1) * (~relevant).sum(axis=1)
    loss = float((wrong / np.maximum(pairs, 1)).mean())
    rank = float(wrong.mean())
    evaluation = Evaluation(loss=loss, ties=loss / 2, rank=rank, hinge=2 * rank, shown=loss)
    estimate = LossEstimate(rank, 0.1, Interval(rank - 0.2, rank + 0.2), None)
    measured = Measured(loss, loss / 2, loss, k, evaluation, ranked, loss, loss)
    return replace(measured, logged=estimate)

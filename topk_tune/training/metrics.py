"""The metrics of a booster: one named object each.

A new metric is one more entry of `METRICS`, or an object of another package with an entry point
in its group. Reports, storage, MLflow, tables and `--objective` find it there.

Help and completion import this module, so NumPy is imported only in functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from booster.plugins import Plugin, Table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from booster import Evaluation, LossEstimate

Direction = Literal["minimize", "maximize"]
Needs = Literal["losses", "rankings", "scores", "training", "log"]
"""The input of a metric. Losses are available for any rows with all labels; rankings only for rows
that were ranked without learning from them, and scores only if the ranker has any; training is the
loss on the training rows so far; log is an estimate from the rows of a log, which has no other."""

WHILE_LEARNING: tuple[Needs, ...] = ("losses", "training")
"""Inputs that are also available for rows that are learned from."""

WAYS = {
    "": "in file order, learning from each row as the paper does",
    "shuffled/": "shuffled, learning from each row",
    "frozen/": "frozen, learning from none",
}
"""The ways to use the rows that measure a trained booster, by the prefix of the metric names. A
booster that learns from rows may profit from their order: published files are often sorted."""

MAIN = ("shown_loss", "greedy_loss", "stream_loss")
"""The metrics that every table of trials shows."""

LOGGED = "logged_loss"
"""The metric by which boosters are chosen that learn from a log."""

MAIN_OF_LOGS = (LOGGED, "logged_low", "logged_high")
"""The metrics that every table of trials on a log shows."""


@dataclass(frozen=True)
class Measured:
    """The input of all metrics.

    Parameters
    ----------
    loss, ties, shown
        The mean losses of the rows, named as in the booster's results.
    k
        The number of top labels for precision.
    evaluation
        All losses of rows that were ranked without learning from them.
    Z
        The relevance of the labels of these rows, (rows, labels), best ranked label first.
    train_loss, stream_loss
        The losses on the training rows: the greedy loss of the last loop, and the shown loss of
        all loops so far.
    logged
        The estimate from the rows of a log; then there is nothing else.
    """

    loss: float
    ties: float
    shown: float
    k: int = 1
    evaluation: Evaluation | None = None
    Z: NDArray[np.uint8] | None = None
    train_loss: float | None = None
    stream_loss: float | None = None
    logged: LossEstimate | None = None

    def has(self, needs: Needs) -> bool:
        """Whether the input that a metric needs is available."""
        if needs == "log" or self.logged is not None:
            return needs == "log" and self.logged is not None
        if needs == "rankings":
            return self.Z is not None
        if needs == "scores":
            return self.evaluation is not None and self.evaluation.hinge is not None
        return needs == "losses" or self.stream_loss is not None


@dataclass(frozen=True)
class Metric:
    """A named figure of a booster.

    Its function must have no side effects, and return the same finite number for the same rows.

    Parameters
    ----------
    name
        Its name everywhere.
    direction
        Whether lower or higher is better.
    needs
        The input it is computed from.
    help
        A short description.
    compute
        The function that computes it.
    """

    name: str
    direction: Direction
    needs: Needs
    help: str
    compute: Callable[[Measured], float]


class MetricError(ValueError):
    """A metric cannot be computed; the message contains its name."""


def _average_precision(m: Measured) -> float:
    import numpy as np

    assert m.Z is not None
    relevant = m.Z.astype(bool)
    counts = relevant.sum(axis=1)
    precision = np.cumsum(relevant, axis=1) / np.arange(1, relevant.shape[1] + 1)
    sums = (precision * relevant).sum(axis=1)
    # Like scikit-learn: a row for which any ranking is right counts as 1.
    decided = (counts > 0) & (counts < relevant.shape[1])
    return float(np.where(decided, sums / np.maximum(counts, 1), 1.0).mean())


def _coverage(m: Measured) -> float:
    import numpy as np

    assert m.Z is not None
    places = np.arange(1, m.Z.shape[1] + 1)
    return float((m.Z.astype(bool) * places).max(axis=1).mean())


def _one_error(m: Measured) -> float:
    assert m.Z is not None
    any_relevant = m.Z.any(axis=1)
    wrong = any_relevant & (m.Z[:, 0] == 0)
    return float(wrong.sum() / max(any_relevant.sum(), 1))


def _reciprocal_rank(m: Measured) -> float:
    assert m.Z is not None
    return float((m.Z.any(axis=1) / (m.Z.argmax(axis=1) + 1)).mean())


def _precision_at_k(m: Measured) -> float:
    assert m.Z is not None
    return float(m.Z[:, : m.k].mean())


def _of_evaluation(name: str) -> Callable[[Measured], float]:
    return lambda m: float(getattr(m.evaluation, name))


def _of_log(figure: Callable[[LossEstimate], float]) -> Callable[[Measured], float]:
    def compute(m: Measured) -> float:
        assert m.logged is not None
        return figure(m.logged)

    return compute


def _of_training(name: str) -> Callable[[Measured], float]:
    return lambda m: float(getattr(m, name))


_OWN = [
    Metric(
        "shown_loss",
        "minimize",
        "losses",
        "weighted rank loss of what is shown, exploration included",
        lambda m: m.shown,
    ),
    Metric(
        "greedy_loss",
        "minimize",
        "losses",
        "weighted rank loss of the ranking before exploration",
        lambda m: m.loss,
    ),
    Metric(
        "stream_loss",
        "minimize",
        "training",
        "weighted rank loss of all that was shown in training so far",
        _of_training("stream_loss"),
    ),
    Metric(
        "train_loss",
        "minimize",
        "training",
        "weighted rank loss of the loop's rankings before exploration, on the training rows",
        _of_training("train_loss"),
    ),
    Metric("ties", "minimize", "losses", "share of pairs that tie", lambda m: m.ties),
    Metric("rank_loss", "minimize", "rankings", "number of wrong pairs", _of_evaluation("rank")),
    Metric(
        "hinge_loss",
        "minimize",
        "scores",
        "hinge loss, summed over the pairs",
        _of_evaluation("hinge"),
    ),
    Metric(
        "average_precision",
        "maximize",
        "rankings",
        "label ranking average precision",
        _average_precision,
    ),
    Metric(
        "one_error",
        "minimize",
        "rankings",
        "share of rows that have a relevant label whose first label is irrelevant",
        _one_error,
    ),
    Metric(
        "coverage",
        "minimize",
        "rankings",
        "place of the last relevant label, from 1",
        _coverage,
    ),
    Metric(
        "reciprocal_rank",
        "maximize",
        "rankings",
        "1 / rank of the first relevant label; 0 if there is none",
        _reciprocal_rank,
    ),
    Metric(
        "precision_at_k",
        "maximize",
        "rankings",
        "share of relevant labels among the first k",
        _precision_at_k,
    ),
    Metric(
        LOGGED,
        "minimize",
        "log",
        "number of wrong pairs of a row, estimated from a log",
        _of_log(lambda found: found.value),
    ),
    Metric(
        "logged_low",
        "minimize",
        "log",
        "lower end of the 95% interval of logged_loss",
        _of_log(lambda found: found.interval.low),
    ),
    Metric(
        "logged_high",
        "minimize",
        "log",
        "upper end of the 95% interval of logged_loss",
        _of_log(lambda found: found.interval.high),
    ),
]

METRICS = Table(
    "metric",
    [Plugin(each.name, each, each.help) for each in _OWN],
    group="topk_tune.metrics",
    paths=False,  # workers compute exactly the metrics installed in their environment
)


def main_metrics(objective: str) -> tuple[str, ...]:
    """Return the metrics that tables show beside an objective, which tells whether it is a log's.

    >>> main_metrics("logged_loss")
    ('logged_loss', 'logged_low', 'logged_high')
    """
    return MAIN_OF_LOGS if objective in MAIN_OF_LOGS else MAIN


def loss_of_baselines(objective: str) -> str:
    """Return the loss that baselines have in a study with an objective, as text."""
    return "estimated rank loss" if objective in MAIN_OF_LOGS else "weighted rank loss"


def metric(name: str) -> Metric:
    """Return the metric with this name."""
    found = METRICS.load(name)
    if not isinstance(found, Metric) or found.name != name:
        where = METRICS[name].target
        raise MetricError(
            f"metric {name!r}: {where} must be a Metric of that name, but is {found!r}"
        )
    return found


def every_metric() -> list[Metric]:
    """Return all metrics: ours, and those of other packages."""
    return [metric(name) for name in METRICS]


def computed(measured: Measured, prefix: str = "") -> dict[str, float]:
    """Compute every available metric, by name; `prefix` is put before each name."""
    return {
        prefix + each.name: _value(each, measured)
        for each in every_metric()
        if measured.has(each.needs)
    }


def _value(each: Metric, measured: Measured) -> float:
    try:
        value = float(each.compute(measured))
    except Exception as error:
        kind = type(error).__name__
        raise MetricError(f"metric {each.name!r} raised {kind}: {error}") from error
    if not math.isfinite(value):
        raise MetricError(f"metric {each.name!r} must be finite, but got {value}")
    return value


def words(name: str) -> str:
    """Return the name of a metric as text for sentences and charts.

    >>> words("frozen/shown_loss")
    'frozen shown loss'
    """
    return name.replace("/", " ").replace("_", " ")

"""Which of the confirmed trainings becomes the model: a typical one, not the first or the best."""

from dataclasses import dataclass

import numpy as np

from booster.protocol import Trainable
from topk_tune.data import Dataset
from topk_tune.records.trials import Confirmation
from topk_tune.study.confirmed_figures import ranked_by
from topk_tune.training.from_logs import log_estimate
from topk_tune.training.metrics import words


@dataclass(frozen=True)
class KeptSeed:
    """The seed of the model that is kept.

    Parameters
    ----------
    seed
        The seed.
    metric, value
        The metric by which it was chosen, and its value with this seed.
    median
        The median over all seeds.
    rows
        The rows that it was measured with.
    """

    seed: int
    metric: str
    value: float
    median: float
    rows: str

    def __str__(self) -> str:
        """Return the choice with its reason."""
        return (
            f"seed {self.seed}, whose {words(self.metric)} of {self.value:.4f} on {self.rows} is "
            f"closest to the median of {self.median:.4f}"
        )


@dataclass(frozen=True)
class KeptModel:
    """The model that is kept: its seed, and the loss of what it shows on the test rows."""

    model: Trainable
    seed: int
    loss: float


def kept_seed(first: Confirmation) -> KeptSeed:
    """Return the seed closest to the median on held-out rows; on test rows if there are no others.

    Of two that are equally close, the smaller seed is taken.
    """
    runs = ranked_by(first)
    median = float(np.median(runs.values))
    pairs = zip(runs.seeds, runs.values, strict=True)
    seed, value = min(pairs, key=lambda pair: (abs(pair[1] - median), pair[0]))
    rows = "held-out rows" if first.held else "the test rows"
    return KeptSeed(seed, runs.metric, value, median, rows)


def test_loss(model: Trainable, data: Dataset) -> float:
    """Return the loss of what a model shows on the test rows, without learning from them.

    Of a log, it is the estimated rank loss before exploration.
    """
    if data.is_log:
        return log_estimate(model, data.X_test, data.Y_test).value
    return float(model.evaluate(data.X_test, data.Y_test).shown)

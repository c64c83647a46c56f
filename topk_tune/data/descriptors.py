"""Figures by which data sets are compared."""

import math
from dataclasses import dataclass, fields
from typing import Self

from topk_tune.data.dataset import Dataset
from topk_tune.data.rows import count_nonzero


@dataclass(frozen=True)
class Descriptors:
    """What makes data sets alike, over the training rows.

    Parameters
    ----------
    rows, features, labels
        The sizes.
    cardinality
        The relevant labels of a row, on average.
    density
        The share of feature values that are not zero.

    Examples
    --------
    >>> emotions = Descriptors(rows=391, features=72, labels=6, cardinality=1.81, density=1.0)
    >>> scene = Descriptors(rows=1211, features=294, labels=6, cardinality=1.06, density=0.99)
    >>> round(emotions.similarity(scene), 2)
    0.54
    """

    rows: float
    features: float
    labels: float
    cardinality: float
    density: float

    @classmethod
    def of(cls, data: Dataset) -> Self:
        """Describe a data set."""
        rows = len(data.Y_train)
        cardinality = float(data.Y_train.sum()) / rows
        density = count_nonzero(data.X_train) / (rows * data.n_features)
        return cls(rows, data.n_features, data.n_labels, round(cardinality, 3), round(density, 3))

    def similarity(self, other: "Descriptors") -> float:
        """From 1 for equal figures towards 0: by their mean ratio."""
        ratios = [
            _ratio(getattr(self, each.name), getattr(other, each.name)) for each in fields(self)
        ]
        return math.exp(-sum(ratios) / len(ratios))


def _ratio(one: float, other: float) -> float:
    smallest = 1e-3  # a data set may have no relevant label, or no feature that is not zero
    return abs(math.log(max(one, smallest) / max(other, smallest)))

"""The figures that describe a data set, as in Table 6 of the paper."""

from dataclasses import dataclass

import numpy as np

from topk_tune.data.dataset import Dataset


@dataclass(frozen=True)
class Summary:
    """Sizes of a data set and statistics of its labels, over training and test rows."""

    n_train: int
    n_test: int
    n_features: int
    n_labels: int
    min_labels: int
    mean_labels: float
    max_labels: int
    rows_without_label: int
    rows_with_every_label: int


def summarise(data: Dataset) -> Summary:
    """Count rows, columns and labels.

    >>> from topk_tune.data import load
    >>> summary = summarise(load("yeast"))
    >>> summary.min_labels, round(summary.mean_labels, 2), summary.max_labels
    (1, 4.24, 11)
    """
    counts = np.concatenate([Y.sum(axis=1, dtype=np.int64) for Y in (data.Y_train, data.Y_test)])
    return Summary(
        n_train=len(data.Y_train),
        n_test=len(data.Y_test),
        n_features=data.n_features,
        n_labels=data.n_labels,
        min_labels=int(counts.min()),
        mean_labels=float(counts.mean()),
        max_labels=int(counts.max()),
        rows_without_label=int((counts == 0).sum()),
        rows_with_every_label=int((counts == data.n_labels).sum()),
    )

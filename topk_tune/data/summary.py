"""The figures that describe a data set, as in Table 6 of the paper."""

from dataclasses import dataclass

import numpy as np

from topk_tune.data.dataset import Dataset
from topk_tune.data.observers import suggested_observer
from topk_tune.data.rows import count_nonzero


@dataclass(frozen=True)
class Summary:
    """Sizes of a data set and statistics of its labels, over training and test rows.

    Parameters
    ----------
    n_train, n_test, n_features, n_labels
        The sizes.
    min_labels, mean_labels, max_labels
        The labels of a row.
    rows_without_label, rows_with_every_label
        Rows that have no pair of a relevant and an irrelevant label.
    labels_never_seen
        Labels that no training row has.
    form
        How features are held: "dense" or "sparse".
    density
        The share of feature values that are not zero.
    observer
        What fits the training features; see `suggested_observer`.
    """

    n_train: int
    n_test: int
    n_features: int
    n_labels: int
    min_labels: int
    mean_labels: float
    max_labels: int
    rows_without_label: int
    rows_with_every_label: int
    labels_never_seen: int
    form: str
    density: float
    observer: str


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
        labels_never_seen=int((~data.Y_train.any(axis=0)).sum()),
        form=data.form,
        density=(count_nonzero(data.X_train) + count_nonzero(data.X_test))
        / (len(counts) * data.n_features),
        observer=suggested_observer(data.X_train),
    )

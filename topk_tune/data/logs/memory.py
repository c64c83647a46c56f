"""Logs in memory as data sets, and copies of them as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from booster.logs import Log, log_rows
from topk_tune.data.dataset import Dataset
from topk_tune.data.logs.dataset import dataset_of
from topk_tune.data.logs.feedback import Feedback
from topk_tune.data.logs.format import Header
from topk_tune.data.logs.writing import LogWriter
from topk_tune.data.numbered import Numbered
from topk_tune.data.row_groups import row_groups, row_keys
from topk_tune.data.rows import is_sparse, sparse_rows, take

_NAME = "log"
"""The name of a data set without one."""

_BLOCK = 65_536
"""Rows that are written at a time."""


def from_log(log: Log, labels: object = None, split: str | None = None) -> Dataset:
    """Make a data set of a log.

    `labels` are the names of all labels, or their number. Without it, the last label is the last
    one that was ever shown.
    """
    sparse = is_sparse(log.features)
    X = sparse_rows(log.features) if sparse else np.array(log.features, np.float32, order="C")
    if X.ndim != 2:
        raise ValueError(f"the features of a log must have 2 dimensions, but got {X.ndim}")
    names = _names(labels, np.asarray(log.shown))
    if len(set(names)) < len(names):
        raise ValueError(f"labels must have different names, but got {', '.join(names)}")
    rows = log_rows(Log(X, log.shown, log.bits, log.pairs), X.shape[1], len(names))
    feedback = Feedback(rows.shown, rows.bits, rows.pairs, len(names))
    return dataset_of(_NAME, X, feedback, names, split)


def check_log(data: Dataset) -> None:
    """Raise a ValueError if the rounds of a data set break a rule, or it cannot be kept as a file.

    In a file, rows with the same features are all training rows or all test rows.
    """
    for X, told in ((data.X_train, data.Y_train), (data.X_test, data.Y_test)):
        if not isinstance(told, Feedback):
            raise ValueError("both parts of a log must be feedback, but one has all labels")
        log_rows(told.log(X), data.n_features, data.n_labels)
    known = set(row_keys(data.X_train))
    both = sum(key in known for key in row_keys(data.X_test))
    if both:
        raise ValueError(
            "rows of a log with the same features must be all training rows or all test rows, but "
            f"{both} test rows are among the training rows"
        )


def write_copy(data: Dataset, path: Path) -> str:
    """Write the rows of a log; return the split with which reading it gives the same data set."""
    header = Header(data.n_features, tuple(data.label_names))
    with LogWriter(path, header, sparse=is_sparse(data.X_train)) as writer:
        for X, told in ((data.X_train, data.Y_train), (data.X_test, data.Y_test)):
            for first in range(0, len(told), _BLOCK):
                part = slice(first, first + _BLOCK)
                features, feedback = take(X, part), told[part]
                assert isinstance(feedback, Feedback)
                rows = log_rows(feedback.log(features), data.n_features, data.n_labels)
                writer.write(features, rows)
    trained, tested = (int(row_groups(X).max()) + 1 for X in (data.X_train, data.X_test))
    return f"tail:{tested / (trained + tested)!r}"


def _names(labels: object, shown: Any) -> Sequence[str]:
    if isinstance(labels, str) and not labels.isdecimal():
        return tuple(name.strip() for name in labels.split(","))
    if isinstance(labels, Sequence) and not isinstance(labels, str):
        return tuple(str(name) for name in labels)
    number = int(shown.max(initial=0)) + 1 if labels is None else int(str(labels))
    return Numbered("label_", range(1, max(number, 2) + 1))

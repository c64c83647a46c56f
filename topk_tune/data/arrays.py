"""Data sets from arrays in memory."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from booster.logs import Log
from topk_tune.data.dataset import Dataset
from topk_tune.data.files import dataset_of, split_table
from topk_tune.data.logs.memory import check_log, from_log
from topk_tune.data.numbered import Numbered
from topk_tune.data.readers.errors import refused
from topk_tune.data.readers.sparse import in_one_form
from topk_tune.data.readers.table import table_of
from topk_tune.data.rows import is_sparse
from topk_tune.data.split import DEFAULT_TEST

_NAME = "arrays"
"""The name of a data set without one, also in errors."""


def from_memory(data: Any, *, labels: object = None, split: str | None = None) -> Dataset:
    """Make a data set of features and labels, or check one that is made already.

    Parameters
    ----------
    data
        Features and labels `(X, Y)`, a row for each example: arrays, pandas DataFrames, whose
        column names are kept, or matrices of `scipy.sparse`. Or a `booster.Log`. Or a `Dataset`.
    labels
        For a log, the names of all labels, or their number; without it, the last label is the last
        that was ever shown. Otherwise None, because the data define them.
    split
        The rule that selects test rows; a `Dataset` has its own.

    Examples
    --------
    >>> from_memory((np.eye(10), np.eye(10)[:, :2]), split="tail:0.2").Y_test.tolist()
    [[0, 0], [0, 0]]
    """
    if isinstance(data, Log):
        return from_log(data, labels, split)
    if labels is not None:
        raise ValueError(f"labels cannot be set for arrays, which define them: got {labels!r}")
    if isinstance(data, Dataset):
        if split is not None:
            raise ValueError(f"split cannot be set for a Dataset, which defines it: got {split!r}")
        return _checked(data)
    if not isinstance(data, tuple | list) or len(data) != 2:
        got = f"{type(data).__name__} of {len(data)}" if hasattr(data, "__len__") else repr(data)
        raise ValueError(
            f"data must be a name, a path, a pair (X, Y), a Log or a Dataset, but got {got}"
        )
    X, Y = data
    names = _names(X, "feature_"), _names(Y, "label_")
    (table,) = in_one_form([table_of(Path(_NAME), _features(X), _labels(Y), *names)])
    return dataset_of(_NAME, *split_table(table, split or DEFAULT_TEST))


def _checked(data: Dataset) -> Dataset:
    if data.is_log:
        check_log(data)
        return data
    train, test = in_one_form(
        [
            table_of(Path(data.name), X, Y, data.feature_names, data.label_names)
            for X, Y in ((data.X_train, data.Y_train), (data.X_test, data.Y_test))
        ]
    )
    return replace(data, X_train=train.X, Y_train=train.Y, X_test=test.X, Y_test=test.Y)


def _names(rows: Any, prefix: str) -> Sequence[str]:
    """The names of columns, if they are texts; else numbers."""
    columns = list(getattr(rows, "columns", ()))
    if columns and all(isinstance(name, str) for name in columns):
        return tuple(columns)
    shape = np.shape(rows)
    return Numbered(prefix, range(1, (shape[1] if len(shape) == 2 else 0) + 1))


def _features(rows: Any) -> Any:
    # Copied, because a random split moves rows within the array.
    return rows if is_sparse(rows) else np.array(_values(rows), order="C")


def _labels(rows: Any) -> Any:
    return np.array(rows.toarray() if is_sparse(rows) else _values(rows))


def _values(rows: Any) -> Any:
    """What NumPy makes an array of; the columns of a DataFrame may have different types."""
    if not hasattr(rows, "dtypes") or not hasattr(rows, "columns"):
        return rows
    for name, kind in zip(rows.columns, rows.dtypes, strict=True):
        if getattr(kind, "kind", "O") not in "fiub":
            rule = "every column of a DataFrame must have numbers"
            raise refused(Path(_NAME), None, rule, f"{name!r} of the type {kind}")
    return rows.to_numpy(dtype=np.float64, na_value=np.nan)

"""Multilabel data sets of OpenML, by their number."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any
from urllib.error import URLError

import numpy as np
from numpy.typing import NDArray

from topk_tune.data import cache
from topk_tune.data.dataset import Dataset
from topk_tune.data.errors import DataError
from topk_tune.data.split import DEFAULT_TEST, split_rows

if TYPE_CHECKING:
    from pandas import DataFrame, Series

_YES = {"1", "true", "yes"}
_NO = {"0", "false", "no"}


def load_openml(name: str, split: str = DEFAULT_TEST) -> Dataset:
    """Load `openml:NUMBER`. There is no published split, so a rule selects the test rows."""
    number = name.removeprefix("openml:")
    if not number.isdecimal():
        raise ValueError(f"The name of an OpenML data set must be openml:NUMBER, but got {name!r}")
    table = _fetch(name, int(number))
    X = _features(name, table.data)
    Y = _labels(name, table.target)
    kept, aside = split_rows(len(X), split)
    return Dataset(
        name=name,
        X_train=X[kept],
        Y_train=Y[kept],
        X_test=X[aside],
        Y_test=Y[aside],
        feature_names=tuple(map(str, table.data.columns)),
        label_names=tuple(map(str, table.target.columns)),
    )


def _fetch(name: str, number: int) -> Any:
    """Fetch with scikit-learn, which caches downloads."""
    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings():
        # It warns when it retries; only the result matters.
        warnings.simplefilter("ignore", UserWarning)
        try:
            return fetch_openml(data_id=number, as_frame=True, data_home=cache.folder())
        except (URLError, ConnectionError, TimeoutError) as error:
            raise DataError(f"{name} cannot be fetched: {error}. Is the network up?") from error


def _features(name: str, table: DataFrame) -> NDArray[np.float32]:
    for column in table.columns:
        if table[column].dtype.kind not in "biuf":
            raise DataError(f"Features must be numeric, but {column} of {name} is not")
        if table[column].isna().any():
            raise DataError(f"Features must not have missing values, but {column} of {name} has")
    return np.ascontiguousarray(table.to_numpy(dtype=np.float32))


def _labels(name: str, table: DataFrame | Series | None) -> NDArray[np.uint8]:
    columns = getattr(table, "columns", ())
    if table is None or len(columns) < 2:
        raise DataError(f"A multilabel data set must have at least two labels, but {name} does not")
    Y = np.empty((len(table), len(columns)), dtype=np.uint8)
    for i, column in enumerate(columns):
        words = table[column].astype(str).str.lower()
        if not words.isin(_YES | _NO).all():
            raise DataError(
                f"Labels must be true or false, but {column} of {name} has other values"
            )
        Y[:, i] = words.isin(_YES)
    return Y

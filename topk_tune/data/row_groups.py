"""Rows of a data set with the same features."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster import row_groups as of_booster
from booster.features import rows_of


def row_groups(X: Any) -> NDArray[np.intp]:
    """Number the groups of equal rows by their first row; return the group of each row.

    >>> row_groups(np.array([[1.0], [2.0], [1.0], [3.0]])).tolist()
    [0, 1, 0, 2]
    """
    return of_booster.row_groups(rows_of(X, X.shape[1]))


def row_keys(X: Any) -> Iterator[bytes]:
    """A key for each row, the same for equal rows."""
    return of_booster.row_keys(rows_of(X, X.shape[1]))

"""What may be wrong with rows that can be read: rare labels, duplicates, constant columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.dataset import Dataset
from topk_tune.data.row_groups import row_keys
from topk_tune.data.rows import FeatureRows, is_sparse

FEW = 10
"""Labels with fewer training rows are rare: with a quarter held out, little is left to learn."""


@dataclass(frozen=True)
class Quality:
    """What was found in the rows of a data set.

    Parameters
    ----------
    in_training, in_test
        The number of rows with each label.
    constant
        The features with one value in all training rows.
    repeated
        Training rows with the features of an earlier one.
    contradicting
        Those of them with other labels than the first of its kind.
    in_both
        Test rows with the features of a training row.
    """

    in_training: NDArray[np.int64]
    in_test: NDArray[np.int64]
    constant: NDArray[np.intp]
    repeated: int
    contradicting: int
    in_both: int

    @property
    def never(self) -> NDArray[np.intp]:
        """The labels that no training row has."""
        return np.flatnonzero(self.in_training == 0)

    @property
    def rare(self) -> NDArray[np.intp]:
        """The labels that some training rows have, but fewer than `FEW`."""
        return np.flatnonzero((self.in_training > 0) & (self.in_training < FEW))


def examine(data: Dataset) -> Quality:
    """Look at all rows and columns once."""
    first: dict[bytes, int] = {}
    repeated = contradicting = 0
    for row, key in enumerate(row_keys(data.X_train)):
        known = first.setdefault(key, row)
        repeated += known != row
        contradicting += known != row and bool((data.Y_train[known] != data.Y_train[row]).any())
    return Quality(
        in_training=data.Y_train.sum(axis=0, dtype=np.int64),
        in_test=data.Y_test.sum(axis=0, dtype=np.int64),
        constant=constant_columns(data.X_train),
        repeated=repeated,
        contradicting=contradicting,
        in_both=sum(key in first for key in row_keys(data.X_test)),
    )


def constant_columns(X: FeatureRows) -> NDArray[np.intp]:
    """The columns in which all rows have one value.

    >>> constant_columns(np.array([[1, 2], [1, 3]], "f")).tolist()
    [0]
    """
    return np.flatnonzero(_dense(X.min(axis=0)) == _dense(X.max(axis=0)))


def _dense(column: Any) -> NDArray[np.float32]:
    return np.ravel(column.toarray() if is_sparse(column) else column)

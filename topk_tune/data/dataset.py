"""The data set class."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.fingerprint import dense_fingerprint, fingerprint
from topk_tune.data.logs.feedback import is_feedback
from topk_tune.data.row_groups import row_groups
from topk_tune.data.rows import FeatureRows, is_sparse, why_not_canonical

ARRAYS = ("X_train", "Y_train", "X_test", "Y_test")


# Compared by identity: arrays have no single truth value for == to return.
@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of features and of 0/1 labels, in the order of the stream.

    Features are float32, as an array in C order or as a canonical CSR matrix (see
    `topk_tune.data.rows`). Labels are uint8 in C order. There is one row per example. In a log,
    which has no labels but feedback, a `Feedback` stands in their place.
    """

    name: str
    X_train: FeatureRows
    Y_train: NDArray[np.uint8]
    X_test: FeatureRows
    Y_test: NDArray[np.uint8]
    feature_names: Sequence[str]
    label_names: Sequence[str]

    def __post_init__(self) -> None:
        """Refuse sparse rows that are not canonical: equal rows must have one fingerprint."""
        for name in ("X_train", "X_test"):
            rows = getattr(self, name)
            if is_sparse(rows) and (problem := why_not_canonical(rows)):
                raise ValueError(f"{name}: {problem} (topk_tune.data.sparse_rows repairs it)")

    @property
    def n_features(self) -> int:
        """The number of columns of the feature arrays."""
        return len(self.feature_names)

    @property
    def n_labels(self) -> int:
        """The number of columns of the label arrays."""
        return len(self.label_names)

    @property
    def is_log(self) -> bool:
        """Whether it has feedback on what was shown instead of all labels."""
        return is_feedback(self.Y_train)

    @cached_property
    def groups(self) -> NDArray[np.intp]:
        """The group of each training row; rows of a group have the same features.

        A log may show the same row many times. If some of these were held out and others learned
        from, the held-out ones would not be new.
        """
        return row_groups(self.X_train)

    @property
    def form(self) -> str:
        """How the features are held, "dense" or "sparse"."""
        return "sparse" if is_sparse(self.X_train) else "dense"

    @cached_property
    def fingerprint(self) -> str:
        """The sha256 of the four arrays, the same on every machine; one kind for each form."""
        return fingerprint({name: getattr(self, name) for name in ARRAYS})

    def matches(self, known: str) -> bool:
        """Whether a fingerprint is that of these rows, in this form or written out as dense ones.

        Files with sparse rows were once held dense, and studies of that time know them so.
        """
        if known == self.fingerprint:
            return True
        if self.is_log:
            return False
        arrays = {name: getattr(self, name) for name in ARRAYS}
        return self.form == "sparse" and known == dense_fingerprint(arrays)

"""What was told of each row of a log, where other data sets have all labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.logs import Log
from topk_tune.data.rows import FeatureRows

PARTS = ("shown", "bits", "pairs")


# Compared by identity, like a data set.
@dataclass(frozen=True, eq=False)
class Feedback:
    """Stands in the place of a label matrix, whose rows are taken and whose labels are counted.

    Only what was seen counts: a label that was not shown is not relevant.

    Parameters
    ----------
    shown, bits, pairs
        As in `booster.Log`.
    n_labels
        The number of all labels.
    """

    shown: NDArray[np.int32]
    bits: NDArray[np.uint8]
    pairs: NDArray[np.float64]
    n_labels: int

    @property
    def shape(self) -> tuple[int, int]:
        """The rows and labels that a label matrix would have."""
        return len(self.shown), self.n_labels

    def __len__(self) -> int:
        return len(self.shown)

    def __getitem__(self, rows: Any) -> Feedback:
        return Feedback(self.shown[rows], self.bits[rows], self.pairs[rows], self.n_labels)

    def sum(self, axis: int | None = None, dtype: Any = np.int64) -> Any:
        """Count the relevant labels that were seen: all, by row (1), or by label (0)."""
        if axis == 0:
            return np.bincount(self._relevant, minlength=self.n_labels).astype(dtype)
        return self.bits.sum(axis=axis, dtype=dtype)

    def any(self, axis: int) -> NDArray[np.bool_]:
        """Whether each label was ever seen to be relevant (0), or any label of each row (1)."""
        return np.asarray(self.sum(axis) > 0)

    def rates(self) -> NDArray[np.float64]:
        """Return how often each label was relevant when seen, pairs of its rows weighted.

        A label is weighted by the pairs that it was seen in, each by how unlikely it was, so that
        what the policy likes to show does not count more.
        """
        weight, relevant = np.zeros((2, self.n_labels))
        width = self.shown.shape[1]
        for n in range(2, width + 1):
            rows = (self.shown >= 0).sum(axis=1) == n
            first, second = np.triu_indices(n, 1)
            for place in range(n):
                beside = np.flatnonzero((first == place) | (second == place))
                each = (1.0 / self.pairs[rows][:, beside]).sum(axis=1)
                label = self.shown[rows, place]
                np.add.at(weight, label, each)
                np.add.at(relevant, label, each * self.bits[rows, place])
        return np.asarray(np.divide(relevant, weight, out=np.zeros_like(weight), where=weight > 0))

    def log(self, X: FeatureRows) -> Log:
        """Return the log of these rows, with their features."""
        return Log(X, self.shown, self.bits, self.pairs)

    @property
    def _relevant(self) -> Any:
        return self.shown[(self.bits == 1) & (self.shown >= 0)]


def is_feedback(Y: object) -> bool:
    """Whether rows have feedback instead of all labels."""
    return isinstance(Y, Feedback)

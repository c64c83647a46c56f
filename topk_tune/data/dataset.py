"""What a data set is to the rest of the project."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


# Compared by identity: arrays have no single truth value for == to return.
@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of features and of 0/1 labels, in the order in which they are to be streamed.

    Features are float32 and labels uint8, both in C order, one row an example.
    """

    name: str
    X_train: NDArray[np.float32]
    Y_train: NDArray[np.uint8]
    X_test: NDArray[np.float32]
    Y_test: NDArray[np.uint8]
    feature_names: tuple[str, ...]
    label_names: tuple[str, ...]

    @property
    def n_features(self) -> int:
        """The number of columns of the feature arrays."""
        return len(self.feature_names)

    @property
    def n_labels(self) -> int:
        """The number of columns of the label arrays."""
        return len(self.label_names)

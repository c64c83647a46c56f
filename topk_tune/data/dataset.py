"""The data set class."""

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

ARRAYS = ("X_train", "Y_train", "X_test", "Y_test")


# Compared by identity: arrays have no single truth value for == to return.
@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of features and of 0/1 labels, in the order of the stream.

    Features are float32 and labels uint8, both in C order, with one row per example.
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

    @cached_property
    def fingerprint(self) -> str:
        """The sha256 of the four arrays, the same on every machine."""
        digest = hashlib.sha256()
        for name in ARRAYS:
            array = getattr(self, name)
            # So that big-endian machines compute the same hash.
            array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
            digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
            digest.update(array.data)
        return digest.hexdigest()

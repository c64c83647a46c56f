"""Reads the array dumps of scikit-multilearn 0.0.1, which are pickles of Python 2.

Nothing but numpy arrays is unpickled.
"""

import bz2
import io
import pickle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.errors import DataError

# Everything that a pickled array refers to. These make arrays and dtypes and run no commands.
_ADMITTED = {
    ("numpy", "ndarray"),
    ("numpy", "dtype"),
    ("numpy.core.multiarray", "_reconstruct"),
}


class _ArrayUnpickler(pickle.Unpickler):
    """An unpickler that makes numpy arrays and nothing else."""

    def find_class(self, module: str, name: str) -> Any:
        """Allow the parts of arrays only."""
        if (module, name) not in _ADMITTED:
            raise DataError(f"A dump must contain numpy arrays only, but got {module}.{name}")
        # numpy 2 has moved the module and warns about its old name.
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def read_dump(content: bytes) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Read the features and the labels out of a compressed dump."""
    with bz2.open(io.BytesIO(content)) as plain:
        # Python 2 stored the bytes of an array in a string.
        loaded = _ArrayUnpickler(plain, encoding="latin1").load()
    X, Y = (_numbers(loaded, key) for key in ("X", "y"))
    return np.ascontiguousarray(X, dtype=np.float32), np.ascontiguousarray(Y, dtype=np.uint8)


def _numbers(loaded: Any, key: str) -> NDArray[Any]:
    array = loaded.get(key) if isinstance(loaded, dict) else None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "if" or array.ndim != 2:
        raise DataError(f"A dump must contain a two-dimensional array of numbers called {key}")
    return array

"""A plugin for pytest: kernels as plain Python, which coverage can follow; see `make coverage`."""

import numba
import numpy as np
import pytest
from hypothesis import settings

from booster.learners import forest_arrays

EXAMPLES = 5


def pytest_configure() -> None:
    """Give NumPy what only Numba has."""
    if not numba.config.DISABLE_JIT:
        raise pytest.UsageError("kernels are plain Python only with NUMBA_DISABLE_JIT=1")
    # Numba reads the fields of a node as attributes; so does NumPy in records.
    forest_arrays.NODE = np.dtype((np.record, forest_arrays.NODE))
    # Machine code says nothing of whole numbers that wrap around, or of a division by zero.
    np.seterr(all="ignore")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try few examples: plain Python takes a hundred times as long."""
    for item in items:
        test = getattr(item, "obj", None)
        chosen = getattr(test, "_hypothesis_internal_use_settings", None)
        if chosen and chosen.max_examples > EXAMPLES:
            test._hypothesis_internal_use_settings = settings(chosen, max_examples=EXAMPLES)

"""Indices of hot loops."""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import exact


@exact
def known(i):
    """Return an index that is never negative, as a type for which Numba need not check this.

    Do not add to it: of this type and another whole number, Numba makes a float.
    """
    return np.uint64(i)

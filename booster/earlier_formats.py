"""Saved boosters of earlier versions: what they lack, because there were fewer kinds of leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.kernels.state import N_COUNTS, NONE, Forest

WITHOUT_ROWS = "topk-tune booster 2"
"""In this format exploration did not depend on the row. A prediction that was pending then would
be repeated differently now, so it is dropped."""

WITHOUT_BLOCKS = "topk-tune booster 3"
"""In this format and before it, all leaves observed Gaussians."""

WITHOUT_NOTES = "topk-tune booster 4"
"""In this format and before it, leaves that observed what is not zero had blocks, and keep them."""

EARLIER = (WITHOUT_ROWS, WITHOUT_BLOCKS, WITHOUT_NOTES)


def complete(arrays: dict[str, NDArray[Any]], blank: Forest) -> None:
    """Add the arrays of an empty forest that a file has not, as long as its others."""
    for group, known in (("rows", "total"), ("slots", "weight")):
        length = len(arrays[f"forest.{group}.{known}"])
        for name, array in getattr(blank, group)._asdict().items():
            value = NONE if name in ("block", "page", "last") else 0
            added = np.full((length, *array.shape[1:]), value, array.dtype)
            arrays.setdefault(f"forest.{group}.{name}", added)
    for pool in ("entries", "cells", "notes"):
        for name, array in getattr(blank, pool)._asdict().items():
            arrays.setdefault(f"forest.{pool}.{name}", array)
    counts = arrays["forest.counts"]
    if counts.ndim == 1 and counts.size < N_COUNTS:
        arrays["forest.counts"] = np.append(counts, np.zeros(N_COUNTS - counts.size, counts.dtype))

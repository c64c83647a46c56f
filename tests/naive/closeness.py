"""Closeness of numbers as `numpy.testing` defines it, at a fraction of its time."""

from __future__ import annotations

from typing import Any

import numpy as np


def assert_allclose(actual: Any, desired: Any, *, rtol: float, atol: float) -> None:
    """Fail as `numpy.testing.assert_allclose` does, which decides whatever is not plainly close."""
    if not _plainly_close(np.asarray(actual), np.asarray(desired), rtol, atol):
        np.testing.assert_allclose(actual, desired, rtol=rtol, atol=atol)


def _plainly_close(a: np.ndarray, b: np.ndarray, rtol: float, atol: float) -> bool:
    """Whether they have the same shape and finite values that are close; nothing else is judged."""
    if a.shape != b.shape:
        return False
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        bound = atol + rtol * abs(b)
        return bool(((abs(a - b) <= bound) & (bound < np.inf)).all())

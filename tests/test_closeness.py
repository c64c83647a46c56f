"""The quick comparison of the naive twins fails exactly where numpy's does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive.closeness import assert_allclose

NEAR = [1.0, 1.0 + 1e-9, 1.0 + 3e-9, 1e-12, 3e-12, 0.0, -0.0, -1.0]
numbers = st.sampled_from([*NEAR, math.inf, -math.inf, math.nan]) | st.floats()
values = numbers | st.lists(numbers, max_size=3)


def fails(check: Any, actual: Any, desired: Any) -> bool:
    try:
        check(actual, desired, rtol=1e-9, atol=1e-12)
    except AssertionError:
        return True
    return False


@given(values, values)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_it_fails_where_numpy_fails(actual: Any, desired: Any) -> None:
    for expected in (desired, actual):
        wanted = fails(np.testing.assert_allclose, actual, expected)
        assert fails(assert_allclose, actual, expected) == wanted


@pytest.mark.parametrize("expected", [1.0 + 3e-9, math.inf, math.nan, [1.0, 2.0]])
def test_what_is_not_close_is_refused(expected: Any) -> None:
    with pytest.raises(AssertionError):
        assert_allclose(1.0, expected, rtol=1e-9, atol=1e-12)

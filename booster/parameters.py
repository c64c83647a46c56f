"""Checks of parameters and data. Errors state the rule and the value."""

from __future__ import annotations

import math
import reprlib
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.kernels.state import FEATURE
from booster.tables import SCHEMES

if TYPE_CHECKING:
    from booster.exploration import Scheme

Range = tuple[float, float]

CLIP = (0.005, 0.995)
"""The paper clips all probabilities to this range to bound the variance of the estimates."""

MOST = 2**31 - 1
"""The largest count: kernels count in 32 bits."""


def whole(name: str, value: Any, least: int, most: float = MOST) -> int:
    """A whole number of at least `least` and at most `most`."""
    number = isinstance(value, Integral) and not isinstance(value, bool)
    _require(number, f"{name} must be a whole number", value)
    # The upper limit of every count is mentioned only when it is exceeded.
    bounded = most < MOST or value > most
    bounds = f"between {least} and {most}" if bounded else f"at least {least}"
    _require(least <= value <= most, f"{name} must be {bounds}", value)
    return int(value)


def fraction(name: str, value: Any, limit: float = 1.0) -> float:
    """A number strictly between 0 and `limit`."""
    number = _number(value)
    _require(0.0 < number < limit, f"{name} must satisfy 0 < {name} < {limit:g}", value)
    return number


def covariates(value: Any) -> int | float | str:
    """How many features each learner uses: a whole number, a share of all, "sqrt" or "all"."""
    for word in ("sqrt", "all"):
        if value == word:
            return word  # not `value`, which may be a member of an enumeration
    if isinstance(value, Integral) and not isinstance(value, bool):
        return whole("n_covariates", value, 1)
    rule = 'n_covariates must be a whole number of at least 1, a share up to 1, "sqrt" or "all"'
    number = _number(value)
    _require(0.0 < number <= 1.0 and not isinstance(value, bool), rule, value)
    return number


def count_covariates(value: int | float | str, n_features: int) -> int:
    """The number of features that `covariates` stands for, of `n_features`.

    >>> [count_covariates(value, 2000) for value in (20, 0.07, "sqrt", "all", 4000)]
    [20, 140, 45, 2000, 2000]
    """
    if isinstance(value, int):
        return min(value, n_features)
    if isinstance(value, float):
        # 0.07 * 2000 is a little more than 140.
        return max(1, math.ceil(round(value * n_features, 6)))
    return n_features if value == "all" else math.ceil(math.sqrt(n_features))


def share(name: str, value: Any) -> float:
    """A number from 0 to 1."""
    number = _number(value)
    _require(0.0 <= number <= 1.0, f"{name} must satisfy 0 <= {name} <= 1", value)
    return number


def positive(name: str, value: Any) -> float:
    """A positive, finite number."""
    number = _number(value)
    _require(0.0 < number < math.inf, f"{name} must be positive and finite", value)
    return number


def switch(name: str, value: Any) -> bool:
    """True or False."""
    _require(isinstance(value, bool | np.bool_), f"{name} must be True or False", value)
    return bool(value)


def interval(name: str, value: Any, most: float = math.inf) -> Range:
    """Two positive numbers, low <= high, at most `most`."""
    limit = "" if most == math.inf else f" <= {most:g}"
    rule = f"{name} must be (low, high) with 0 < low <= high{limit}"
    try:
        low, high = map(_number, value)
    except (TypeError, ValueError):
        raise ValueError(f"{rule}, but got {value!r}") from None
    _require(0.0 < low <= high < math.inf and high <= most, rule, value)
    return low, high


def scheme(exploration: Any, k: int, m: int) -> str:
    """An exploration scheme that works with k and m."""
    name = SCHEMES.named(exploration)
    chosen: Scheme = SCHEMES.load(name)
    rule = f"k must satisfy {chosen.rule} = {m} for {name} exploration"
    _require(chosen.suits(m, k), rule, k)
    return name


def feature_rows(X: ArrayLike, n_features: int) -> NDArray[np.float32]:
    """Rows of finite features in the form kernels expect: float32, contiguous, read-only."""
    rows = _array("X", X, 2)
    rule = f"X must have n_features = {n_features} columns"
    _require(rows.shape[1] == n_features, rule, rows.shape[1])
    return _features("X", rows)


def feature_row(x: ArrayLike, n_features: int) -> NDArray[np.float32]:
    """One row of finite features."""
    row = _array("x", x, 1)
    _require(row.size == n_features, f"x must have n_features = {n_features} values", row.size)
    return _features("x", row)


def label_rows(Y: ArrayLike, n_rows: int, n_labels: int) -> NDArray[np.uint8]:
    """Rows of label bits, one for each row of features."""
    rows = _array("Y", Y, 2)
    expected = (n_rows, n_labels)
    rule = f"Y must have the shape (rows of X, n_labels) = {expected}"
    _require(rows.shape == expected, rule, rows.shape)
    return _bits("Y", rows)


def label_bits(feedback: ArrayLike, n_seen: int, name: str) -> NDArray[np.uint8]:
    """One bit for each label that was shown; `name` is the parameter that sets their number."""
    bits = _array("feedback", feedback, 1)
    _require(bits.size == n_seen, f"feedback must have {name} = {n_seen} values", bits.size)
    return _bits("feedback", bits)


def _features(name: str, values: NDArray[Any]) -> NDArray[np.float32]:
    _require(values.dtype.kind in "fiub", f"{name} must be numeric", values.dtype)
    with np.errstate(over="ignore"):
        features = np.ascontiguousarray(values, dtype=FEATURE)
    if not np.isfinite(features).all():
        place = tuple(int(i[0]) for i in np.nonzero(~np.isfinite(features)))
        raise ValueError(f"{name} must be finite in float32, but got {values[place]} at {place}")
    return read_only(features)


def _bits(name: str, values: NDArray[Any]) -> NDArray[np.uint8]:
    _require(values.dtype.kind in "fiub", f"{name} must be numeric", values.dtype)
    wrong = (values != 0) & (values != 1)
    if wrong.any():
        place = tuple(int(i[0]) for i in np.nonzero(wrong))
        raise ValueError(f"{name} must be 0 or 1, but got {values[place]} at {place}")
    return read_only(np.ascontiguousarray(values, dtype=np.uint8))


def read_only(values: NDArray[Any]) -> NDArray[Any]:
    """A read-only view of an array.

    Arrays from an object store are read-only, and a kernel is compiled for one kind of array only.
    """
    view = values.view()
    view.flags.writeable = False
    return view


def _array(name: str, values: ArrayLike, ndim: int) -> NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError:
        rule = f"{name} must be an array of {ndim} dimension{'s' * (ndim > 1)}"
        raise ValueError(f"{rule}, but got {reprlib.repr(values)}") from None
    if isinstance(values, np.ma.MaskedArray):
        hidden = int(np.ma.getmaskarray(values).sum())
        _require(hidden == 0, f"{name} must not have masked values", hidden)
    _require(array.ndim == ndim, f"{name} must have {ndim} dimension{'s' * (ndim > 1)}", array.ndim)
    return array


def _number(value: Any) -> float:
    """A number as a float: nan if it is not a number, infinite if it is too large for a float.

    Rules are checked on the result, because a conversion may round to 0 or to infinity.
    """
    try:
        return float(value) if isinstance(value, Real) else math.nan
    except OverflowError:
        return math.inf


def _require(holds: bool, rule: str, value: Any) -> None:
    if not holds:
        raise ValueError(f"{rule}, but got {value!r}")

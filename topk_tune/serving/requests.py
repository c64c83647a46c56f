"""What requests must have, and what is wrong with those that have it not."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from booster.features import row_of
from booster.parameters import feature_row
from topk_tune.data.rows import FeatureRows, csr_rows
from topk_tune.serving.features import DENSE, VALUE, WHERE
from topk_tune.serving.refusals import RefusedError

_LEAST_LIMIT = 2**16
_CHARACTERS = 32
"""The most that a number takes in JSON with its separator, with some room."""


def largest_body(n_features: int) -> int:
    """The largest size in bytes of a request: a row of long numbers."""
    return max(_LEAST_LIMIT, 2 * _CHARACTERS * n_features)


def content_of(body: bytes) -> dict[str, Any]:
    """The JSON object in the body of a request."""
    try:
        content = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise RefusedError(400, f"the body must be JSON, but {error}") from None
    if not isinstance(content, dict):
        raise RefusedError(400, f"the body must be a JSON object, but got {_kind(content)}")
    return content


def features_of(content: Mapping[str, Any], n_features: int) -> FeatureRows:
    """The row of features to rank: dense or sparse, as it was given."""
    if set(content) not in ({DENSE}, {WHERE, VALUE}):
        found = ", ".join(map(repr, content)) or "nothing"
        raise RefusedError(
            422, f"the body must have {DENSE!r}, or {WHERE!r} and {VALUE!r}, but has {found}"
        )
    try:
        if DENSE in content:
            return feature_row(_numbers(content, DENSE, np.float64), n_features)
        return _sparse(content, n_features)
    except RefusedError:
        raise
    except ValueError as error:
        raise RefusedError(422, str(error)) from None


def feedback_of(content: Mapping[str, Any]) -> tuple[str, list[int]]:
    """The id of the ranking, and a bit for each label that got feedback."""
    if set(content) != {"id", "bits"}:
        found = ", ".join(map(repr, content)) or "nothing"
        raise RefusedError(422, f"the body must have 'id' and 'bits', but has {found}")
    id_, bits = content["id"], content["bits"]
    if not isinstance(id_, str):
        raise RefusedError(422, f"id must be text, but got {_kind(id_)}")
    if not isinstance(bits, list) or not all(type(b) in (int, bool) and b in (0, 1) for b in bits):
        raise RefusedError(422, "bits must be a list of 0 and 1, or of false and true")
    return id_, [int(bit) for bit in bits]


def _sparse(content: Mapping[str, Any], n_features: int) -> FeatureRows:
    where = _numbers(content, WHERE, np.int64)
    value = _numbers(content, VALUE, np.float64)
    if len(where) != len(value):
        raise RefusedError(
            422, f"there must be as many values as indices, but got {len(value)} and {len(where)}"
        )
    given: Any = _OneRow(where, value, np.array([0, len(where)]), (1, n_features))
    checked = row_of(given, n_features)
    kept = checked.value != 0.0  # as in rows of data sets
    where, value = checked.where[kept], checked.value[kept]
    return csr_rows(value, where, np.array([0, len(where)]), n_features)


class _OneRow(NamedTuple):
    """What `booster.features` needs of a sparse matrix."""

    indices: NDArray[np.int64]
    data: NDArray[np.float64]
    indptr: NDArray[np.int64]
    shape: tuple[int, int]


def _numbers(content: Mapping[str, Any], name: str, kind: type) -> NDArray[Any]:
    """The list of numbers under a name; whole ones if the kind is."""
    given = content[name]
    allowed, rule = ({int}, "whole numbers") if kind is np.int64 else ({int, float}, "numbers")
    if not isinstance(given, list):
        raise RefusedError(422, f"{name} must be a list of {rule}, but got {_kind(given)}")
    if not set(map(type, given)) <= allowed:
        wrong = next(value for value in given if type(value) not in allowed)
        raise RefusedError(422, f"{name} must be a list of {rule}, but it has {_kind(wrong)}")
    try:
        return np.array(given, kind)
    except OverflowError:
        raise RefusedError(422, f"{name} must have 64 bits, but got a larger one") from None


def _kind(value: Any) -> str:
    """How JSON calls a value."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}
    return names.get(type(value), "null" if value is None else "a number")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"it has {name}, which is no number")

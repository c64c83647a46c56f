"""Checks names that a user gives."""

from collections.abc import Iterable
from typing import Any, get_args

from booster.plugins import unknown


def one_of(kind: str, name: str, options: Iterable[str]) -> str:
    """Return the name if it is one of the options, otherwise raise a ValueError that lists them."""
    known = list(options)
    if name in known:
        return name
    raise ValueError(unknown(kind, name, known))


def one_of_literal(kind: str, name: str, literal: Any) -> Any:
    """Do the same for the options of a `Literal` type."""
    return one_of(kind, name, get_args(literal))

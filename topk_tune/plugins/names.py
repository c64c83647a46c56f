"""Names that a user gives: checked against what there is."""

from collections.abc import Iterable
from typing import Any, get_args

from booster.plugins import unknown


def one_of(kind: str, name: str, options: Iterable[str]) -> str:
    """The name, if it is one of the options; else a ValueError that lists them."""
    known = list(options)
    if name in known:
        return name
    raise ValueError(unknown(kind, name, known))


def one_of_literal(kind: str, name: str, literal: Any) -> Any:
    """The same for the options of a `Literal` type."""
    return one_of(kind, name, get_args(literal))

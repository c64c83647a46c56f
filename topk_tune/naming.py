"""Errors about names: what there is, and what was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, get_args


def one_of(kind: str, name: str, options: Iterable[str]) -> str:
    """The name, if it is one of the options; else a ValueError that lists them."""
    known = list(options)
    if name in known:
        return name
    nearest = get_close_matches(name.lower(), known, n=1)
    question = f". Did you mean {nearest[0]!r}?" if nearest else ""
    raise ValueError(f"no {kind} is called {name!r}; there is: {', '.join(known)}{question}")


def one_of_literal(kind: str, name: str, literal: Any) -> Any:
    """The same for the options of a `Literal` type."""
    return one_of(kind, name, get_args(literal))

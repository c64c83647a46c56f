"""Errors about names: what there is, and what was probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, get_args


def one_of(kind: str, name: str, options: Iterable[str]) -> str:
    """The name, if it is one of the options; else a ValueError that lists them."""
    known = list(options)
    if name in known:
        return name
    raise ValueError(f"no {kind} is called {name!r}; {there_is(name, known)}")


def one_of_literal(kind: str, name: str, literal: Any) -> Any:
    """The same for the options of a `Literal` type."""
    return one_of(kind, name, get_args(literal))


def there_is(name: str, known: Iterable[str]) -> str:
    """What there is instead of a name that nothing has, for the end of an error.

    >>> there_is("dmeo", ["demo", "other"])
    "there is: demo, other. Did you mean 'demo'?"
    """
    names = list(known)
    if not names:
        return "there is none yet"
    nearest = get_close_matches(name.lower(), names, n=1)
    question = f". Did you mean {nearest[0]!r}?" if nearest else ""
    return f"there is: {', '.join(names)}{question}"

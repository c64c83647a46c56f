"""Errors of search spaces."""

from collections.abc import Iterable


class SpaceError(ValueError):
    """A search space or a configuration breaks rules; the message has a line for each."""


def raise_any(problems: Iterable[str]) -> None:
    """Raise one error with all problems, without duplicates, if there are any."""
    lines = list(dict.fromkeys(problems))
    if lines:
        raise SpaceError("\n".join(lines))

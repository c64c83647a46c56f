"""The result of a check."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Parameters
    ----------
    what
        The condition that was checked.
    problem
        Why it does not hold; None if it holds.
    """

    what: str
    problem: str | None = None


def found(what: str, check: Callable[[], object]) -> Finding:
    """The finding of a check, which is a function that raises an error if it fails."""
    try:
        check()
    except (ValueError, OSError) as error:
        return Finding(what, str(error))
    return Finding(what)

"""What a check comes to."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One thing that was checked.

    Parameters
    ----------
    what
        What must be true.
    problem
        Why it is not; None if it is.
    """

    what: str
    problem: str | None = None


def found(what: str, check: Callable[[], object]) -> Finding:
    """The finding of a check, which raises an error if something is wrong."""
    try:
        check()
    except (ValueError, OSError) as error:
        return Finding(what, str(error))
    return Finding(what)

"""What goes wrong with a search space."""

from collections.abc import Iterable


class SpaceError(ValueError):
    """A search space, or a configuration of one, breaks its rules; a line for each problem."""


def raise_any(problems: Iterable[str]) -> None:
    """Raise all problems together, if there are any, each of them once."""
    lines = list(dict.fromkeys(problems))
    if lines:
        raise SpaceError("\n".join(lines))

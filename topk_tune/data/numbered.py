"""Names of columns that are numbers, without a string for each: wide data has millions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload


class Numbered(Sequence[str]):
    """The names PREFIX1, PREFIX2, .. of a range of numbers, equal to a tuple of these names.

    >>> names = Numbered("feature_", range(1, 1_000_001))
    >>> len(names), names[2], names[:2] == ("feature_1", "feature_2")
    (1000000, 'feature_3', True)
    """

    def __init__(self, prefix: str, numbers: range) -> None:
        """Take what stands before each number."""
        self._prefix, self._numbers = prefix, numbers

    def __len__(self) -> int:
        """The number of names."""
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Numbered: ...

    def __getitem__(self, index: int | slice) -> str | Numbered:
        """A name, or some of them."""
        found = self._numbers[index]
        return Numbered(self._prefix, found) if isinstance(found, range) else self._name(found)

    def __iter__(self) -> Iterator[str]:
        """The names, made one after another."""
        return map(self._name, self._numbers)

    def __eq__(self, other: object) -> bool:
        """Whether all names are equal."""
        if isinstance(other, Numbered):
            return (self._prefix, self._numbers) == (other._prefix, other._numbers)
        if not isinstance(other, tuple) or len(self) != len(other):
            return False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    def __hash__(self) -> int:
        """That of the tuple which it equals."""
        return hash(tuple(self))

    def __repr__(self) -> str:
        """The prefix and the numbers."""
        return f"Numbered({self._prefix!r}, {self._numbers!r})"

    def _name(self, number: int) -> str:
        return f"{self._prefix}{number}"

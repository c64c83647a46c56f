"""Parts of other libraries that these do not promise to keep.

Each library that we take such parts from has one adapter, and everything else asks the adapter.
It names the versions that were tested, which `pyproject.toml` allows and no others, so that a
part that is missing in another version is missed in one place, and in a sentence.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from typing import Any


class MissingPartError(ValueError):
    """An installed version of a library has no part that is needed."""


@dataclass(frozen=True)
class Library:
    """A library with the versions that were tested.

    Parameters
    ----------
    package
        What it is called.
    least, below
        The first version that was tested, and the first after all that were.
    parts
        What was asked for, as MODULE:ATTRIBUTE.

    Examples
    --------
    >>> numpy = Library("numpy", "2.0", "3")
    >>> concatenate = numpy.part("numpy._core.multiarray:concatenate")
    >>> concatenate.get()([[1], [2]])
    array([1, 2])
    """

    package: str
    least: str
    below: str
    parts: list[Part] = field(default_factory=list, compare=False, repr=False)

    @property
    def requirement(self) -> str:
        """The versions, as installers take them."""
        return f"{self.package}>={self.least},<{self.below}"

    def part(self, path: str) -> Part:
        """A part that is imported when it is used: MODULE, or MODULE:ATTRIBUTE."""
        made = Part(self, path)
        self.parts.append(made)
        return made

    def missing(self, what: str) -> MissingPartError:
        """The error about something that an installed version has not."""
        return MissingPartError(
            f"{self.package} must have {what}, but {self.package} {version(self.package)} has not: "
            f"install {self.requirement}"
        )

    def check(self) -> None:
        """Raise a MissingPartError unless all parts are there."""
        for part in self.parts:
            part.get()


@dataclass(frozen=True)
class Part:
    """A part of a library."""

    owner: Library
    path: str

    def get(self) -> Any:
        """The part as it is now."""
        module, _, attributes = self.path.partition(":")
        try:
            found: Any = import_module(module)
            for name in attributes.split(".") if attributes else ():
                found = getattr(found, name)
        except (ImportError, AttributeError) as error:
            raise self.owner.missing(self.path.replace(":", ".")) from error
        return found

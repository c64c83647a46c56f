"""Private parts of other libraries, which may change without notice.

Each library has one adapter, and all other code uses the adapter. It names the tested versions,
which are the only ones that `pyproject.toml` allows. A part that is missing in another version
therefore causes one clear error in one place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from typing import Any


class MissingPartError(ValueError):
    """An installed version of a library lacks a part that is needed."""


@dataclass(frozen=True)
class Library:
    """A library and its tested versions.

    Parameters
    ----------
    package
        The name of the package.
    least, below
        The first tested version, and the first version after the tested ones.
    parts
        The parts requested so far, as MODULE:ATTRIBUTE.

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
        """The version range as a requirement for installers."""
        return f"{self.package}>={self.least},<{self.below}"

    def part(self, path: str) -> Part:
        """Declare a part that is imported on use: MODULE, or MODULE:ATTRIBUTE."""
        made = Part(self, path)
        self.parts.append(made)
        return made

    def missing(self, what: str) -> MissingPartError:
        """Return the error about a part that the installed version lacks."""
        return MissingPartError(
            f"{self.package} must have {what}, but {self.package} {version(self.package)} "
            f"lacks it: install {self.requirement}"
        )

    def check(self) -> None:
        """Raise a MissingPartError unless all parts can be imported."""
        for part in self.parts:
            part.get()


@dataclass(frozen=True)
class Part:
    """A part of a library."""

    owner: Library
    path: str

    def get(self) -> Any:
        """Return the part, imported now."""
        module, _, attributes = self.path.partition(":")
        try:
            found: Any = import_module(module)
            for name in attributes.split(".") if attributes else ():
                found = getattr(found, name)
        except (ImportError, AttributeError) as error:
            raise self.owner.missing(self.path.replace(":", ".")) from error
        return found

"""Something that a developer adds to the project."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Addition:
    """Something new.

    Parameters
    ----------
    kind
        As the table of docs/extending.md calls it.
    files
        New files, by their paths.
    edits
        What is replaced in files that are there, by their paths: old and new text.
    program
        Uses it; must print "works".
    environment
        What the program needs.
    """

    kind: str
    files: dict[str, str]
    edits: dict[str, list[tuple[str, str]]]
    program: str
    environment: dict[str, str] | None = None

"""Markdown tables, with what is needed to repeat a measurement."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

from booster.machine_code import cache_folder
from topk_tune.provenance.facts import processor

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"

_NEXT = "\n## "
"""What the next section of a page begins with."""


def provenance(command: str, seeds: str) -> str:
    """How the figures were made: command, seeds, versions and machine.

    The kernels are named by the digest of their sources, which is what figures depend on.
    """
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba"))
    return (
        f"Made by `{command}` with kernels {cache_folder().name}; {seeds}; "
        f"Python {platform.python_version()}, {packages}; {processor()}."
    )


def write(name: str, text: str) -> None:
    """Print a page and keep it under docs/results."""
    print(text)
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / name).write_text(text + "\n", encoding="utf-8")


def section(name: str, heading: str) -> str:
    """A section of a page under docs/results, without blank lines at its ends; empty if none."""
    page = RESULTS / name
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    _, found, rest = text.partition(f"{heading}\n")
    return f"{heading}\n{rest.partition(_NEXT)[0]}".strip() if found else ""


def write_section(name: str, text: str) -> None:
    """Print a section that begins with its heading, and keep it in place of the one before."""
    print(text)
    page, before = RESULTS / name, section(name, text.partition("\n")[0])
    whole = page.read_text(encoding="utf-8").rstrip()
    whole = whole.replace(before, text) if before else f"{whole}\n\n{text}"
    page.write_text(whole + "\n", encoding="utf-8")

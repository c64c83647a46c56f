"""Markdown tables, with what is needed to repeat a measurement."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

from booster.machine_code import cache_folder
from topk_tune.provenance.facts import processor

RESULTS = Path(__file__).resolve().parents[1] / "docs" / "results"


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

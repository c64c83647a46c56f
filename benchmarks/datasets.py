"""The published data sets, as far as they are at hand."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topk_tune.data import load

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"

Parts = dict[str, NDArray[Any]]
"""X_train, Y_train, X_test and Y_test."""


def available() -> tuple[str, ...]:
    """The names of the data sets at hand; says so if that is Yeast alone."""
    if SHARED.is_dir():
        return ("emotions", "scene", "yeast", "m_reduced", "mediamill")
    print("The published data sets are not in ../shared/data: only Yeast, as river ships it.")
    return ("yeast",)


def small() -> list[str]:
    """Those at hand on which the paper has all four algorithms."""
    return [name for name in available() if name != "mediamill"]


@cache
def parts(name: str) -> Parts:
    """The rows of a data set."""
    if not SHARED.is_dir():
        data = load(name)
        names = ("X_train", "Y_train", "X_test", "Y_test")
        return {part: getattr(data, part) for part in names}
    if name == "m_reduced":
        return _reduced(parts("mediamill"))
    with np.load(SHARED / f"{name}.npz", allow_pickle=False) as file:
        return {part: file[part] for part in file.files}


def _reduced(mediamill: Parts) -> Parts:
    """The rows of Mediamill that the authors of the paper used."""
    rows = json.loads((SHARED / "m_reduced_rows.json").read_text(encoding="utf-8"))
    return {part: values[rows[part.split("_")[1]]] for part, values in mediamill.items()}

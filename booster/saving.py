"""Save a booster to one file: NumPy arrays and a JSON header, no pickle."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from booster.features import dense_rows
from booster.tables import ALGORITHMS

if TYPE_CHECKING:  # it has a method that saves it
    from booster.template import Booster

FORMAT = "topk-tune booster 5"
HEADER = "header"
PENDING = "pending"


def save(booster: Booster, file: str | Path | BinaryIO) -> None:
    """Write a booster to a file; `load` rebuilds what its parameters and seed determine.

    The write to a path is atomic: the file is complete or absent.
    """
    algorithm = ALGORITHMS.name_of(type(booster))
    if algorithm is None:
        known = ", ".join(ALGORITHMS)
        raise ValueError(f"a booster to be saved must be one of {known}, but got {type(booster)}")
    header = {
        "format": FORMAT,
        "algorithm": algorithm,
        "parameters": booster.parameters | {"trees": asdict(booster.trees)},
        "rounds": booster.rounds,
    }
    arrays = dict(_named(booster._state()))
    if booster._pending is not None:
        arrays[PENDING] = dense_rows(booster._pending, booster.n_features)[0]
    content = {HEADER: np.array(json.dumps(header)), **arrays}
    if not isinstance(file, str | Path):
        np.savez(file, allow_pickle=False, **content)
        return
    path = Path(file).resolve()  # write to the target of a link, do not replace the link
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as opened:
            np.savez(opened, allow_pickle=False, **content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _named(state: Any, prefix: str = "") -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the arrays of nested named tuples by dotted name."""
    for name, value in state._asdict().items():
        if isinstance(value, np.ndarray):
            yield prefix + name, value
        else:
            yield from _named(value, f"{prefix}{name}.")

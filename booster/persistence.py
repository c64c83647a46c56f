"""A booster to and from one file: NumPy arrays and a JSON header, no pickle."""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from booster.consistency import check_state
from booster.learners import TreeRanges
from booster.parameters import whole
from booster.tables import ALGORITHMS, LEARNERS

if TYPE_CHECKING:
    from booster.template import Booster

FORMAT = "topk-tune booster 3"
WITHOUT_ROWS = "topk-tune booster 2"
"""Before it, what a round explores did not depend on the row: a prediction that was pending then
would be made anew as another one, and is left out."""
HEADER = "header"
PENDING = "pending"
GROWING = ("forest.nodes", "forest.rows.", "forest.slots.", "forest.free")
"""Arrays of any length."""


def save(booster: Booster, path: str | Path) -> None:
    """Write a booster; what its parameters and seed determine is made again by `load`.

    The file appears whole or not at all.
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
        arrays[PENDING] = booster._pending
    path = Path(path).resolve()  # what a link leads to is written, not the link
    partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as file:
            np.savez(file, allow_pickle=False, **{HEADER: np.array(json.dumps(header))}, **arrays)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def load(path: str | Path) -> Booster:
    """Read a booster that `Booster.save` wrote; it goes on bit for bit.

    One of an earlier version is read with all that it has learned; what it explores from then on,
    and how ties are ranked, is as in this version.

    Raises a ValueError for any other file. Nothing in the file is executed.
    """
    content = Path(path).read_bytes()
    try:
        return _parse(content)
    except Exception as error:  # a damaged archive raises errors of a dozen kinds
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"{path} must be a saved booster, but {reason}") from error


def _parse(content: bytes) -> Booster:
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise ValueError("it is no archive of arrays")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(str(arrays.pop(HEADER)))
    if header["format"] not in (FORMAT, WITHOUT_ROWS):
        raise ValueError(f"its format is {header['format']!r}, not {FORMAT!r}")
    booster = _blank(header)
    state = _filled(booster._state(), arrays)
    check_state(state, booster.n_features)
    booster._restore(state, whole("rounds", header["rounds"], 0, math.inf))
    if PENDING in arrays and header["format"] == FORMAT:
        booster.predict(arrays[PENDING])
    return booster


def _blank(header: dict[str, Any]) -> Booster:
    from booster.template import Booster

    parameters = dict(header["parameters"])
    if "learner" in parameters:
        LEARNERS.listed(parameters["learner"])
    algorithm = ALGORITHMS.load(ALGORITHMS.listed(header["algorithm"]))
    if not (isinstance(algorithm, type) and issubclass(algorithm, Booster)):
        raise ValueError(f"algorithm {header['algorithm']!r} is no booster")
    ranges = {name: tuple(limits) for name, limits in parameters.pop("trees").items()}
    return algorithm(**parameters, trees=TreeRanges(**ranges))


def _named(state: Any, prefix: str = "") -> Iterator[tuple[str, NDArray[Any]]]:
    """The arrays of nested named tuples, by dotted names."""
    for name, value in state._asdict().items():
        if isinstance(value, np.ndarray):
            yield prefix + name, value
        else:
            yield from _named(value, f"{prefix}{name}.")


def _filled(state: Any, arrays: dict[str, NDArray[Any]], prefix: str = "") -> Any:
    """`state` with the arrays read, each of the type and width that it has there."""
    values = {}
    for name, value in state._asdict().items():
        if not isinstance(value, np.ndarray):
            values[name] = _filled(value, arrays, f"{prefix}{name}.")
            continue
        array = values[name] = np.ascontiguousarray(arrays[prefix + name])
        first = 1 if (prefix + name).startswith(GROWING) else 0
        fits = array.ndim == value.ndim and array.shape[first:] == value.shape[first:]
        if array.dtype != value.dtype or not fits:
            raise ValueError(f"its {prefix + name} is {array.dtype}{array.shape}")
    return type(state)(**values)

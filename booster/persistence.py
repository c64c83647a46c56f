"""A booster from the file that `saving` wrote."""

from __future__ import annotations

import io
import json
import math
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.consistency import check_state
from booster.learners import TreeRanges
from booster.parameters import whole
from booster.saving import FORMAT, HEADER, PENDING
from booster.tables import ALGORITHMS, LEARNERS
from booster.template import Booster

WITHOUT_ROWS = "topk-tune booster 2"
"""Before it, what a round explores did not depend on the row: a prediction that was pending then
would be made anew as another one, and is left out."""
GROWING = ("forest.nodes", "forest.rows.", "forest.slots.", "forest.free")
"""Arrays of any length."""


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
    parameters = dict(header["parameters"])
    if "learner" in parameters:
        LEARNERS.listed(parameters["learner"])
    algorithm = ALGORITHMS.load(ALGORITHMS.listed(header["algorithm"]))
    if not (isinstance(algorithm, type) and issubclass(algorithm, Booster)):
        raise ValueError(f"algorithm {header['algorithm']!r} is no booster")
    ranges = {name: tuple(limits) for name, limits in parameters.pop("trees").items()}
    return algorithm(**parameters, trees=TreeRanges(**ranges))


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

"""Load a booster from the file that `Booster.save` wrote."""

from __future__ import annotations

import io
import json
import math
import zipfile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from booster.consistency import check_state
from booster.earlier_formats import EARLIER, WITHOUT_ROWS, complete
from booster.learners import TreeRanges
from booster.parameters import whole
from booster.saving import FORMAT, HEADER, PENDING
from booster.tables import ALGORITHMS, LEARNERS
from booster.template import Booster

POOLS = (
    *("forest.entries.key", "forest.entries.value", "forest.cells.key", "forest.cells.value"),
    "forest.notes.word",
)
GROWING = ("forest.nodes", "forest.rows.", "forest.slots.", "forest.free", *POOLS)
"""Names of the arrays that may have any length."""


def load(file: str | Path | BinaryIO) -> Booster:
    """Read a booster that `Booster.save` wrote; it continues bit for bit.

    A booster of an earlier version keeps all that it has learned. From then on it explores and
    breaks ties like this version.

    Raises a ValueError for any other file. Nothing in the file is executed.
    """
    content = Path(file).read_bytes() if isinstance(file, str | Path) else file.read()
    try:
        return _parse(content)
    except Exception as error:  # a damaged archive can raise many kinds of errors
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"{file} must be a saved booster, but {reason}") from error


def _parse(content: bytes) -> Booster:
    if not zipfile.is_zipfile(io.BytesIO(content)):
        raise ValueError("it is not an archive of arrays")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(str(arrays.pop(HEADER)))
    if header["format"] not in (FORMAT, *EARLIER):
        raise ValueError(f"its format is {header['format']!r}, not {FORMAT!r}")
    booster = _blank(header)
    if header["format"] in EARLIER:
        complete(arrays, booster._state().forest)
    state = _filled(booster._state(), arrays)
    check_state(state, booster._forest.trees, booster.n_features)
    booster._restore(state, whole("rounds", header["rounds"], 0, math.inf))
    if PENDING in arrays and header["format"] != WITHOUT_ROWS:
        booster.predict(arrays[PENDING])
    return booster


def _blank(header: dict[str, Any]) -> Booster:
    parameters = dict(header["parameters"])
    if "learner" in parameters:
        LEARNERS.listed(parameters["learner"])
    algorithm = ALGORITHMS.load(ALGORITHMS.listed(header["algorithm"]))
    if not (isinstance(algorithm, type) and issubclass(algorithm, Booster)):
        raise ValueError(f"algorithm {header['algorithm']!r} is not a booster")
    ranges = {name: tuple(limits) for name, limits in parameters.pop("trees").items()}
    return algorithm(**parameters, trees=TreeRanges(**ranges))


def _filled(state: Any, arrays: dict[str, NDArray[Any]], prefix: str = "") -> Any:
    """Return `state` with the arrays that were read, each of the expected type and width."""
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

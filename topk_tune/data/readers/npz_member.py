"""An array of a NumPy archive, checked and converted block by block while it is unpacked."""

from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from topk_tune.data.readers.errors import refused

ARCHIVE_RULE = "the file must be an archive of NumPy arrays without objects"
_BLOCK_BYTES = 2**22

Convert = Callable[[NDArray[Any], NDArray[Any]], NDArray[np.bool_]]
"""Writes a block to its place; returns which values were legal."""


class Member:
    """An array that is read in blocks.

    Parameters
    ----------
    path, name
        The archive, and the name of the array in it.
    file
        The array, with its header.
    dimensions
        How many it must have, 1 or 2.
    """

    def __init__(self, path: Path, name: str, file: IO[bytes], dimensions: int = 2) -> None:
        self._path, self._name, self._file = path, name, file
        self.shape, self._columns_first, self._dtype = read_header(path, name, file)
        if self._dtype.kind not in "fiub":
            rule = "an array must have floats, integers or booleans"
            raise refused(path, name, rule, f"the type {self._dtype}")
        if dimensions == 1 and len(self.shape) != 1:
            raise refused(path, name, "an array must be a list", f"the shape {self.shape}")
        if dimensions == 2 and (len(self.shape) != 2 or self.shape[1] < 1):
            rule = "an array must have one row per example and at least one column"
            raise refused(path, name, rule, f"the shape {self.shape}")

    @property
    def kind(self) -> str:
        """The kind of its values, as NumPy calls it."""
        return str(self._dtype.kind)

    def read_into(self, array: NDArray[Any], rule: str, convert: Convert) -> None:
        """Read the values into an array; they may be rounded, but not otherwise changed."""
        rows = array if array.ndim == 2 else array[:, np.newaxis]
        target = rows.T if self._columns_first and array.ndim == 2 else rows
        width = target.shape[1] * self._dtype.itemsize
        step = max(1, _BLOCK_BYTES // width)
        for start in range(0, len(target), step):
            stop = min(start + step, len(target))
            content = self._file.read((stop - start) * width)
            if len(content) < (stop - start) * width:
                raise refused(self._path, self._name, ARCHIVE_RULE, "an array that ends early")
            block = np.frombuffer(content, self._dtype).reshape(stop - start, -1)
            good = convert(block, target[start:stop])
            if not good.all():
                row, column = (int(i) for i in np.argwhere(~good)[0])
                place = self._place(start + row, column, array.ndim)
                raise refused(self._path, place, rule, str(block[row, column]))
        # The archive verifies its checksum when it is read to the end.
        if self._file.read(1):
            raise refused(self._path, self._name, ARCHIVE_RULE, "bytes after the array")

    def _place(self, row: int, column: int, dimensions: int) -> str:
        if dimensions == 1:
            return f"{self._name}[{row}]"
        where = (column, row) if self._columns_first else (row, column)
        return f"{self._name}[{where[0]}, {where[1]}]"


def read_header(
    path: Path, name: str, file: IO[bytes]
) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Read the shape, the order and the type of an array, before anything is unpacked."""
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    version = npy.read_magic(file)
    if version not in readers:
        raise refused(path, name, "an array must have format 1.0 or 2.0", str(version))
    found: tuple[tuple[int, ...], bool, np.dtype[Any]] = readers[version](file)
    return found


def to_features(block: NDArray[Any], target: NDArray[Any]) -> NDArray[np.bool_]:
    """Write features, which must be finite."""
    with np.errstate(over="ignore"):  # overflows become infinite and are refused
        target[:] = block
    return np.asarray(np.isfinite(target))


def to_labels(block: NDArray[Any], target: NDArray[Any]) -> NDArray[np.bool_]:
    """Write labels, which must be 0 or 1."""
    good = (block == 0) | (block == 1)
    target[:] = good & (block == 1)
    return np.asarray(good)


def to_places(most: int) -> Convert:
    """Write whole numbers from 0 to `most`."""

    def convert(block: NDArray[Any], target: NDArray[Any]) -> NDArray[np.bool_]:
        good = (block >= 0) & (block <= most)
        target[:] = np.where(good, block, 0)
        return np.asarray(good)

    return convert

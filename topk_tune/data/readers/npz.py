"""NumPy archives: the arrays `X` and `Y`, or both of them for `_train` and `_test`."""

import errno
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from topk_tune.data.errors import DataError
from topk_tune.data.readers.columns import Labels
from topk_tune.data.readers.errors import refused
from topk_tune.data.readers.table import FEATURE_RULE, LABEL_RULE, Table, allocate

_BLOCK_BYTES = 2**22
_RULE = "the file must be an archive of NumPy arrays without objects"
# The errors of damaged or encrypted archives, besides ValueError and EOFError.
_FAULTS = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError)


def read_archives(paths: Sequence[Path], labels: Labels = None) -> list[Table]:
    """Read the parts of a data set: two archives, or one that may hold both."""
    if labels is not None:
        rule = "labels cannot be used with an archive of arrays"
        raise refused(paths[0], None, rule, repr(labels))
    tables = [read_npz(path) for path in paths]
    if len(paths) > 1 and any(len(each) > 1 for each in tables):
        rule = "each of two archives must have X and Y only"
        raise refused(paths[0], None, rule, "an archive with its own test part")
    return [table for each in tables for table in each]


def read_npz(path: Path) -> list[Table]:
    """Read one table from `X` and `Y`, or the training and the test part from four arrays.

    Columns are named feature_1, feature_2, ... and label_1, label_2, ...
    """
    with _refusing_faults(path), zipfile.ZipFile(path) as archive:
        names = {name[:-4] for name in archive.namelist() if name.endswith(".npy")}
        parts = ("_train", "_test") if "X_train" in names else ("",)
        if not names.issuperset(letter + part for part in parts for letter in "XY"):
            rule = "an archive must have X and Y, or X_train, Y_train, X_test and Y_test"
            raise refused(path, None, rule, ", ".join(sorted(names)) or "no array")
        return [_read_table(path, archive, part) for part in parts]


@contextmanager
def _refusing_faults(path: Path) -> Iterator[None]:
    try:
        yield
    except DataError:
        raise
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        raise refused(path, None, _RULE, "a directory that points before the file") from None
    except _FAULTS as error:
        raise refused(path, None, _RULE, str(error) or type(error).__name__) from None


def _read_table(path: Path, archive: zipfile.ZipFile, part: str) -> Table:
    x_name, y_name = "X" + part, "Y" + part
    with archive.open(f"{x_name}.npy") as x_file, archive.open(f"{y_name}.npy") as y_file:
        x_member = _Member(path, x_name, x_file)
        y_member = _Member(path, y_name, y_file)
        (rows, n_features), (y_rows, n_labels) = x_member.shape, y_member.shape
        if rows != y_rows:
            rule = f"{y_name} must have {rows} rows, as many as {x_name}"
            raise refused(path, y_name, rule, str(y_rows))
        X, Y = allocate(path, rows, n_features, n_labels)
        x_member.read_into(X, FEATURE_RULE)
        y_member.read_into(Y, LABEL_RULE)
    features = tuple(f"feature_{i + 1}" for i in range(n_features))
    return Table(X, Y, features, tuple(f"label_{i + 1}" for i in range(n_labels)))


class _Member:
    """An array of the archive, converted block by block while it is unpacked."""

    def __init__(self, path: Path, name: str, file: IO[bytes]) -> None:
        """Read and check the header before anything is unpacked."""
        self._path, self._name, self._file = path, name, file
        readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
        version = npy.read_magic(file)
        if version not in readers:
            raise refused(path, name, "an array must have format 1.0 or 2.0", str(version))
        self.shape, self._columns_first, self._dtype = readers[version](file)
        if self._dtype.kind not in "fiub":
            rule = "an array must have floats, integers or booleans"
            raise refused(path, name, rule, f"the type {self._dtype}")
        if len(self.shape) != 2 or self.shape[1] < 1:
            rule = "an array must have one row per example and at least one column"
            raise refused(path, name, rule, f"the shape {self.shape}")

    def read_into(self, array: NDArray[Any], rule: str) -> None:
        """Read the values into an array; they may be rounded, but not otherwise changed."""
        target = array.T if self._columns_first else array
        width = target.shape[1] * self._dtype.itemsize
        step = max(1, _BLOCK_BYTES // width)
        for start in range(0, len(target), step):
            stop = min(start + step, len(target))
            content = self._file.read((stop - start) * width)
            if len(content) < (stop - start) * width:
                raise refused(self._path, self._name, _RULE, "an array that ends early")
            block = np.frombuffer(content, self._dtype).reshape(stop - start, -1)
            good = _convert(block, target[start:stop])
            if not good.all():
                row, column = (int(i) for i in np.argwhere(~good)[0])
                where = (column, start + row) if self._columns_first else (start + row, column)
                place = f"{self._name}[{where[0]}, {where[1]}]"
                raise refused(self._path, place, rule, str(block[row, column]))
        # The archive verifies its checksum when it is read to the end.
        if self._file.read(1):
            raise refused(self._path, self._name, _RULE, "bytes after the array")


def _convert(block: NDArray[Any], target: NDArray[Any]) -> NDArray[np.bool_]:
    """Write a block of features or labels; returns which values were legal."""
    if target.dtype == np.uint8:
        good = (block == 0) | (block == 1)
        target[:] = good & (block == 1)
        return np.asarray(good)
    with np.errstate(over="ignore"):  # overflows become infinite and are refused
        target[:] = block
    return np.asarray(np.isfinite(target))

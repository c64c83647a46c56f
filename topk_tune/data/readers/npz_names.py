"""The names of columns in a NumPy archive."""

import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.lib import format as npy

from topk_tune.data.numbered import Numbered
from topk_tune.data.readers.npz_member import read_header

_MOST_BYTES = 2**28


def read_names(path: Path, archive: zipfile.ZipFile, kind: str, count: int) -> Sequence[str]:
    """Read the names of features or labels; numbers, if the archive has none that fit.

    Archives may have arrays of this name for other purposes.
    """
    found = _texts(path, archive, f"{kind}_names", count)
    usable = len(found) == count and all(found) and len(set(found)) == count
    return found if usable else Numbered(f"{kind}_", range(1, count + 1))


def _texts(path: Path, archive: zipfile.ZipFile, name: str, count: int) -> tuple[str, ...]:
    member = f"{name}.npy"
    if member not in archive.namelist():
        return ()
    with archive.open(member) as file:
        shape, _, dtype = read_header(path, name, file)
    if shape != (count,) or dtype.kind != "U" or count * dtype.itemsize > _MOST_BYTES:
        return ()
    with archive.open(member) as file:
        texts = npy.read_array(file, allow_pickle=False)
    return tuple(map(str, np.asarray(texts)))

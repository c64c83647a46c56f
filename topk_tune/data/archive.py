"""Data sets as NumPy archives, which are read like those of users."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from topk_tune.data.csr_arrays import to_arrays
from topk_tune.data.dataset import ARRAYS, Dataset
from topk_tune.data.numbered import Numbered

NAMES = ("feature_names", "label_names")
"""The arrays with the names of columns, unless these are numbers."""


def write_archive(data: Dataset, path: Path) -> None:
    """Store a data set. The file is renamed when complete, so a partial one is never read."""
    arrays: dict[str, Any] = {}
    for name in ARRAYS:
        arrays |= to_arrays(name, getattr(data, name))
    for name in NAMES:
        arrays |= _written(name, getattr(data, name))
    unfinished = path.with_name(f"unfinished-{path.name}")
    # Uncompressed, so that Mediamill loads in a tenth of a second.
    np.savez(unfinished, **arrays)
    unfinished.replace(path)


def _written(name: str, names: Sequence[str]) -> dict[str, Any]:
    return {} if isinstance(names, Numbered) else {name: np.array(list(names), dtype=np.str_)}

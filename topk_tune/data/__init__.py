"""Multilabel data sets, split into a training and a test part."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from topk_tune.data.arrays import from_memory
    from topk_tune.data.catalog import load, names
    from topk_tune.data.dataset import Dataset
    from topk_tune.data.document_rows import documents
    from topk_tune.data.errors import DataError
    from topk_tune.data.observers import mostly_zero, suggested_observer
    from topk_tune.data.rows import sparse_rows
    from topk_tune.data.split import Validation, hold_out
    from topk_tune.data.streams import synthetic

__all__ = [
    "DataError",
    "Dataset",
    "Validation",
    "documents",
    "from_memory",
    "hold_out",
    "load",
    "mostly_zero",
    "names",
    "sparse_rows",
    "suggested_observer",
    "synthetic",
]

_HOMES = {
    "DataError": "errors",
    "Dataset": "dataset",
    "Validation": "split",
    "documents": "document_rows",
    "from_memory": "arrays",
    "hold_out": "split",
    "load": "catalog",
    "mostly_zero": "observers",
    "names": "catalog",
    "sparse_rows": "rows",
    "suggested_observer": "observers",
    "synthetic": "streams",
}


def __getattr__(name: str) -> Any:
    """Import it when it is first asked for: a list of formats needs no NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    return found

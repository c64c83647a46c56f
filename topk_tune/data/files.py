"""Data sets from the user's own files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.dataset import Dataset
from topk_tune.data.formats import READERS, TOGETHER, ending
from topk_tune.data.readers.columns import Labels, parse_labels
from topk_tune.data.readers.errors import refused
from topk_tune.data.readers.parts import find_parts, without_part
from topk_tune.data.readers.sparse import in_one_form
from topk_tune.data.readers.table import Table, sound
from topk_tune.data.rows import RowIndex, is_sparse, take
from topk_tune.data.split import DEFAULT_TEST, split_rows

# Rows are reordered a few columns at a time, to avoid a second copy of the whole array.
_REORDER_BYTES = 2**24


def read_files(
    path: str | Path,
    *,
    labels: str | int | Sequence[str] | None = None,
    split: str | None = None,
    name: str | None = None,
) -> Dataset:
    """Read a folder with a training and a test part, or one file that is then split.

    Parameters
    ----------
    path
        The folder or the file; its suffix determines the format.
    labels
        The label columns: their number if they come last, their names, or a common prefix. In a
        string, "6" is a number and "sad,angry" are names.
    split
        The rule that selects test rows, if the file has no test part.
    name
        The name of the data set; by default that of the files or the folder.
    """
    path = Path(path)
    parts = find_parts(path)
    tables = read_tables(parts, parse_labels(labels))
    if len(tables) == 1:
        train, test = split_table(tables[0], split or DEFAULT_TEST)
    elif split is None:
        train, test = tables
        _check_columns(parts[-1], train, test)
    else:
        raise refused(path, None, "split cannot be used with a test part", repr(split))
    found = without_part(parts[0].stem) or parts[0].absolute().parent.name
    return dataset_of(name or found, train, test)


def dataset_of(name: str, train: Table, test: Table) -> Dataset:
    """Make a data set of its two parts, which have the same columns."""
    return Dataset(
        name=name,
        X_train=train.X,
        Y_train=train.Y,
        X_test=test.X,
        Y_test=test.Y,
        feature_names=train.feature_names,
        label_names=train.label_names,
    )


def read_tables(parts: list[Path], labels: Labels = None) -> list[Table]:
    """Read the parts of a data set as they are, without a split."""
    reader = READERS[ending(parts[0])]
    read = READERS.load(reader.name)
    if TOGETHER in reader.traits:
        return in_one_form(read(parts, labels))
    tables = [read(part, labels) for part in parts]
    if reader.name not in READERS.own:  # ours check every value as they read it
        tables = [sound(part, table) for part, table in zip(parts, tables, strict=True)]
    return in_one_form(tables)


def _check_columns(path: Path, train: Table, test: Table) -> None:
    for kind, ours, theirs in (
        ("features", train.feature_names, test.feature_names),
        ("labels", train.label_names, test.label_names),
    ):
        if ours != theirs:
            rule = f"the test part must have the {len(ours)} {kind} of the training part, in order"
            known = set(ours)
            different = [name for name in theirs if name not in known]
            got = f"{len(theirs)}" + (f", with {different[0]!r}" if different else "")
            raise refused(path, None, rule, got)


def split_table(table: Table, rule: str) -> tuple[Table, Table]:
    """Split rows into a training and a test part; a random rule reorders dense arrays in place."""
    kept, held = split_rows(len(table.Y), rule)
    if isinstance(kept, np.ndarray) and isinstance(held, np.ndarray) and not is_sparse(table.X):
        order, n_kept = np.concatenate([kept, held]), len(kept)
        _reorder(table.X, order)
        _reorder(table.Y, order)
        kept, held = slice(0, n_kept), slice(n_kept, None)
    return _take(table, kept), _take(table, held)


def _reorder(array: NDArray[Any], order: NDArray[np.intp]) -> None:
    step = max(1, _REORDER_BYTES // (len(array) * array.itemsize))
    for start in range(0, array.shape[1], step):
        array[:, start : start + step] = array[order, start : start + step]


def _take(table: Table, rows: RowIndex) -> Table:
    return Table(take(table.X, rows), table.Y[rows], table.feature_names, table.label_names)

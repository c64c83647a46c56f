"""Multilabel libsvm text: `1,3 4:0.5 7:1.2` is a row with two labels and two features."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from topk_tune.data.numbered import Numbered
from topk_tune.data.readers.columns import Labels
from topk_tune.data.readers.errors import refused
from topk_tune.data.readers.libsvm_rows import read_rows
from topk_tune.data.readers.sparse import SparseFiller
from topk_tune.data.readers.table import Table, allocate
from topk_tune.data.rows import pays


@dataclass
class _Ids:
    """The smallest and the largest id seen."""

    least: int = 1
    greatest: int = 0

    def see(self, ids: Sequence[int]) -> None:
        if ids:
            self.least = min(self.least, *ids)
            self.greatest = max(self.greatest, *ids)

    @property
    def columns(self) -> range:
        """The columns: ids start at 0 if the id 0 occurs, and at 1 otherwise."""
        return range(self.least, self.greatest + 1)


@dataclass
class _Size:
    """The rows of a part, and its values that are not zero."""

    rows: int = 0
    values: int = 0


def read_libsvm(paths: Sequence[Path], labels: Labels = None) -> list[Table]:
    """Read the parts of a data set together, so that an id is the same column in all of them.

    Ids start at 0 if the id 0 occurs in any part and at 1 otherwise, separately for labels and
    features. There is a column for each id up to the largest, or for as many labels as are given.
    A column is named by its id. Rows are held sparse if that pays; see `topk_tune.data.rows`.
    """
    if labels is not None and not isinstance(labels, int):
        rule = "labels must be a number for libsvm files"
        raise refused(paths[0], None, rule, repr(labels))
    seen, features = _Ids(), _Ids()
    sizes = []
    for path in paths:
        size = _Size()
        for row in read_rows(path):
            seen.see(row.labels)
            features.see(row.features)
            size.rows += 1
            size.values += len(row.values) - row.values.count(0.0)
        sizes.append(size)
    label_columns = _label_columns(paths[0], seen, labels)
    if not features.columns:
        raise refused(
            paths[0], None, "a data set must have at least one feature", "none in any part"
        )
    cells = sum(size.rows for size in sizes) * len(features.columns)
    read = _read_sparse if pays(sum(size.values for size in sizes), cells) else _read_dense
    return [
        read(path, size, label_columns, features.columns)
        for path, size in zip(paths, sizes, strict=True)
    ]


def _label_columns(path: Path, labels: _Ids, n_labels: int | None) -> range:
    if n_labels is None:
        if not labels.columns:
            raise refused(path, None, "a data set must have at least one label", "none in any part")
        return labels.columns
    if n_labels < max(1, len(labels.columns)):
        rule = f"the number of labels must be at least {len(labels.columns)}, as in the rows"
        raise refused(path, None, rule, str(n_labels))
    return range(labels.least, labels.least + n_labels)


def _read_dense(path: Path, size: _Size, labels: range, features: range) -> Table:
    X, Y = allocate(path, size.rows, len(features), len(labels))
    for i, row in enumerate(read_rows(path)):
        X[i, [feature - features.start for feature in row.features]] = row.values
        Y[i, [label - labels.start for label in row.labels]] = 1
    return Table(X, Y, Numbered("", features), Numbered("", labels))


def _read_sparse(path: Path, size: _Size, labels: range, features: range) -> Table:
    filler = SparseFiller(path, size.rows, size.values, len(features), len(labels))
    for i, row in enumerate(read_rows(path)):
        values = np.array(row.values, np.float32)
        columns = np.array(row.features, np.int32) - features.start
        filler.put(columns, values, [values.size])
        filler.Y[i, [label - labels.start for label in row.labels]] = 1
    return filler.table(Numbered("", features), Numbered("", labels))

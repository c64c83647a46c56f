"""A log as a data set: the last rows are its test part, and feedback stands for labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np

from booster.logs import NOTHING, count_pairs
from topk_tune.data.dataset import Dataset
from topk_tune.data.logs.feedback import Feedback
from topk_tune.data.logs.file import LogFile
from topk_tune.data.numbered import Numbered
from topk_tune.data.row_groups import row_groups
from topk_tune.data.rows import FeatureRows, is_sparse, sparse_rows, take
from topk_tune.data.split import DEFAULT_TEST, split_groups


def read_log(path: str | Path, split: str | None = None) -> Dataset:
    """Read a whole log into memory; `split` selects its test rows.

    Rows with the same features are all in the test part or all in the training part.
    """
    log = LogFile.open(path)
    batches = list(log.batches())
    width = max(each.rows.shown.shape[1] for each in batches)
    feedback = Feedback(
        _stacked([each.rows.shown for each in batches], width, NOTHING),
        _stacked([each.rows.bits for each in batches], width, 0),
        _stacked([each.rows.pairs for each in batches], count_pairs(width), 0.0),
        log.header.n_labels,
    )
    X = _features([each.features for each in batches])
    return dataset_of(log.path.stem, X, feedback, tuple(log.header.labels), split)


def dataset_of(
    name: str, X: FeatureRows, feedback: Feedback, labels: Sequence[str], split: str | None
) -> Dataset:
    """Return the data set of the rows of a log."""
    kept, held = split_groups(row_groups(X), split or DEFAULT_TEST)
    # Rooms that take rows and count labels treat both alike; those that read labels ask first.
    train, test = (cast("Any", feedback[rows]) for rows in (kept, held))
    return Dataset(
        name=name,
        X_train=take(X, kept),
        Y_train=train,
        X_test=take(X, held),
        Y_test=test,
        feature_names=Numbered("feature_", range(1, X.shape[1] + 1)),
        label_names=labels,
    )


def _stacked(parts: list[Any], width: int, fill: Any) -> Any:
    """Return all rows, as wide as the widest."""
    rows = np.full((sum(map(len, parts)), width), fill, parts[0].dtype)
    first = 0
    for part in parts:
        rows[first : first + len(part), : part.shape[1]] = part
        first += len(part)
    return rows


def _features(parts: list[Any]) -> Any:
    if not is_sparse(parts[0]):
        return np.concatenate(parts)
    from scipy.sparse import vstack

    return sparse_rows(vstack(parts, format="csr"))

"""Rules that select rows for a test part, or for a validation part of the training rows."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.dataset import Dataset
from topk_tune.data.rows import FeatureRows, RowIndex, take

DEFAULT_TEST = "tail:0.3"
# Not the tail, because published files are often sorted: the last quarter of Scene's training rows
# has labels that do not occur in the rest.
DEFAULT_VALIDATION = "random:0.25:0"


# Compared by identity, like a data set.
@dataclass(frozen=True, eq=False)
class Validation:
    """The training rows of a data set, with some held out for choosing parameters."""

    X_train: FeatureRows
    Y_train: NDArray[np.uint8]
    X_validation: FeatureRows
    Y_validation: NDArray[np.uint8]
    rule: str
    fingerprint: str


def hold_out(data: Dataset, rule: str = DEFAULT_VALIDATION) -> Validation:
    """Hold out a part of the training rows; the test rows are not used.

    >>> from topk_tune.data import load
    >>> held = hold_out(load("yeast"), "tail:0.2")
    >>> len(held.X_train), len(held.X_validation)
    (1200, 300)
    """
    if data.is_log:
        kept, held = split_groups(data.groups, rule)
    else:
        kept, held = split_rows(data.X_train.shape[0], rule)
    return Validation(
        X_train=take(data.X_train, kept),
        Y_train=data.Y_train[kept],
        X_validation=take(data.X_train, held),
        Y_validation=data.Y_train[held],
        rule=rule,
        fingerprint=hashlib.sha256(f"{data.fingerprint} {rule}".encode()).hexdigest(),
    )


def split_rows(n_rows: int, rule: str) -> tuple[RowIndex, RowIndex]:
    """The rows that stay and the rows that are set aside, each in order.

    "tail:0.3" sets the last 30% aside, and "random:0.3:7" 30% drawn with seed 7.

    >>> split_rows(10, "tail:0.3")
    (slice(0, 7, None), slice(7, 10, None))
    """
    share, seed = _parse(rule)
    aside = round(n_rows * share)
    if not 0 < aside < n_rows:
        raise ValueError(
            f"A split must leave at least one row on each side, but {rule!r} sets {aside} "
            f"of {n_rows} rows aside"
        )
    if seed is None:
        return slice(0, n_rows - aside), slice(n_rows - aside, n_rows)
    chosen = np.zeros(n_rows, dtype=bool)
    chosen[np.random.default_rng(seed).choice(n_rows, size=aside, replace=False)] = True
    return np.flatnonzero(~chosen), np.flatnonzero(chosen)


def split_groups(groups: NDArray[np.intp], rule: str) -> tuple[RowIndex, RowIndex]:
    """Do the same with groups of rows, whose rows all stay or are all set aside.

    >>> split_groups(np.array([0, 1, 0, 2, 1]), "tail:0.4")
    (array([0, 1, 2, 4]), array([3]))
    """
    n_groups = int(groups.max()) + 1
    if n_groups == len(groups):
        return split_rows(len(groups), rule)
    aside = np.zeros(n_groups, dtype=bool)
    aside[split_rows(n_groups, rule)[1]] = True
    return np.flatnonzero(~aside[groups]), np.flatnonzero(aside[groups])


def in_folds(rule: str) -> bool:
    """Whether a rule is for cross-validation, "folds:NUMBER:SEED"."""
    return rule.partition(":")[0] == "folds"


def fold_rows(n_rows: int, rule: str) -> NDArray[np.intp]:
    """The fold of each row; folds are random and of nearly equal size.

    >>> fold_rows(6, "folds:3:0").tolist()
    [0, 2, 2, 1, 0, 1]
    """
    match rule.split(":"):
        case ["folds", number, seed] if number.isdecimal() and seed.isdecimal():
            parts = int(number)
        case _:
            raise ValueError(f"Folds must be folds:NUMBER:SEED, but got {rule!r}")
    if not 2 <= parts <= n_rows:
        raise ValueError(
            f"There must be at least 2 folds and a row for each, but got {rule!r} for {n_rows} rows"
        )
    return np.random.default_rng(int(seed)).permutation(np.arange(n_rows) % parts)


def _parse(rule: str) -> tuple[float, int | None]:
    """The share of a rule and, for a random one, its seed."""
    match rule.split(":"):
        case ["tail", share]:
            return _share(share, rule), None
        case ["random", share, seed] if seed.isdecimal():
            return _share(share, rule), int(seed)
    _refuse(rule)


def _share(text: str, rule: str) -> float:
    try:
        share = float(text)
    except ValueError:
        _refuse(rule)
    if not 0 < share < 1:
        raise ValueError(f"The share of a split must be between 0 and 1, but got {rule!r}")
    return share


def _refuse(rule: str) -> NoReturn:
    raise ValueError(
        "A split must be tail:SHARE or random:SHARE:SEED (or folds:NUMBER:SEED to hold rows out), "
        f"but got {rule!r}"
    ) from None

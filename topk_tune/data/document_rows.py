"""Synthetic documents with tags: sparse rows of any width, and labels that depend on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.dataset import Dataset
from topk_tune.data.numbered import Numbered
from topk_tune.data.rows import MOST_VALUES, csr_rows, take
from topk_tune.data.split import DEFAULT_TEST, split_rows
from topk_tune.data.streams import parse_settings

# Few, so that a tree that splits on one feature at a time can learn the label.
_WORDS_OF_A_LABEL = 16

_BLOCK_WORDS = 2**21
"""Words that are drawn together, which bounds the memory for random numbers."""

_PARAMETERS: dict[str, Callable[[str], Any]] = {
    "rows": int,
    "dim": int,
    "m": int,
    "nonzeros": int,
    "cardinality": float,
    "binary": int,
    "seed": int,
}


def documents(
    *,
    rows: int = 5000,
    dim: int = 2000,
    m: int = 50,
    nonzeros: int = 30,
    cardinality: float = 3.0,
    binary: int = 0,
    seed: int = 0,
    split: str = DEFAULT_TEST,
) -> Dataset:
    """Make documents: half of the words of a row come from its labels, the others from all words.

    Time and memory follow the rows times `nonzeros`, except for the labels, which are dense: a byte
    for each row and label.

    Parameters
    ----------
    rows, dim, m
        The numbers of rows (training and test together), features and labels.
    nonzeros
        The words that are drawn for a row. A word that is drawn twice counts once.
    cardinality
        The labels that are drawn for a row, on average. A label that is drawn twice counts once.
    binary
        1 if the value of a word is 1, and 0 if it is between 0.5 and 1.5.
    seed
        The random seed.
    split
        The rule that selects the test rows.

    Examples
    --------
    >>> data = documents(rows=100, dim=10_000, m=20, seed=1)
    >>> data.form, data.X_train.shape, data.X_train.nnz <= 70 * 30
    ('sparse', (70, 10000), True)
    """
    _check(rows, dim, m, nonzeros, cardinality, binary, seed)
    random = np.random.default_rng(seed)
    vocabulary = random.integers(dim, size=(m, _WORDS_OF_A_LABEL), dtype=np.int32)
    columns = np.empty(rows * nonzeros, np.int32)
    starts = np.zeros(rows + 1, np.int32)
    Y = np.zeros((rows, m), np.uint8)
    end = 0
    for block in _blocks(rows, nonzeros):
        tags = _draw_tags(random, len(block), m, cardinality)
        Y[block.start + tags.row, tags.label] = 1
        words, counts = _draw_words(random, len(block), dim, nonzeros, tags, vocabulary)
        columns[end : end + words.size] = words
        starts[block.start + 1 : block.stop + 1] = end + np.cumsum(counts)
        end += words.size
    values = np.ones(end, np.float32)
    if not binary:
        values[:] = 0.5 + random.random(end, dtype=np.float32)
    X = csr_rows(values, columns[:end], starts, dim)
    kept, aside = split_rows(rows, split)
    return Dataset(
        name=_name(rows, dim, m, nonzeros, cardinality, binary, seed),
        X_train=take(X, kept),
        Y_train=Y[kept],
        X_test=take(X, aside),
        Y_test=Y[aside],
        feature_names=Numbered("feature_", range(1, dim + 1)),
        label_names=Numbered("label_", range(1, m + 1)),
    )


def parse_documents(name: str) -> dict[str, Any]:
    """The parameters in a name.

    >>> parse_documents("documents:rows=100,dim=9000")
    {'rows': 100, 'dim': 9000}
    """
    return parse_settings(name, _PARAMETERS)


class _Tags(NamedTuple):
    """The labels of some rows: which row each is of, where those of a row start, and how many."""

    row: NDArray[np.int64]
    label: NDArray[np.int64]
    start: NDArray[np.int64]
    number: NDArray[np.int64]


def _blocks(rows: int, nonzeros: int) -> Iterator[range]:
    step = max(1, _BLOCK_WORDS // nonzeros)
    for first in range(0, rows, step):
        yield range(first, min(first + step, rows))


def _draw_tags(random: np.random.Generator, rows: int, m: int, cardinality: float) -> _Tags:
    whole = math.floor(cardinality)
    count = whole + (random.random(rows) < cardinality - whole).astype(np.int64)
    share = random.random(int(count.sum()))
    # Products only, because powers may round differently on another machine.
    label = (share * share * m).astype(np.int64)
    return _Tags(np.repeat(np.arange(rows), count), label, np.cumsum(count) - count, count)


def _draw_words(
    random: np.random.Generator,
    rows: int,
    dim: int,
    nonzeros: int,
    tags: _Tags,
    vocabulary: NDArray[np.int32],
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The words of each row, in order and once each, and how many a row has."""
    share = random.random((rows, nonzeros))
    common = (share * share * share * dim).astype(np.int32)
    of_label = random.random((rows, nonzeros)) < 0.5
    which = (random.random((rows, nonzeros)) * tags.number[:, None]).astype(np.int64)
    label = tags.label[tags.start[:, None] + which]
    own = random.integers(vocabulary.shape[1], size=(rows, nonzeros))
    word = np.sort(np.where(of_label, vocabulary[label, own], common), axis=1)
    first = np.ones(word.shape, bool)
    first[:, 1:] = word[:, 1:] != word[:, :-1]
    return word[first], first.sum(axis=1)


def _check(
    rows: int, dim: int, m: int, nonzeros: int, cardinality: float, binary: int, seed: int
) -> None:
    least = {"rows": 2, "dim": 1, "m": 2, "nonzeros": 1, "seed": 0}
    given = {"rows": rows, "dim": dim, "m": m, "nonzeros": nonzeros, "seed": seed}
    for name, value in given.items():
        if value < least[name]:
            raise ValueError(f"{name} of documents must be at least {least[name]}, but got {value}")
    for name, value in {"dim": dim, "rows times nonzeros": rows * nonzeros}.items():
        if value > MOST_VALUES:
            raise ValueError(f"{name} must be at most {MOST_VALUES:,}, but got {value:,}")
    if not 1 <= cardinality < m:
        raise ValueError(
            f"cardinality must satisfy 1 <= cardinality < m = {m}, but got {cardinality}"
        )
    if binary not in (0, 1):
        raise ValueError(f"binary of documents must be 0 or 1, but got {binary}")


def _name(
    rows: int, dim: int, m: int, nonzeros: int, cardinality: float, binary: int, seed: int
) -> str:
    """The name that makes these documents."""
    size = f"rows={rows},dim={dim},m={m},nonzeros={nonzeros}"
    return f"documents:{size},cardinality={cardinality},binary={binary},seed={seed}"

"""A leaf that observes only what is not zero, compared with its twin."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from naive.closeness import assert_allclose
from naive.nonzero import SPARSE, Leaf, NonzeroTree
from naive.tree import Gaussian

CLOSE = {"rtol": 1e-9, "atol": 1e-12}
GAUSSIAN = {"rtol": 1e-7, "atol": 1e-9}


def covariates_of(trees: Any, tree: int, n_features: int) -> list[int]:
    """The features of a tree, which are bits unless it uses all of them."""
    if trees.member.size == 0:
        return list(range(n_features))
    words = trees.member[tree]
    return [f for f in range(n_features) if int(words[f // 32]) >> f % 32 & 1]


def contents(owners: Any, i: int, pool: Any) -> dict[int, np.ndarray]:
    """The keys and values of a block."""
    if owners.block[i] == -1:
        return {}
    block = int(owners.block[i])
    places = range(block, block + (1 << int(owners.bits[i])))
    return {int(pool.key[p]): pool.value[p] for p in places if pool.key[p] != -1}


def noted_cells(forest: Any, row: int, n_values: int) -> dict[int, dict[int, Gaussian]]:
    """The features and classes in the notes of a leaf, as their format says."""
    words = iter(noted_words(forest, row))
    found: dict[int, dict[int, Gaussian]] = {}
    for _ in range(int(forest.rows.counted[row])):
        feature, n_cells = next(words), next(words)
        weight = real(words)
        for _ in range(n_cells):
            label = next(words)
            values = [real(words) for _ in range(n_values)]
            found.setdefault(feature, {})[label] = Gaussian(*values)
        assert_allclose(sum(g.weight for g in found[feature].values()), weight, **CLOSE)
    hits: dict[int, float] = {}
    for word in words:
        if word < 0:
            read = feature_value if n_values > 1 else one
            hits = {next(words): read(words) for _ in range(-1 - word)}
        else:
            weight = real(words)
            for feature, x in hits.items():
                found.setdefault(feature, {}).setdefault(word, Gaussian()).observe(x, weight)
    return found


def noted_words(forest: Any, row: int) -> list[int]:
    """All words of a leaf; the pages end where they do."""
    words: list[int] = []
    page = int(forest.rows.page[row])
    while page != -1:
        words += forest.notes.word[page, 1:].tolist()
        if page == forest.rows.last[row]:
            break
        page = int(forest.notes.word[page, 0])
    n = int(forest.rows.words[row])
    assert 0 <= len(words) - n < forest.notes.word.shape[1] - 1
    return words[:n]


def real(words: Iterator[int]) -> float:
    return float(np.array([next(words), next(words)], np.int32).view("<f8")[0])


def feature_value(words: Iterator[int]) -> float:
    return float(np.array([next(words)], np.int32).view("<f4")[0])


def one(words: Iterator[int]) -> float:
    return 1.0


def assert_same_nonzero_leaf(forest: Any, row: int, leaf: Leaf, tree: NonzeroTree) -> None:
    rows = forest.rows
    assert_allclose(rows.weight[row], leaf.weights, **CLOSE)
    # A weight that rounding gives to a class would count as a class in the Hoeffding bound.
    assert ((rows.weight[row] > 0) == (np.array(leaf.weights) > 0)).all()
    assert_allclose(rows.total[row], leaf.total, **CLOSE)
    assert_allclose(rows.tried[row], leaf.tried, **CLOSE)
    if tree.bayes:
        slots = contents(rows, row, forest.entries)
        assert sorted(slots) == tree.touched(leaf)
        for feature, (slot,) in slots.items():
            assert_same_slot(forest, int(slot), leaf.gaussians(feature), tree)
    else:
        noted = noted_cells(forest, row, forest.cells.value.shape[1])
        assert sorted(noted) == tree.touched(leaf)
        for feature, cells in noted.items():
            assert_same_cells(cells, leaf.gaussians(feature), tree)
    if tree.frozen and not tree.bayes:
        return
    weights = leaf.observed_weights()
    labels = range(len(leaf.weights))
    assert_allclose(rows.observed[row], [weights.get(label, 0.0) for label in labels], **CLOSE)
    if tree.bayes:
        mass = [
            sum(w * len(tree.hits(x)) for x, own, w in leaf.seen if own == label)
            for label in labels
        ]
        of_mass = [math.log(len(tree.covariates) + m) for m in mass]
        of_weight = [math.log(1 + w) for w in leaf.weights]
        assert_allclose(rows.bayes[row], [mass, of_mass, of_weight], **CLOSE)


def assert_same_cells(
    cells: dict[int, Gaussian], gaussians: dict[int, Gaussian], tree: NonzeroTree
) -> None:
    assert cells.keys() == gaussians.keys()
    n_values = 5 if tree.observer == SPARSE else 1
    for label, g in gaussians.items():
        found, expected = (list(vars(each).values())[:n_values] for each in (cells[label], g))
        assert_allclose(found, expected, **GAUSSIAN)


def assert_same_slot(forest: Any, slot: int, gaussians: dict[int, Any], tree: NonzeroTree) -> None:
    cells = contents(forest.slots, slot, forest.cells)
    assert cells.keys() == gaussians.keys()
    total = sum(g.weight for g in gaussians.values())
    assert_allclose(forest.slots.weight[slot], total, **CLOSE)
    for label, g in gaussians.items():
        expected = [g.weight]
        if tree.observer == SPARSE:
            expected += [g.mean, g.m2, g.smallest, g.largest]
        if tree.bayes:
            expected.append(math.log(1 + g.weight))
        assert_allclose(cells[label], expected, **GAUSSIAN)

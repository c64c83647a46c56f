"""A leaf that observes only what is not zero, compared with its twin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from naive.nonzero import SPARSE, Leaf, NonzeroTree

CLOSE = {"rtol": 1e-9, "atol": 1e-12}


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


def assert_same_nonzero_leaf(forest: Any, row: int, leaf: Leaf, tree: NonzeroTree) -> None:
    rows = forest.rows
    assert_allclose(rows.weight[row], leaf.weights, **CLOSE)
    # A weight that rounding gives to a class would count as a class in the Hoeffding bound.
    assert ((rows.weight[row] > 0) == (np.array(leaf.weights) > 0)).all()
    assert_allclose(rows.total[row], leaf.total, **CLOSE)
    assert_allclose(rows.tried[row], leaf.tried, **CLOSE)
    observed = contents(rows, row, forest.entries)
    assert sorted(observed) == tree.touched(leaf)
    for feature, (slot,) in observed.items():
        assert_same_slot(forest, int(slot), leaf.gaussians(feature), tree)
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
        assert_allclose(cells[label], expected, rtol=1e-7, atol=1e-9)

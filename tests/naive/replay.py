"""A booster and its twin over the same stream, compared after each round.

Labels whose scores are the same but for rounding are told apart by it, which is nobody's
specification: the first learner is fed few different weights, and two labels may get the same
ones in another order; a slope of zero may come out as 1e-18, and an alpha with it. There the
twin takes the word of the booster: it ranks by the booster's scores and votes, once they are found
close to its own, and the log-weight of an expert may differ by the weight of the pairs in doubt.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from naive.boosting import NaiveBooster
from naive.closeness import assert_allclose
from naive.leaves import CLOSE, assert_same_nonzero_leaf
from naive.losses import expected_rank_loss, rank_loss, ties, weighted
from naive.nonzero import Leaf, NonzeroTree
from naive.tree import HoeffdingTree, Node


class Replay:
    """Feeds a new booster and its twin; the losses, of every round, are those of the twin."""

    def __init__(self, booster: Any) -> None:
        self.booster, self.twin = booster, NaiveBooster(booster)
        self.losses: list[float] = []
        self.ties: list[float] = []
        self.shown_losses: list[float] = []

    def over(self, X: np.ndarray, Y: np.ndarray, look_every: int = 50) -> NaiveBooster:
        """All rows; trees are compared as a whole every so many rounds, and at the end."""
        for row, (x, y) in enumerate(zip(X, Y, strict=True)):
            self.round(x, y.tolist())
            if (row + 1) % look_every == 0 or row + 1 == len(X):
                assert_same_forest(self.booster, self.twin)
        return self.twin

    def round(self, x: np.ndarray, y: list[int]) -> None:
        booster, twin = self.booster, self.twin
        ranking = booster.predict(x).tolist()
        scores = booster._work.scores.tolist()
        assert_allclose(scores, twin.predict(x.tolist()), **CLOSE)
        assert_allclose(booster._work.h, twin.h, **CLOSE)
        twin.heard = booster._votes.alpha.tolist(), booster._work.h.tolist()
        assert twin.show(scores) == ranking
        compared = list(zip(scores, twin.prior, strict=True))
        self.losses.append(weighted(rank_loss(compared, y), y))
        self.ties.append(weighted(ties(compared, y), y))
        scheme, k = ("", 0) if booster.full else (booster.exploration, booster.k)
        self.shown_losses.append(
            weighted(expected_rank_loss(twin.ranking, y, scheme, k, twin.rate), y)
        )

        seen = range(len(y)) if booster.full else ranking[: booster.k]
        booster.update([y[label] for label in seen])
        twin.update({label: bool(y[label]) for label in seen})
        assert booster._forest.arrays.tree_nodes.tolist() == [t.n_nodes for t in twin.trees]
        assert_allclose(booster._votes.alpha, twin.alpha, **CLOSE)
        self.compare_experts()

    def compare_experts(self) -> None:
        twin, log_nu = self.twin, self.booster._votes.log_nu.tolist()
        for j in range(twin.n if twin.adaptive else 0):
            doubt = weight_in_doubt(twin, j)
            assert abs(log_nu[j] - twin.log_nu[j]) <= doubt + 1e-9 * abs(log_nu[j])
            if doubt:
                twin.log_nu[j] = log_nu[j]


def weight_in_doubt(twin: NaiveBooster, j: int) -> float:
    """The weight of pairs that expert j may have taken for wrong ones or not."""
    s = twin.experts[j + 1]
    near = 1e-12 + 1e-9 * max(map(abs, s))
    return sum(
        weight
        for a, b, weight in twin.pairs
        if abs(s[a] - s[b]) <= near and not surely_tied(twin, a, b, j)
    )


def surely_tied(twin: NaiveBooster, a: int, b: int, j: int) -> bool:
    """Whether the two tie whatever the rounding: no learner knows anything of them."""
    return all({a, b} <= unfed for unfed in twin.unfed[: j + 1])


def assert_same_forest(booster: Any, twin: NaiveBooster) -> None:
    for i, tree in enumerate(twin.trees):
        assert_same_tree(booster._forest.arrays, i, tree)


def assert_same_tree(forest: Any, i: int, tree: HoeffdingTree) -> None:
    """The same splits, class weights and observations."""
    assert forest.tree_nodes[i] == tree.n_nodes
    assert forest.frozen[i] == tree.frozen
    pending: list[tuple[int, Node]] = [(int(forest.root[i]), tree.root)]
    while pending:
        place, node = pending.pop()
        threshold, feature, link = forest.nodes[place].tolist()
        if node.feature is None:
            assert feature == -1
            assert forest.rows.tree[link] == i
            if isinstance(tree, NonzeroTree):
                assert isinstance(node, Leaf)
                assert_same_nonzero_leaf(forest, link, node, tree)
            else:
                assert_same_leaf(forest, link, node)
        else:
            assert (feature, threshold) == (node.feature, node.threshold)
            pending += [(link + side, child) for side, child in enumerate(node.children)]


def assert_same_leaf(forest: Any, row: int, leaf: Node) -> None:
    rows, slots = forest.rows, forest.slots
    assert_allclose(rows.weight[row], leaf.weights, **CLOSE)
    assert_allclose(rows.total[row], leaf.total, **CLOSE)
    assert_allclose(rows.tried[row], leaf.tried, **CLOSE)
    assert np.flatnonzero(rows.slot[row] != -1).tolist() == sorted(leaf.observed)
    for label, gaussians in leaf.observed.items():
        slot = rows.slot[row, label]
        means, m2s = slots.moments[slot, :, : len(gaussians)]
        assert_allclose(slots.weight[slot], gaussians[0].weight, **CLOSE)
        assert_allclose(means, [g.mean for g in gaussians], **CLOSE)
        # A sum of squares loses what its differences from the mean lose to a large offset.
        assert_allclose(m2s, [g.m2 for g in gaussians], rtol=1e-7, atol=1e-9)
        limits = [[g.smallest for g in gaussians], [g.largest for g in gaussians]]
        assert slots.limits[slot, :, : len(gaussians)].tolist() == limits

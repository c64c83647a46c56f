"""Turning a leaf into a split, and what a tree does when it reaches its node limit."""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import exact
from booster.kernels.counting import clear_notes
from booster.kernels.memo import forget_losses
from booster.kernels.sparse import clear_row, start_row
from booster.kernels.state import FREE, FROZEN, GAUSSIAN, LEAF, NODES, NONE, ROWS, SPLITS


@exact
def grow(forest, trees, tree, node, feature, threshold, observed, search):
    """Turn a leaf into a split.

    Its children start with the class weights estimated for each side (`search.left` holds those of
    the left child) and without observations. The left child takes over the row.
    """
    nodes, counts = forest.nodes, forest.counts
    child = counts[NODES]
    row = nodes[node].link
    right_row = np.int32(counts[ROWS])
    counts[NODES] += 2
    counts[ROWS] += 1
    counts[SPLITS] += 1
    forget(forest, row)
    if trees.observer != GAUSSIAN:
        forget_losses(row, search.found)
    share_weights(forest.rows, row, right_row, observed, search)
    start_row(forest.rows, row, trees.n_covariates)
    start_row(forest.rows, right_row, trees.n_covariates)
    forest.rows.tree[right_row] = tree
    nodes[child].feature = LEAF
    nodes[child].link = row
    nodes[child + 1].feature = LEAF
    nodes[child + 1].link = right_row
    nodes[node].feature = feature
    nodes[node].threshold = threshold
    nodes[node].link = child
    forest.tree_nodes[tree] += 2
    if forest.tree_nodes[tree] + 2 > trees.max_nodes:
        freeze(forest, trees, tree)


@exact
def forget(forest, row):
    """Release all that a leaf has observed."""
    rows = forest.rows
    for label in range(rows.slot.shape[1]):
        if rows.slot[row, label] != NONE:
            release(forest.free, forest.counts, rows.slot[row, label])
            rows.slot[row, label] = NONE
    clear_row(forest, row)
    clear_notes(forest, row)


@exact
def share_weights(rows, row, right_row, observed, search):
    """Give each child its class weights."""
    clear(rows, row)
    clear(rows, right_row)
    for c in range(observed):
        label = search.classes[c]
        rows.weight[row, label] = search.left[c]
        rows.weight[right_row, label] = search.weight[c] - search.left[c]
    total(rows, row)
    total(rows, right_row)


@exact
def clear(rows, row):
    rows.weight[row] = 0.0
    rows.slot[row] = NONE


@exact
def total(rows, row):
    weight = 0.0
    for label in range(rows.weight.shape[1]):
        weight += rows.weight[row, label]
    rows.total[row] = weight
    rows.tried[row] = weight


@exact
def release(free, counts, slot):
    free[counts[FREE]] = slot
    counts[FREE] += 1


@exact
def freeze(forest, trees, tree):
    """Freeze the shape of a tree at its node limit: its leaves drop what only splitting needs."""
    forest.frozen[tree] = FROZEN
    if not trees.bayes:
        for row in range(forest.counts[ROWS]):
            if forest.rows.tree[row] == tree:
                forget(forest, row)

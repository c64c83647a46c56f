"""Turning a leaf into a split, and what a tree does when it reaches its node limit."""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import exact
from booster.kernels.state import FREE, LEAF, NODES, NONE, ROWS, SPLITS


@exact
def grow(forest, trees, tree, node, f, threshold, chosen, classes, left):
    """Turn a leaf into a split.

    Its children start with the class weights estimated for each side (`left` holds those of the
    left child) and without observations. The left child takes over the row.
    """
    nodes, counts = forest.nodes, forest.counts
    child = counts[NODES]
    row = nodes[node].link
    right_row = np.int32(counts[ROWS])
    counts[NODES] += 2
    counts[ROWS] += 1
    counts[SPLITS] += 1
    share_weights(forest, row, right_row, chosen, classes, left)
    forest.rows.tree[right_row] = tree
    nodes[child].feature = LEAF
    nodes[child].link = row
    nodes[child + 1].feature = LEAF
    nodes[child + 1].link = right_row
    nodes[node].feature = trees.covariates[tree, f]
    nodes[node].threshold = threshold
    nodes[node].link = child
    forest.tree_nodes[tree] += 2
    if forest.tree_nodes[tree] + 2 > trees.max_nodes:
        freeze(forest, tree)


@exact
def share_weights(forest, row, right_row, chosen, classes, left):
    """Give each child its class weights, and release the slots of the leaf."""
    rows = forest.rows
    clear(rows, row)
    clear(rows, right_row)
    for c in range(chosen.size):
        rows.weight[row, classes[c]] = left[c]
        rows.weight[right_row, classes[c]] = forest.slots.weight[chosen[c]] - left[c]
        release(forest.free, forest.counts, chosen[c])
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
def freeze(forest, tree):
    """Freeze the shape of a tree at its node limit: its leaves drop what only splitting needs."""
    forest.frozen[tree] = 1
    rows = forest.rows
    for row in range(forest.counts[ROWS]):
        if rows.tree[row] == tree:
            for label in range(rows.slot.shape[1]):
                if rows.slot[row, label] != NONE:
                    release(forest.free, forest.counts, rows.slot[row, label])
                    rows.slot[row, label] = NONE

"""Checks that the arrays of a state fit together, because kernels check no bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.block_checks import check_blocks, check_notes
from booster.kernels.state import (
    CELLS,
    CLOSED,
    ENTRIES,
    FREE,
    LEAF,
    NODES,
    NONE,
    PAGES,
    ROWS,
    SLOTS,
    SPARE_PAGES,
    Forest,
    State,
    Trees,
)


def check_state(state: State, trees: Trees, n_features: int) -> None:
    """Raise a ValueError if a kernel could leave the arrays of `state`."""
    forest = state.forest
    _check_lengths(forest)
    n_nodes, n_rows, n_slots, n_free = (int(n) for n in forest.counts[[NODES, ROWS, SLOTS, FREE]])
    _within("forest.counts (free)", forest.counts[[FREE]], 0, n_slots)
    _within("forest.frozen", forest.frozen, 0, CLOSED)
    _within("forest.root", forest.root, 0, n_nodes - 1)
    _within("forest.rows.tree", forest.rows.tree[:n_rows], 0, forest.root.size - 1)
    _within("forest.rows.slot", forest.rows.slot[:n_rows], NONE, n_slots - 1)
    _within("forest.free", forest.free[:n_free], 0, n_slots - 1)
    taken = forest.rows.slot[:n_rows]
    led_to = check_blocks(forest, n_features, trees.n_covariates)
    _within("forest.counts (released pages)", forest.counts[[SPARE_PAGES]], 0, forest.counts[PAGES])
    check_notes(forest, trees, n_features)
    owned = np.concatenate([taken[taken != NONE], forest.free[:n_free], led_to])
    if np.unique(owned).size != owned.size:
        raise ValueError(
            "a slot of forest.slots has two owners in forest.rows.slot, entries or free"
        )
    nodes = forest.nodes[:n_nodes]
    _within("the feature of forest.nodes", nodes["feature"], LEAF, n_features - 1)
    leaf = nodes["feature"] == LEAF
    _within("the link of a leaf of forest.nodes", nodes["link"][leaf], 0, n_rows - 1)
    # Children come after their parent, so routing a row always ends at a leaf.
    ahead = nodes["link"][~leaf] - np.flatnonzero(~leaf)
    _within("the link of a split of forest.nodes", ahead, 1, n_nodes)
    _within("the link of a split of forest.nodes", nodes["link"][~leaf], 0, n_nodes - 2)
    # A node or row with two owners would be split by one owner without the other noticing.
    children = nodes["link"][~leaf]
    _once("a node of forest.nodes", [forest.root, children, children + 1], n_nodes)
    _once("a row of forest.rows", [nodes["link"][leaf]], n_rows)
    tree = _tree_of_nodes(forest.root, nodes)
    if (forest.rows.tree[nodes["link"][leaf]] != tree[leaf]).any():
        raise ValueError("forest.rows.tree names another tree than the one whose leaf has the row")
    if (forest.tree_nodes != np.bincount(tree, minlength=forest.root.size)).any():
        raise ValueError("forest.tree_nodes differs from the numbers of nodes of the trees")
    check_numbers(state)


def check_numbers(state: State) -> None:
    """Raise a ValueError if a number that scores are computed from is not finite."""
    rows, n_rows = state.forest.rows, int(state.forest.counts[ROWS])
    made_of = {
        "forest.rows.total": rows.total[:n_rows],
        "forest.rows.weight": rows.weight[:n_rows],
        "forest.rows.observed": rows.observed[:n_rows],
        "forest.rows.bayes": rows.bayes[:n_rows],
        **{f"votes.{name}": values for name, values in state.votes._asdict().items()},
    }
    for name, values in made_of.items():
        finite = np.isfinite(values)
        if not finite.all():
            raise ValueError(f"{name} must be finite, but got {values[~finite][0]}")


def _once(name: str, owned: Sequence[NDArray[Any]], count: int) -> None:
    if not np.array_equal(np.sort(np.concatenate(owned)), np.arange(count)):
        raise ValueError(f"{name} has no owner, or more than one")


def _tree_of_nodes(root: NDArray[np.int32], nodes: NDArray[np.void]) -> NDArray[np.int64]:
    """Return the tree of each node, level by level from the roots, if each has one owner."""
    tree = np.empty(len(nodes), np.int64)
    level, trees = root, np.arange(root.size)
    while level.size:
        tree[level] = trees
        splits = nodes["feature"][level] != LEAF
        left, trees = nodes["link"][level[splits]], trees[splits]
        level, trees = np.concatenate([left, left + 1]), np.concatenate([trees, trees])
    return tree


def _check_lengths(forest: Forest) -> None:
    groups = (
        (NODES, {"nodes": forest.nodes}),
        (ROWS, {f"rows.{name}": array for name, array in forest.rows._asdict().items()}),
        (
            SLOTS,
            {f"slots.{name}": array for name, array in forest.slots._asdict().items()}
            | {"free": forest.free},
        ),
        (ENTRIES, {"entries.key": forest.entries.key, "entries.value": forest.entries.value}),
        (CELLS, {"cells.key": forest.cells.key, "cells.value": forest.cells.value}),
        (PAGES, {"notes.word": forest.notes.word}),
    )
    for count, arrays in groups:
        length = max(len(array) for array in arrays.values())
        for name, array in arrays.items():
            if len(array) != length or not 0 <= forest.counts[count] <= length:
                raise ValueError(
                    f"forest.{name} has {len(array)} entries, while others of its kind have "
                    f"{length} and {forest.counts[count]} are in use"
                )


def _within(name: str, values: NDArray[Any], low: int, high: int) -> None:
    outside = (values < low) | (values > high)
    if outside.any():
        raise ValueError(f"{name} is {values[outside][0]}, not within {low} .. {high}")

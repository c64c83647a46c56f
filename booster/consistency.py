"""What must hold between the arrays of a state: kernels check no bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.kernels.state import FREE, LEAF, NODES, NONE, ROWS, SLOTS, Forest, State


def check_state(state: State, n_features: int) -> None:
    """Raise a ValueError if a kernel could leave the arrays of `state`."""
    forest = state.forest
    _check_lengths(forest)
    n_nodes, n_rows, n_slots, n_free = (int(n) for n in forest.counts[[NODES, ROWS, SLOTS, FREE]])
    _within("forest.counts (free)", forest.counts[[FREE]], 0, n_slots)
    _within("forest.root", forest.root, 0, n_nodes - 1)
    _within("forest.rows.tree", forest.rows.tree[:n_rows], 0, forest.root.size - 1)
    _within("forest.rows.slot", forest.rows.slot[:n_rows], NONE, n_slots - 1)
    _within("forest.free", forest.free[:n_free], 0, n_slots - 1)
    taken = forest.rows.slot[:n_rows]
    owned = np.concatenate([taken[taken != NONE], forest.free[:n_free]])
    if np.unique(owned).size != owned.size:
        raise ValueError("a slot of forest.slots has two owners in forest.rows.slot or forest.free")
    nodes = forest.nodes[:n_nodes]
    _within("the feature of forest.nodes", nodes["feature"], LEAF, n_features - 1)
    leaf = nodes["feature"] == LEAF
    _within("the link of a leaf of forest.nodes", nodes["link"][leaf], 0, n_rows - 1)
    # Children come after their parent: so a row that is routed down always arrives.
    ahead = nodes["link"][~leaf] - np.flatnonzero(~leaf)
    _within("the link of a split of forest.nodes", ahead, 1, n_nodes)
    _within("the link of a split of forest.nodes", nodes["link"][~leaf], 0, n_nodes - 2)


def _check_lengths(forest: Forest) -> None:
    groups = (
        (NODES, {"nodes": forest.nodes}),
        (ROWS, {f"rows.{name}": array for name, array in forest.rows._asdict().items()}),
        (
            SLOTS,
            {f"slots.{name}": array for name, array in forest.slots._asdict().items()}
            | {"free": forest.free},
        ),
    )
    for count, arrays in groups:
        length = max(len(array) for array in arrays.values())
        for name, array in arrays.items():
            if len(array) != length or not 0 <= forest.counts[count] <= length:
                raise ValueError(
                    f"its forest.{name} has {len(array)} entries, with {length} in others of its "
                    f"kind and {forest.counts[count]} in use"
                )


def _within(name: str, values: NDArray[Any], low: int, high: int) -> None:
    outside = (values < low) | (values > high)
    if outside.any():
        raise ValueError(f"{name} is {values[outside][0]}, not within {low} .. {high}")

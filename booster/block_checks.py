"""Checks that the blocks and notes of a saved forest lie within their pools, apart from each other.

Kernels follow both without checking bounds, and a search in a block ends at an empty place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.kernels.blocks import SPREAD
from booster.kernels.note_checks import (
    FEATURES,
    FINE,
    LABELS,
    LINKS,
    NUMBERS,
    ROOM,
    WORDS,
    fault_of_notes,
)
from booster.kernels.state import (
    BLOCK_SIZES,
    CELLS,
    EMPTY,
    ENTRIES,
    GAUSSIAN,
    NONE,
    PAGES,
    ROWS,
    SLOTS,
    Forest,
    IntArray,
    Pool,
    Rows,
    Slots,
    Trees,
)


def check_blocks(forest: Forest, n_features: int, n_covariates: int) -> IntArray:
    """Raise a ValueError if a kernel could leave a block; return the slots that blocks lead to.

    The arrays are as long as their counts say.
    """
    rows, slots = forest.rows, forest.slots
    n_rows, n_slots = int(forest.counts[ROWS]), int(forest.counts[SLOTS])
    places = _places("entries", forest, ENTRIES, rows, np.arange(n_rows), n_features)
    if (rows.used[:n_rows] > n_covariates).any():
        raise ValueError(f"forest.rows.used is more than the {n_covariates} features of a tree")
    led_to = forest.entries.value[places, 0].astype(np.int64)
    if ((led_to < 0) | (led_to >= n_slots)).any():
        raise ValueError(f"forest.entries.value is not within 0 .. {n_slots - 1}")
    if (slots.block[led_to] == NONE).any():
        raise ValueError("forest.slots.block must have a block for each slot in use")
    _places("cells", forest, CELLS, slots, led_to, rows.weight.shape[1])
    if not np.isfinite(forest.cells.value[: int(forest.counts[CELLS])]).all():
        raise ValueError("forest.cells.value must be finite")
    return led_to


def check_notes(forest: Forest, trees: Trees, n_features: int) -> None:
    """Raise a ValueError if a kernel could leave the notes of a leaf."""
    rows, n_rows = forest.rows, int(forest.counts[ROWS])
    without = rows.words[:n_rows] == 0
    for name in ("raw", "counted", "updates"):
        if getattr(rows, name)[:n_rows][without].any():
            raise ValueError(f"forest.rows.{name} must be 0 in leaves without notes")
    has_notes = trees.observer != GAUSSIAN and not trees.bayes
    fault = fault_of_notes(
        forest,
        trees.observer,
        trees.n_covariates,
        np.zeros(int(forest.counts[PAGES]), np.uint8),
        np.zeros(n_features * has_notes, np.int64),
        np.zeros(forest.rows.weight.shape[1], np.int64),
    )
    if fault != FINE:
        raise ValueError(f"forest.notes {_FAULTS[fault]}")


_FAULTS = {
    LINKS: "has pages that are linked to none, or to two leaves",
    WORDS: "has records that do not end where forest.rows.words or raw say",
    FEATURES: "has features that the data has not, or one of them twice",
    LABELS: "has labels that the data has not, or one of them twice",
    NUMBERS: "must be finite",
    ROOM: "has more than the leaf of a tree may note",
}


def _places(
    name: str, forest: Forest, which: int, owners: Rows | Slots, of: IntArray, n_keys: int
) -> IntArray:
    """Return the places of all keys in the blocks of some owners, after checking them."""
    pool: Pool = getattr(forest, name)
    count = int(forest.counts[which])
    arrays = (owners.block, owners.bits, owners.used)
    block, bits, used = (array[of].astype(np.int64) for array in arrays)
    if (used[block == NONE] != 0).any():
        raise ValueError(f"forest.{name} has keys that are in no block")
    block, bits, used = (array[block != NONE] for array in (block, bits, used))
    if ((bits < 1) | (bits >= BLOCK_SIZES)).any():
        raise ValueError(f"forest.{name} has a block of an impossible size")
    vacant, vacant_bits = _vacant(name, pool, count)
    _check_apart(name, np.append(block, vacant), np.append(bits, vacant_bits), count)
    return _keys(name, pool, block, bits, used, n_keys)


def _vacant(name: str, pool: Pool, count: int) -> tuple[IntArray, IntArray]:
    """Return the released blocks, which are linked lists."""
    found: list[tuple[int, int]] = []
    for bits, block in enumerate(pool.vacant.tolist()):
        for _ in range((count >> bits) + 1):
            if block == NONE:
                break
            if not 0 <= block <= count - (1 << bits):
                raise ValueError(f"forest.{name}.vacant leads to {block}, outside of the pool")
            found.append((block, bits))
            block = int(pool.key[block])
        else:
            raise ValueError(f"forest.{name}.vacant leads in a circle")
    blocks = np.array(found, np.int64).reshape(-1, 2)
    return blocks[:, 0], blocks[:, 1]


def _check_apart(name: str, block: IntArray, bits: IntArray, count: int) -> None:
    """Raise a ValueError unless blocks are in the used part of their pool and do not overlap."""
    order = np.argsort(block)
    start = block[order]
    end = start + (np.int64(1) << bits[order])
    if start.size and (start[0] < 0 or end.max() > count or (end[:-1] > start[1:]).any()):
        raise ValueError(f"forest.{name} has blocks that overlap or are outside of the pool")


def _keys(
    name: str, pool: Pool, block: IntArray, bits: IntArray, used: IntArray, n_keys: int
) -> IntArray:
    """Return the places of the keys of some blocks; each must be where a search finds it."""
    size = np.int64(1) << bits
    owner = np.repeat(np.arange(block.size), size)
    first = np.repeat(np.cumsum(size) - size, size)
    place = block[owner] + np.arange(owner.size) - first
    full = pool.key[place] != EMPTY
    owner, place = owner[full], place[full]
    key = pool.key[place].astype(np.int64)
    if ((key < 0) | (key >= n_keys)).any():
        raise ValueError(f"forest.{name}.key is not within 0 .. {n_keys - 1}")
    counted = np.bincount(owner, minlength=block.size)
    if (counted != used).any() or (4 * used > 3 * size).any() or (used == 0).any():
        raise ValueError(f"forest.{name} has blocks with another number of keys than they may have")
    _check_found(name, pool.key, key, place, block[owner], bits[owner])
    return place


def _check_found(
    name: str, keys: NDArray[Any], key: IntArray, place: IntArray, block: IntArray, bits: IntArray
) -> None:
    """Raise a ValueError unless a search for each key, all at once, ends at its place."""
    spread = ((key * SPREAD) & 0xFFFFFFFF) >> (32 - bits)
    at = np.where(key < (np.int64(1) << bits), key, spread)
    while key.size:
        on_the_way = block + at != place
        key, place, block, bits, at = (array[on_the_way] for array in (key, place, block, bits, at))
        passed = keys[block + at]
        if ((passed == EMPTY) | (passed == key)).any():
            raise ValueError(f"forest.{name}.key has a key twice, or where no search finds it")
        at = (at + 1) & ((np.int64(1) << bits) - 1)

"""The arrays of a forest: how they begin, how they grow, and how large they can become."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from booster.kernels.state import (
    BLOCK_SIZES,
    CELL_VALUES,
    CELLS,
    ENTRIES,
    FREE,
    GAUSSIAN,
    INDEX,
    LEAF,
    LOG_MASS,
    MORE_CELLS,
    MORE_ENTRIES,
    MORE_NODES,
    MORE_PAGES,
    MORE_ROWS,
    MORE_SLOTS,
    MOST_NOTES,
    N_COUNTS,
    NODE,
    NODES,
    NONE,
    PAGE,
    PAGES,
    ROWS,
    SLOTS,
    SPARE_PAGES,
    Forest,
    IntArray,
    Notes,
    Pool,
    Rows,
    Slots,
    Trees,
)

GROWTH = 1.5
"""By how much arrays outgrow what is needed, so that they seldom grow."""

SPARE = 2**20
"""Arrays of one kind also grow by at least so many bytes: small ones would otherwise grow all the
time, and each time memory would be asked of the system again."""

LEAST_GROWTH = 1.1
"""The same near the memory limit: the last tenth of the memory stays spare room."""


def seedlings(n_classes: int, trees: Trees) -> Forest:
    """Return a forest in which every tree is a single leaf without observations."""
    n_trees, lanes = trees.covariates.shape
    observer, bayes = trees.observer, int(trees.bayes)
    by_class, by_feature = (n_classes, 0) if observer == GAUSSIAN else (0, n_classes)
    initial = np.zeros((n_trees, 3, bayes * n_classes))
    initial[:, LOG_MASS] = math.log(trees.n_covariates)
    counts = np.zeros(N_COUNTS, np.int64)
    counts[NODES] = counts[ROWS] = n_trees
    nodes = np.zeros(n_trees, NODE)
    nodes["feature"] = LEAF
    nodes["link"] = np.arange(n_trees)
    return Forest(
        root=np.arange(n_trees, dtype=INDEX),
        tree_nodes=np.ones(n_trees, np.int64),
        frozen=np.zeros(n_trees, np.uint8),
        nodes=nodes,
        rows=Rows(
            tree=np.arange(n_trees, dtype=INDEX),
            total=np.zeros(n_trees),
            tried=np.zeros(n_trees),
            weight=np.zeros((n_trees, n_classes)),
            slot=np.full((n_trees, by_class), NONE, INDEX),
            observed=np.zeros((n_trees, by_feature)),
            bayes=initial,
            block=np.full(n_trees, NONE, INDEX),
            bits=np.zeros(n_trees, INDEX),
            used=np.zeros(n_trees, INDEX),
            page=np.full(n_trees, NONE, INDEX),
            last=np.full(n_trees, NONE, INDEX),
            words=np.zeros(n_trees, INDEX),
            raw=np.zeros(n_trees, INDEX),
            counted=np.zeros(n_trees, INDEX),
            updates=np.zeros(n_trees, np.int64),
        ),
        slots=Slots(
            weight=np.zeros(0),
            moments=np.zeros((0, 2, lanes)),
            limits=np.zeros((0, 2, lanes), np.float32),
            block=np.zeros(0, INDEX),
            bits=np.zeros(0, INDEX),
            used=np.zeros(0, INDEX),
        ),
        free=np.zeros(0, INDEX),
        entries=_pool(1, INDEX),
        cells=_pool(CELL_VALUES[observer] + bayes, np.float64),
        notes=Notes(word=np.zeros((0, PAGE), INDEX), vacant=np.full(1, NONE, INDEX)),
        counts=counts,
    )


def _pool(values: int, dtype: Any) -> Pool:
    """Return a pool without blocks."""
    return Pool(
        key=np.zeros(0, INDEX),
        value=np.zeros((0, values), dtype),
        vacant=np.full(BLOCK_SIZES, NONE, INDEX),
    )


class Sizes(NamedTuple):
    """The lengths of the arrays of a forest."""

    nodes: int
    rows: int
    slots: int
    entries: int
    cells: int
    pages: int


def bytes_each(forest: Forest) -> NDArray[np.int64]:
    """Return the bytes of a node, a row, a slot, an entry, a cell and a page."""
    kinds = (
        (forest.nodes,),
        forest.rows,
        (*forest.slots, forest.free),
        (forest.entries.key, forest.entries.value),
        (forest.cells.key, forest.cells.value),
        (forest.notes.word,),
    )
    return np.array([sum(_item_bytes(array) for array in arrays) for arrays in kinds])


def _item_bytes(array: NDArray[Any]) -> int:
    return array.itemsize * math.prod(array.shape[1:])


def sizes(forest: Forest) -> Sizes:
    """Return the lengths of the arrays."""
    return Sizes(
        len(forest.nodes),
        len(forest.rows.tree),
        len(forest.free),
        len(forest.entries.key),
        len(forest.cells.key),
        len(forest.notes.word),
    )


def total_bytes(trees: Trees, lengths: Sizes) -> int:
    """Return the memory of arrays of these lengths."""
    return int(np.dot(trees.bytes_each, lengths))


def held_bytes(forest: Forest, trees: Trees) -> int:
    """Return the memory of the arrays that grow, and of what leads to their free parts."""
    return total_bytes(trees, sizes(forest)) + _lists_of_vacant_parts(forest)


def _lists_of_vacant_parts(forest: Forest) -> int:
    return sum(of.vacant.nbytes for of in (forest.entries, forest.cells, forest.notes))


def enlarged(forest: Forest, trees: Trees, more: IntArray) -> Forest:
    """Return a forest with room for a round that adds `more`; see `Work.more`.

    Near the memory limit, arrays with spare room give it to the others.
    """
    counts = forest.counts
    needed = Sizes(
        counts[NODES] + more[MORE_NODES],
        counts[ROWS] + more[MORE_ROWS],
        max(counts[SLOTS], counts[SLOTS] - counts[FREE] + more[MORE_SLOTS]),
        counts[ENTRIES] + more[MORE_ENTRIES],
        counts[CELLS] + more[MORE_CELLS],
        max(counts[PAGES], counts[PAGES] - counts[SPARE_PAGES] + more[MORE_PAGES]),
    )
    limit = LEAST_GROWTH * trees.most_bytes
    larger = Sizes(*map(_grown, sizes(forest), needed, trees.bytes_each))
    if total_bytes(trees, larger) > limit:
        factor = limit / total_bytes(trees, needed)
        larger = Sizes(*(int(factor * n) for n in needed))
    return _resized(forest, larger)


def _grown(length: int, needed: int, item_bytes: int) -> int:
    if needed <= length:
        return length
    return max(int(GROWTH * length), length + SPARE // int(item_bytes), needed)


def _resized(forest: Forest, lengths: Sizes) -> Forest:
    def pool(of: Pool, length: int) -> Pool:
        return Pool(_with_length(of.key, length), _with_length(of.value, length), of.vacant)

    return forest._replace(
        nodes=_with_length(forest.nodes, lengths.nodes),
        rows=Rows(*(_with_length(array, lengths.rows) for array in forest.rows)),
        slots=Slots(*(_with_length(array, lengths.slots) for array in forest.slots)),
        free=_with_length(forest.free, lengths.slots),
        entries=pool(forest.entries, lengths.entries),
        cells=pool(forest.cells, lengths.cells),
        notes=forest.notes._replace(word=_with_length(forest.notes.word, lengths.pages)),
    )


def _with_length(array: NDArray[Any], length: int) -> NDArray[Any]:
    if length == len(array):
        return array
    changed = np.zeros((length, *array.shape[1:]), array.dtype)
    kept = min(length, len(array))
    if array.dtype.names is None:
        changed[:kept] = array[:kept]
    else:  # in one piece, which is faster than field by field
        changed.view(np.uint8)[: kept * array.itemsize] = array[:kept].view(np.uint8)
    return changed


def bounded_bytes(forest: Forest, trees: Trees) -> int:
    """Return the upper limit of the memory.

    Every tree is at its node limit and every leaf has observed everything, with room for one round
    and the spare room that growing leaves; or it is the limit that was set, if this is less.
    """
    n_trees, n_classes = forest.root.size, forest.rows.weight.shape[1]
    round_most = n_trees * n_classes
    leaves = n_trees * ((trees.max_nodes + 1) // 2)
    slots, entries, cells, pages = leaves * n_classes + round_most, 0, 0, 0
    if trees.observer != GAUSSIAN and not trees.bayes:
        slots, pages = 0, _most_pages(trees, leaves, n_classes)
    elif trees.observer != GAUSSIAN:
        slots = (leaves + round_most) * trees.n_covariates
        entries = (leaves + round_most) * _most_places(trees.n_covariates)
        cells = slots * _most_places(n_classes)
    nodes = n_trees * trees.max_nodes + 2 * round_most
    most = Sizes(nodes, leaves + round_most, slots, entries, cells, pages)
    spare = SPARE * sum(length > 0 for length in most)
    grown = min(GROWTH * total_bytes(trees, most) + spare, LEAST_GROWTH * trees.most_bytes)
    return int(grown) + _lists_of_vacant_parts(forest)


def _most_pages(trees: Trees, leaves: int, n_classes: int) -> int:
    """Return the most pages of so many leaves, each with all cells and as many notes as may be.

    One leaf of each tree may be folded in a round, in which each class may start a new leaf.
    """
    n_trees, values = trees.covariates.shape[0], CELL_VALUES[trees.observer]
    row = 1 + 2 * trees.n_covariates + 3 * n_classes
    cells = trees.n_covariates * (4 + n_classes * (1 + 2 * values))
    words = leaves * (cells + MOST_NOTES + row) + n_trees * (cells + n_classes * row)
    return words // (PAGE - 1) + leaves + 2 * n_trees * n_classes + 1


def _most_places(n_keys: int) -> int:
    """Return the most places of a block for some keys, and of the smaller blocks before it."""
    return int(2 * max(2, 2 ** math.ceil(math.log2(4 * n_keys / 3))))

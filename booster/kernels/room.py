"""Room for a round: what it can add to the arrays, and what happens when memory is used up."""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import exact
from booster.kernels.grow import freeze
from booster.kernels.needs import needs
from booster.kernels.state import (
    CELLS,
    CLOSED,
    ENTRIES,
    FREE,
    GAUSSIAN,
    GROWING,
    MORE_CELLS,
    MORE_ENTRIES,
    MORE_NODES,
    MORE_PAGES,
    MORE_ROWS,
    MORE_SLOTS,
    NODES,
    PAGES,
    ROWS,
    SLOTS,
    SPARE_PAGES,
)


@exact
def has_room(trees, forest, bits, n_seen, work):
    """Whether the arrays have room for a round with these bits; stores in `work` how much.

    If this could be more memory than there may be, closes the forest, which needs no more. The
    decision depends only on what is used, so it is the same however large the arrays are.
    """
    n_fed = np.int64(0)  # a literal would be a type of its own, and `needs` compiled twice
    for place in range(n_seen):
        n_fed += bits[place]
    _look_ahead(trees, forest, n_fed, work)
    if needed_bytes(trees.bytes_each, forest.counts, work.more) > trees.most_bytes:
        close(forest, trees)
        work.more[:] = 0
    counts, more = forest.counts, work.more
    return (
        counts[NODES] + more[MORE_NODES] <= forest.nodes.size
        and counts[ROWS] + more[MORE_ROWS] <= forest.rows.total.size
        and counts[SLOTS] - counts[FREE] + more[MORE_SLOTS] <= forest.free.size
        and counts[ENTRIES] + more[MORE_ENTRIES] <= forest.entries.key.size
        and counts[CELLS] + more[MORE_CELLS] <= forest.cells.key.size
        and counts[PAGES] - counts[SPARE_PAGES] + more[MORE_PAGES] <= forest.notes.word.shape[0]
    )


@exact
def _look_ahead(trees, forest, n_fed, work):
    """Store the most that feeding `n_fed` labels to each tree can add."""
    growing = 0
    for tree in range(forest.root.size):
        growing += forest.frozen[tree] == GROWING
    slots, entries, cells, pages = growing * n_fed, 0, 0, 0
    if trees.observer != GAUSSIAN:
        slots, entries, cells, pages = needs(forest, trees, work.node, n_fed, work)
    work.more[MORE_NODES] = 2 * growing * n_fed
    work.more[MORE_ROWS] = growing * n_fed
    work.more[MORE_SLOTS] = slots
    work.more[MORE_ENTRIES] = entries
    work.more[MORE_CELLS] = cells
    work.more[MORE_PAGES] = pages


@exact
def needed_bytes(bytes_each, counts, more):
    """Return the bytes of all that is used, and of all that the round can add."""
    slots = max(counts[SLOTS], counts[SLOTS] - counts[FREE] + more[MORE_SLOTS])
    pages = max(counts[PAGES], counts[PAGES] - counts[SPARE_PAGES] + more[MORE_PAGES])
    return (
        bytes_each[0] * (counts[NODES] + more[MORE_NODES])
        + bytes_each[1] * (counts[ROWS] + more[MORE_ROWS])
        + bytes_each[2] * slots
        + bytes_each[3] * (counts[ENTRIES] + more[MORE_ENTRIES])
        + bytes_each[4] * (counts[CELLS] + more[MORE_CELLS])
        + bytes_each[5] * pages
    )


@exact
def close(forest, trees):
    """Let no tree take any more memory: as at its node limit, and naive Bayes keeps what it has."""
    for tree in range(forest.root.size):
        if forest.frozen[tree] == GROWING:
            freeze(forest, trees, tree)
        if trees.bayes:
            forest.frozen[tree] = CLOSED

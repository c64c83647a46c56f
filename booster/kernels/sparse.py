"""What a leaf observes of features that are not zero, and naive Bayes from these observations.

A row in which a feature is zero adds nothing to the feature: its weight is that of the class minus
that of its cell.
"""

from __future__ import annotations

import math

from booster.kernels.blocks import insert, look_up, release_block
from booster.kernels.compiling import exact
from booster.kernels.notes import blank
from booster.kernels.state import (
    CELL_LARGEST,
    CELL_M2,
    CELL_MEAN,
    CELL_SMALLEST,
    CELLS,
    CLOSED,
    EMPTY,
    ENTRIES,
    FREE,
    LOG_MASS,
    LOG_WEIGHT,
    MASS,
    NONE,
    SLOTS,
    SPARSE,
    WEIGHT,
)


@exact
def has_blocks(trees, rows, row):
    """Whether a leaf keeps cells in blocks, and not notes.

    Naive Bayes needs cells at any time. Leaves of earlier versions also have them, and keep them.
    """
    return trees.bayes or rows.block[row] != NONE


@exact
def start_row(rows, row, n_covariates):
    """Prepare the row of a leaf that has observed nothing; its class weights are set."""
    rows.block[row] = NONE
    rows.used[row] = 0
    blank(rows, row)
    for label in range(rows.observed.shape[1]):
        rows.observed[row, label] = 0.0
    for label in range(rows.bayes.shape[2]):
        rows.bayes[row, MASS, label] = 0.0
        rows.bayes[row, LOG_MASS, label] = math.log(n_covariates)
        rows.bayes[row, LOG_WEIGHT, label] = math.log(1.0 + rows.weight[row, label])


@exact
def clear_row(forest, row):
    """Release all that a leaf has observed."""
    rows, entries = forest.rows, forest.entries
    if rows.block[row] != NONE:
        for place in range(rows.block[row], rows.block[row] + (1 << rows.bits[row])):
            if entries.key[place] != EMPTY:
                slot = entries.value[place, 0]
                release_block(forest.slots, slot, forest.cells)
                forest.free[forest.counts[FREE]] = slot
                forest.counts[FREE] += 1
        release_block(rows, row, entries)
        rows.used[row] = 0


@exact
def observe_nonzero(forest, trees, tree, row, label, weight, work):
    """Observe a weighted label: of every feature in `work.hits`; the others are zero."""
    rows, slots, cells = forest.rows, forest.slots, forest.cells
    rows.observed[row, label] += weight
    closed = forest.frozen[tree] == CLOSED
    for i in range(work.n_hits[0]):
        f = work.hits[i]
        x = work.row.x[f]
        slot = _slot_of(forest, row, f, closed)
        if slot != NONE:
            cell = look_up(slots, slot, cells, label)
            if cell == NONE and not closed:
                cell = insert(slots, slot, cells, forest.counts, CELLS, label)
                if trees.observer == SPARSE:
                    cells.value[cell, CELL_SMALLEST] = x
                    cells.value[cell, CELL_LARGEST] = x
            if cell != NONE:
                slots.weight[slot] += weight
                add_to_cell(cells.value[cell], trees, x, weight)
                if trees.bayes:
                    rows.bayes[row, MASS, label] += weight
    if trees.bayes:
        mass = rows.bayes[row, MASS, label]
        rows.bayes[row, LOG_MASS, label] = math.log(trees.n_covariates + mass)
        rows.bayes[row, LOG_WEIGHT, label] = math.log(1.0 + rows.weight[row, label])


@exact
def _slot_of(forest, row, f, closed):
    """Return the slot of a feature of a leaf, a new one if needed; NONE if the tree is closed."""
    rows, slots, entries, counts = forest.rows, forest.slots, forest.entries, forest.counts
    place = look_up(rows, row, entries, f)
    if place != NONE:
        return entries.value[place, 0]
    if closed:
        return NONE
    if counts[FREE] > 0:
        counts[FREE] -= 1
        slot = forest.free[counts[FREE]]
    else:
        slot = counts[SLOTS]
        counts[SLOTS] += 1
    slots.weight[slot] = 0.0
    slots.block[slot] = NONE
    slots.used[slot] = 0
    place = insert(rows, row, entries, counts, ENTRIES, f)
    entries.value[place, 0] = slot
    return slot


@exact
def add_to_cell(value, trees, x, weight):
    """Add a weighted value to a cell: to its weight and, unless it is the only one, a Gaussian."""
    value[WEIGHT] += weight
    if trees.observer == SPARSE:
        before = x - value[CELL_MEAN]
        value[CELL_MEAN] += before * (weight / value[WEIGHT])
        value[CELL_M2] += weight * before * (x - value[CELL_MEAN])
        value[CELL_SMALLEST] = min(value[CELL_SMALLEST], x)
        value[CELL_LARGEST] = max(value[CELL_LARGEST], x)
    if trees.bayes:
        value[value.size - 1] = math.log(1.0 + value[WEIGHT])


@exact
def naive_bayes(forest, row, hits, n_hits, h):
    """Compute the label distribution of a leaf from the features that are not zero.

    The model is multinomial: a class gives a word of a row, with probability (1 + its weight with
    the class) / (covariates + all words of the class). Zeros say nothing.

    A class without words would give any word a higher probability than a class that has many other
    words, and rank above it. So it counts as if it had as many words as the others.
    """
    rows, slots, entries, cells = forest.rows, forest.slots, forest.entries, forest.cells
    log = cells.value.shape[1] - 1
    unseen = _log_mass_of_unseen(rows.bayes[row])
    for label in range(h.size):
        mass = rows.bayes[row, LOG_MASS, label] if rows.bayes[row, MASS, label] > 0.0 else unseen
        h[label] = rows.bayes[row, LOG_WEIGHT, label] - n_hits * mass
    for i in range(n_hits):
        place = look_up(rows, row, entries, hits[i])
        if place != NONE:
            slot = entries.value[place, 0]
            block, size = slots.block[slot], 1 << slots.bits[slot]
            if size >= h.size:  # the place of a class is the class, and empty places are zero
                for label in range(h.size):
                    h[label] += cells.value[block + label, log]
            else:
                for cell in range(block, block + size):
                    if cells.key[cell] != EMPTY:
                        h[cells.key[cell]] += cells.value[cell, log]
    top = h[0]
    for label in range(1, h.size):
        top = max(top, h[label])
    total = 0.0
    for label in range(h.size):
        h[label] = math.exp(h[label] - top)
        total += h[label]
    for label in range(h.size):
        h[label] /= total


@exact
def _log_mass_of_unseen(bayes):
    """Return the mean LOG_MASS of the classes that have been observed, in place of the others'."""
    total, n = 0.0, 0
    for label in range(bayes.shape[1]):
        if bayes[MASS, label] > 0.0:
            total += bayes[LOG_MASS, label]
            n += 1
    return total / n if n > 0 else 0.0

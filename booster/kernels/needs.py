"""The most that a round can add to what leaves observe of features that are not zero."""

from __future__ import annotations

from booster.kernels.blocks import bits_for, look_up, room_for
from booster.kernels.compiling import exact
from booster.kernels.counting import folded_pages
from booster.kernels.notes import pages_for, words_of_row
from booster.kernels.rows import gather_nonzero
from booster.kernels.sparse import has_blocks
from booster.kernels.state import BINARY, CELL_VALUES, CLOSED, GROWING, MOST_NOTES, NONE, SPARSE

_OF_BINARY, _OF_SPARSE = CELL_VALUES[BINARY], CELL_VALUES[SPARSE]


@exact
def needs(forest, trees, node, n_fed, work):
    """Return the most new slots, entries, cells and pages that feeding `n_fed` labels can take.

    The first label may split a leaf, and those after it then start in a child, where nothing has
    been observed.
    """
    n_slots, n_entries, n_cells, n_pages = 0, 0, 0, 0
    if n_fed == 0:
        return n_slots, n_entries, n_cells, n_pages
    for tree in range(node.size):
        if forest.frozen[tree] == CLOSED or (forest.frozen[tree] and not trees.bayes):
            continue
        leaf = forest.nodes[node[tree]].link
        if has_blocks(trees, forest.rows, leaf):
            slots, entries, cells = _needs_of_blocks(forest, trees, tree, leaf, n_fed, work)
            n_slots += slots
            n_entries += entries
            n_cells += cells
        if not trees.bayes:
            n_pages += _needs_of_notes(forest.rows, trees, leaf, n_fed, work.row)
    return n_slots, n_entries, n_cells, n_pages


@exact
def _needs_of_blocks(forest, trees, tree, leaf, n_fed, work):
    n_slots, n_cells = 0, 0
    n_hits = gather_nonzero(trees, tree, work.row, work.hits)
    n_entries = room_for(forest.rows, leaf, n_hits)
    for i in range(n_hits):
        place = look_up(forest.rows, leaf, forest.entries, work.hits[i])
        if place == NONE:
            n_slots += 1
            n_cells += 2 << bits_for(n_fed)
        else:
            n_cells += room_for(forest.slots, forest.entries.value[place, 0], n_fed)
    if trees.bayes and forest.frozen[tree] == GROWING:
        n_slots += (n_fed - 1) * n_hits
        n_entries += (n_fed - 1) * (2 << bits_for(n_hits))
        n_cells += (n_fed - 1) * n_hits * (2 << bits_for(n_fed - 1))
    return n_slots, n_entries, n_cells


@exact
def _needs_of_notes(rows, trees, leaf, n_fed, row):
    """Return the pages for a row that each label may have to note again, and for a leaf's cells."""
    words = words_of_row(trees.observer, min(row.n[0], trees.n_covariates))
    pages = n_fed * (pages_for(words + 3 * n_fed) + 1)
    if rows.raw[leaf] + words > MOST_NOTES:
        values = _OF_BINARY if trees.observer == BINARY else _OF_SPARSE
        pages += folded_pages(rows, leaf, trees.n_covariates, values)
    return pages

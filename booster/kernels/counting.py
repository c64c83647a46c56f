"""From the notes of a leaf to cells: the weight, and the Gaussian, of each feature and class.

Rows are sorted by their features first, so that the cells of one feature at a time are made, in
scratch space that stays in the processor's cache. Each cell adds up what it gets in the order in
which it was noted, as if it had been kept all along.
"""

from __future__ import annotations

from booster.kernels.compiling import exact
from booster.kernels.notes import (
    append,
    append_feature,
    append_real,
    blank,
    feature_at,
    pages_for,
    real_at,
    release_notes,
    step,
    words_of_row,
)
from booster.kernels.sparse import add_to_cell
from booster.kernels.state import (
    BINARY,
    CELL_LARGEST,
    CELL_SMALLEST,
    MOST_NOTES,
    SPARSE,
)


@exact
def note(forest, trees, row, label, weight, work):
    """Note a weighted label of the current row, and the row itself unless this was done before."""
    rows = forest.rows
    n_hits = work.n_hits[0]
    if work.noted[0] != row:
        words = words_of_row(trees.observer, n_hits)
        if rows.raw[row] > 0 and rows.raw[row] + words > MOST_NOTES:
            fold(forest, trees, row, work.search.found)
        append(forest, row, -1 - n_hits)
        for i in range(n_hits):
            append(forest, row, work.hits[i])
            if trees.observer != BINARY:
                append_feature(forest, row, work.row.x[work.hits[i]])
        rows.raw[row] += words
        work.noted[0] = row
    append(forest, row, label)
    append_real(forest, row, weight)
    rows.raw[row] += 3
    rows.updates[row] += n_hits
    rows.observed[row, label] += weight


@exact
def sort_notes(forest, trees, row, found):
    """Sort the notes of a leaf by features; return how many features there are."""
    n, page, at = _list_counted(forest, row, found)
    n, n_hits = _list_rows(forest, trees, row, n, page, at, found)
    place = 0
    for i in range(n):
        found.start[i] = place
        place += found.n_hits[i]
        found.n_hits[i] = 0
        found.place[found.feature[i]] = 0
    for h in range(n_hits):
        i = found.hit[h]
        r = found.hit_row[h]
        to = found.start[i] + found.n_hits[i]
        found.n_hits[i] += 1
        found.row[to] = r
        found.weight[i] += found.row_weight[r]
        if trees.observer == SPARSE:
            found.value[to] = found.hit_value[h]
    return n


@exact
def _list_counted(forest, row, found):
    """List the features that are counted; return how many there are, and where rows begin."""
    word = forest.notes.word
    page, at = forest.rows.page[row], 1
    values = found.cells.value.shape[1]
    n = forest.rows.counted[row]
    for i in range(n):
        f = word[page, at]
        page, at = step(word, page, at, 1)
        n_cells = word[page, at]
        page, at = step(word, page, at, 1)
        _list_feature(found, i, f)
        found.weight[i] = real_at(word, page, at)
        page, at = step(word, page, at, 2)
        found.page[i] = page
        found.at[i] = at
        found.n_cells[i] = n_cells
        page, at = step(word, page, at, n_cells * (1 + 2 * values))
    return n, page, at


@exact
def _list_feature(found, i, f):
    found.feature[i] = f
    found.place[f] = i + 1
    found.n_cells[i] = 0
    found.n_hits[i] = 0
    found.weight[i] = 0.0


@exact
def _list_rows(forest, trees, row, n, page, at, found):
    """List the rows that are not counted, their labels and features, beside n other features.

    Returns how many features, and features of rows, there are.
    """
    word = forest.notes.word
    n_rows, n_labels, n_hits = 0, 0, 0
    left = forest.rows.raw[row]
    while left > 0:
        head = word[page, at]
        page, at = step(word, page, at, 1)
        if head < 0:
            found.first[n_rows] = n_labels
            found.row_weight[n_rows] = 0.0
            for _ in range(-1 - head):
                f = word[page, at]
                page, at = step(word, page, at, 1)
                if found.place[f] == 0:
                    _list_feature(found, n, f)
                    n += 1
                i = found.place[f] - 1
                found.n_hits[i] += 1
                found.hit[n_hits] = i
                found.hit_row[n_hits] = n_rows
                if trees.observer == SPARSE:
                    found.hit_value[n_hits] = feature_at(word, page, at)
                    page, at = step(word, page, at, 1)
                n_hits += 1
            n_rows += 1
            left -= words_of_row(trees.observer, -1 - head)
        else:
            weight = real_at(word, page, at)
            page, at = step(word, page, at, 2)
            found.label[n_labels] = head
            found.label_weight[n_labels] = weight
            found.row_weight[n_rows - 1] += weight
            n_labels += 1
            left -= 3
    found.first[n_rows] = n_labels
    return n, n_hits


@exact
def make_cells(forest, trees, i, found):
    """Make the cells of the i-th feature that was found; return how many there are."""
    cells = found.cells
    n = _read_cells(forest.notes.word, i, found)
    x = 0.0
    for h in range(found.start[i], found.start[i] + found.n_hits[i]):
        r = found.row[h]
        if trees.observer == SPARSE:
            x = found.value[h]
        for place in range(found.first[r], found.first[r + 1]):
            label = found.label[place]
            if found.cell[label] == 0:
                cells.key[n] = label
                cells.value[n] = 0.0
                if trees.observer == SPARSE:
                    cells.value[n, CELL_SMALLEST] = x
                    cells.value[n, CELL_LARGEST] = x
                n += 1
                found.cell[label] = n
            add_to_cell(cells.value[found.cell[label] - 1], trees, x, found.label_weight[place])
    for c in range(n):
        found.cell[cells.key[c]] = 0
    return n


@exact
def _read_cells(word, i, found):
    """Read the cells of a feature that are counted already; return how many there are."""
    cells = found.cells
    page, at = found.page[i], found.at[i]
    for c in range(found.n_cells[i]):
        cells.key[c] = word[page, at]
        found.cell[cells.key[c]] = c + 1
        page, at = step(word, page, at, 1)
        for v in range(cells.value.shape[1]):
            cells.value[c, v] = real_at(word, page, at)
            page, at = step(word, page, at, 2)
    return found.n_cells[i]


@exact
def fold(forest, trees, row, found):
    """Replace the notes of a leaf by their cells."""
    rows = forest.rows
    first, last, words = rows.page[row], rows.last[row], rows.words[row]
    n = sort_notes(forest, trees, row, found)
    blank(rows, row)
    for i in range(n):
        n_cells = make_cells(forest, trees, i, found)
        append(forest, row, found.feature[i])
        append(forest, row, n_cells)
        append_real(forest, row, found.weight[i])
        for c in range(n_cells):
            append(forest, row, found.cells.key[c])
            for v in range(found.cells.value.shape[1]):
                append_real(forest, row, found.cells.value[c, v])
    rows.counted[row] = n
    release_notes(forest, first, last, words)


@exact
def clear_notes(forest, row):
    """Release the notes of a leaf."""
    rows = forest.rows
    release_notes(forest, rows.page[row], rows.last[row], rows.words[row])
    blank(rows, row)


@exact
def folded_pages(rows, row, n_covariates, values):
    """Return the most pages that the cells of a leaf can take; cells have so many values."""
    every = n_covariates * (4 + rows.observed.shape[1] * (1 + 2 * values))
    more = rows.updates[row] * (5 + 2 * values)  # each may be of a feature of its own
    return pages_for(min(every, rows.words[row] - rows.raw[row] + more))

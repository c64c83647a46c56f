"""From the notes of a leaf to cells: the weight, and the Gaussian, of each feature and class.

Rows are listed and sorted by their features first, so that the cells of one feature at a time are
made, in scratch space that stays in the processor's cache. Only features whose cells may be needed
are sorted. Each cell adds up what it gets in the order in
which it was noted, as if it had been kept all along.
"""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import exact
from booster.kernels.indices import known
from booster.kernels.memo import end_counted, list_as_counted, place_of_listed
from booster.kernels.notes import (
    append,
    blank,
    feature_of,
    pages_for,
    put_real,
    real_in,
    release_notes,
    unroll,
    word_of_feature,
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
    rows, words = forest.rows, work.search.found.words
    n_hits, n = work.n_hits[0], 0
    if work.noted[0] != row:
        n = words_of_row(trees.observer, n_hits)
        if rows.raw[row] > 0 and rows.raw[row] + n > MOST_NOTES:
            fold(forest, trees, row, work.search.found)
        words[0] = -1 - n_hits
        if trees.observer == BINARY:
            for i in range(n_hits):
                words[1 + i] = work.hits[i]
        else:
            for i in range(n_hits):
                words[1 + 2 * i] = work.hits[i]
                words[2 + 2 * i] = word_of_feature(work.row.x[work.hits[i]])
        work.noted[0] = row
    words[n] = label
    put_real(words, n + 1, weight)
    append(forest, row, words, n + 3)
    rows.raw[row] += n + 3
    rows.updates[row] += n_hits
    rows.observed[row, label] += weight


@exact
def sort_notes(forest, trees, row, found):
    """Sort the notes of a leaf by features; return how many features there are."""
    n, n_rows = list_notes(forest, trees, row, found)
    for i in range(n):
        found.chosen[i] = 1
    sort_chosen(trees, n, n_rows, found)
    return n


@exact
def list_notes(forest, trees, row, found):
    """List the features and the rows in the notes of a leaf; return how many there are of each.

    Call `sort_chosen` next.
    """
    n, page, at = _list_counted(forest, row, found)
    unroll(forest.notes.word, page, at, forest.rows.raw[row], found.words)
    return _list_rows(trees, forest.rows.raw[row], n, found)


@exact
def _list_counted(forest, row, found):
    """List the features that are counted; return how many there are, and where rows begin."""
    n = np.int64(forest.rows.counted[row])
    if n == 0:
        return n, np.int64(forest.rows.page[row]), np.int64(1)
    listed, place = found.listed, place_of_listed(forest, row, found)
    for i in range(n):
        _list_feature(found, i, listed.feature[place, i])
        found.weight[i] = listed.weight[place, i]
        found.n_cells[i] = listed.n_cells[place, i]
        found.page[i] = listed.page[place, i]
        found.at[i] = listed.at[place, i]
    return n, np.int64(listed.end[place, 0]), np.int64(listed.end[place, 1])


@exact
def _list_feature(found, i, f):
    found.feature[i] = f
    found.place[f] = i + 1
    found.n_cells[i] = 0
    found.n_hits[i] = 0
    found.weight[i] = 0.0


@exact
def _list_rows(trees, n_words, n, found):
    """List the rows that are not counted, their labels and features, beside n other features.

    In `words`, their places replace the features. Returns how many features and rows there are.
    """
    words = found.words
    width = words_of_row(trees.observer, 1) - 1
    at, n_rows, n_labels = 0, 0, 0
    while at < n_words:
        hits, at = at + 1, at + words_of_row(trees.observer, -1 - words[known(at)])
        end = at
        found.hits[known(n_rows)] = hits
        found.first[known(n_rows)] = n_labels
        n_rows += 1
        row_weight = 0.0
        while at < n_words and words[known(at)] >= 0:
            weight = real_in(words, at + 1)
            found.label[known(n_labels)] = words[known(at)]
            found.label_weight[known(n_labels)] = weight
            row_weight += weight
            n_labels += 1
            at += 3
        for hit in range(hits, end, width):
            f = words[known(hit)]
            if found.place[known(f)] == 0:
                _list_feature(found, n, f)
                n += 1
            i = known(found.place[known(f)] - 1)
            found.n_hits[i] += 1
            found.weight[i] += row_weight
            words[known(hit)] = i
    found.first[n_rows] = n_labels
    return n, n_rows


@exact
def sort_chosen(trees, n, n_rows, found):
    """Sort the listed rows by features, of those that are chosen."""
    words = found.words
    width = words_of_row(trees.observer, 1) - 1
    place, aside = 0, found.row.size - 1
    for i in range(n):
        found.start[i] = place if found.chosen[i] else aside
        place += found.n_hits[i] * found.chosen[i]
        found.n_hits[i] = 0
    if place > 0:
        for r in range(n_rows):
            hits = found.hits[r]
            for hit in range(hits, hits + width * (-1 - words[known(hits - 1)]), width):
                # Without a branch, which would often be mispredicted: the others are put aside.
                i = known(words[known(hit)])
                to = known(found.start[i] + found.n_hits[i])
                found.n_hits[i] += found.chosen[i]
                found.row[to] = r
                if trees.observer == SPARSE:
                    found.value[to] = feature_of(words[known(hit + 1)])
    for i in range(n):
        found.place[found.feature[i]] = 0


@exact
def make_cells(forest, trees, i, found):
    """Make the cells of the i-th feature that was found; return how many there are."""
    cells = found.cells
    n = _read_cells(forest.notes.word, i, found)
    x = 0.0
    for h in range(found.start[i], found.start[i] + found.n_hits[i]):
        r = found.row[known(h)]
        if trees.observer == SPARSE:
            x = found.value[known(h)]
        for place in range(found.first[known(r)], found.first[known(r + 1)]):
            label = known(found.label[known(place)])
            if found.cell[label] == 0:
                cells.key[n] = label
                cells.value[n] = 0.0
                if trees.observer == SPARSE:
                    cells.value[n, CELL_SMALLEST] = x
                    cells.value[n, CELL_LARGEST] = x
                n += 1
                found.cell[label] = n
            value = cells.value[known(found.cell[label] - 1)]
            add_to_cell(value, trees, x, found.label_weight[known(place)])
    for c in range(n):
        found.cell[known(cells.key[c])] = 0
    return n


@exact
def _read_cells(word, i, found):
    """Read the cells of a feature that are counted already; return how many there are."""
    cells, words, n = found.cells, found.of_cells, found.n_cells[i]
    values = cells.value.shape[1]
    width = 1 + 2 * values
    unroll(word, np.int64(found.page[i]), np.int64(found.at[i]), n * width, words)
    for c in range(n):
        at = c * width
        cells.key[c] = words[at]
        found.cell[known(words[at])] = c + 1
        for v in range(values):
            cells.value[c, v] = real_in(words, at + 1 + 2 * v)
    return n


@exact
def fold(forest, trees, row, found):
    """Replace the notes of a leaf by their cells."""
    rows, words = forest.rows, found.words
    first, last, n_words = rows.page[row], rows.last[row], rows.words[row]
    n = sort_notes(forest, trees, row, found)
    blank(rows, row)
    width = 1 + 2 * found.cells.value.shape[1]
    for i in range(n):
        if trees.observer == BINARY:
            n_cells = _add_to_words(forest.notes.word, i, found)
        else:
            n_cells = make_cells(forest, trees, i, found)
            _write_cells(n_cells, found)
        words[0] = found.feature[i]
        words[1] = n_cells
        put_real(words, 2, found.weight[i])
        append(forest, row, words, 4)
        list_as_counted(rows, row, i, n_cells, found)
        append(forest, row, found.of_cells, n_cells * width)
    rows.counted[row] = n
    if n > 0:
        end_counted(rows, row, found)
    release_notes(forest, first, last, n_words)


@exact
def _write_cells(n, found):
    """Write the cells of a feature as words, to `found.of_cells`."""
    cells, words, at = found.cells, found.of_cells, 0
    for c in range(n):
        words[at] = cells.key[c]
        at += 1
        for v in range(cells.value.shape[1]):
            put_real(words, at, cells.value[c, v])
            at += 2


@exact
def _add_to_words(word, i, found):
    """Do what `make_cells` and `_write_cells` do, for cells that are one weight each.

    Most cells of a leaf that was counted before stay the same, and so do their words.
    """
    words, n = found.of_cells, np.int64(found.n_cells[i])
    unroll(word, np.int64(found.page[i]), np.int64(found.at[i]), 3 * n, words)
    for c in range(n):
        found.cell[known(words[known(3 * c)])] = c + 1
    for h in range(found.start[i], found.start[i] + found.n_hits[i]):
        r = found.row[known(h)]
        for place in range(found.first[known(r)], found.first[known(r + 1)]):
            label = known(found.label[known(place)])
            weight = found.label_weight[known(place)]
            if found.cell[label] == 0:
                words[known(3 * n)] = label
                put_real(words, 3 * n + 1, weight)
                n += 1
                found.cell[label] = n
            else:
                at = 3 * np.int64(found.cell[label]) - 2
                put_real(words, at, real_in(words, at) + weight)
    for c in range(n):
        found.cell[known(words[known(3 * c)])] = 0
    return n


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

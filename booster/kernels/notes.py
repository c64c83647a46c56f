"""Notes: what a leaf was fed, word by word, until it is counted.

A leaf that only wants to split needs no table of its features and classes before it tries to.
Until then it notes each row and its labels, which takes far less memory, and writes only where the
last words are. `counting` makes cells of the notes.

Notes are int32 words on pages of one size, which are linked: the first word of a page leads to the
next. A leaf begins with the features that are already counted, `Rows.counted` of them:

    feature, number of cells, weight (2 words), then for each cell: class, values (2 words each)

and goes on with rows and their weighted labels, `Rows.raw` words of them:

    -1 - number of features, for each: feature, and its value unless it observes two values only
    label, weight (2 words)
"""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import exact
from booster.kernels.state import BINARY, NONE, PAGE, PAGES, SPARE_PAGES

_LOW, _SIGN = np.int64(0xFFFFFFFF), np.int64(0x80000000)


@exact
def pages_for(words):
    """Return how many pages some words take."""
    return (words + PAGE - 2) // (PAGE - 1)


@exact
def words_of_row(observer, n_hits):
    """Return how many words a row takes without its labels."""
    return 1 + n_hits if observer == BINARY else 1 + 2 * n_hits


@exact
def blank(rows, row):
    """Prepare the row of a leaf without notes."""
    rows.page[row] = NONE
    rows.last[row] = NONE
    rows.words[row] = 0
    rows.raw[row] = 0
    rows.counted[row] = 0
    rows.updates[row] = 0


@exact
def append(forest, row, word):
    """Write a word at the end of the notes of a leaf."""
    rows = forest.rows
    at = rows.words[row] % (PAGE - 1)
    if at == 0:
        _add_page(forest, row)
    forest.notes.word[rows.last[row], 1 + at] = word
    rows.words[row] += 1


@exact
def append_real(forest, row, value):
    """Write a float64, as two words."""
    bits = np.float64(value).view(np.int64)
    append(forest, row, ((bits & _LOW) ^ _SIGN) - _SIGN)
    append(forest, row, bits >> 32)


@exact
def append_feature(forest, row, value):
    """Write the value of a feature."""
    append(forest, row, np.float32(value).view(np.int32))


@exact
def _add_page(forest, row):
    """Link a new page, or a released one, to the notes of a leaf."""
    rows, notes, counts = forest.rows, forest.notes, forest.counts
    if counts[SPARE_PAGES] > 0:
        page = notes.vacant[0]
        notes.vacant[0] = notes.word[page, 0]
        counts[SPARE_PAGES] -= 1
    else:
        page = np.int32(counts[PAGES])
        counts[PAGES] += 1
    notes.word[page, 0] = NONE
    if rows.page[row] == NONE:
        rows.page[row] = page
    else:
        notes.word[rows.last[row], 0] = page
    rows.last[row] = page


@exact
def release_notes(forest, first, last, words):
    """Release the pages from the first to the last, which hold so many words."""
    if first != NONE:
        forest.notes.word[last, 0] = forest.notes.vacant[0]
        forest.notes.vacant[0] = first
        forest.counts[SPARE_PAGES] += pages_for(words)


@exact
def step(word, page, at, n):
    """Return the page and the place of the word n words further on."""
    at += n
    while at >= PAGE:
        page = word[page, 0]
        at -= PAGE - 1
    return page, at


@exact
def real_at(word, page, at):
    """Return the float64 whose first word is here."""
    next_page, next_at = step(word, page, at, 1)
    high, low = np.int64(word[next_page, next_at]), np.int64(word[page, at])
    return np.int64((high << 32) | (low & _LOW)).view(np.float64)


@exact
def feature_at(word, page, at):
    """Return the value of a feature that is here."""
    return np.int32(word[page, at]).view(np.float32)

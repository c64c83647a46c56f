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
from booster.kernels.indices import known
from booster.kernels.state import BINARY, MOST_NOTES, NONE, PAGE, PAGES, SPARE_PAGES

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
def most_words(n_covariates, n_labels):
    """Return the most words of rows and labels that a leaf notes before they are counted."""
    return MOST_NOTES + 1 + 2 * n_covariates + 3 * n_labels


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
def append(forest, row, words, n):
    """Write the first n of some words at the end of the notes of a leaf."""
    rows, done = forest.rows, 0
    while done < n:
        at = rows.words[row] % (PAGE - 1)
        if at == 0:
            _add_page(forest, row)
        some = min(n - done, PAGE - 1 - at)
        page = forest.notes.word[rows.last[row]]
        for i in range(some):
            page[known(1 + at + i)] = words[known(done + i)]
        rows.words[row] += some
        done += some


@exact
def unroll(word, page, at, n, out):
    """Copy the n words from a place on to `out`."""
    done = 0
    while done < n:
        some = min(n - done, PAGE - at)
        here = word[page]
        for i in range(some):
            out[known(done + i)] = here[known(at + i)]
        done += some
        page, at = np.int64(here[0]), 1


@exact
def put_real(words, at, value):
    """Put a float64, as two words, in an array."""
    bits = np.float64(value).view(np.int64)
    words[at] = ((bits & _LOW) ^ _SIGN) - _SIGN
    words[at + 1] = bits >> 32


@exact
def real_in(words, at):
    """Return the float64 of two words."""
    high, low = np.int64(words[known(at + 1)]), np.int64(words[known(at)])
    return np.int64((high << 32) | (low & _LOW)).view(np.float64)


@exact
def word_of_feature(value):
    """Return the value of a feature as a word."""
    return np.float32(value).view(np.int32)


@exact
def feature_of(word):
    """Return the value of a feature from its word."""
    return np.int32(word).view(np.float32)


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
    return feature_of(word[page, at])

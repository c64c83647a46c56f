"""Whether the notes of a saved forest can be read: every other kernel follows them unchecked.

Returns the first fault that it finds; `block_checks` says what it means. Nothing is followed before
it was checked.
"""

from __future__ import annotations

import math

from booster.kernels.compiling import exact
from booster.kernels.notes import feature_at, most_words, pages_for, real_at, step, words_of_row
from booster.kernels.state import MOST_NOTES, NONE, PAGES, ROWS, SPARE_PAGES, SPARSE

FINE, LINKS, WORDS, FEATURES, LABELS, NUMBERS, ROOM = range(7)


@exact
def fault_of_notes(forest, observer, n_covariates, owned, by_feature, by_label):
    """Return what is wrong with the notes.

    `owned` has a place for each page, and the other arrays for each feature and label; all zero.
    """
    rows = forest.rows
    for row in range(forest.counts[ROWS]):
        fault = _fault_of_pages(forest, rows.page[row], rows.last[row], rows.words[row], owned)
        if fault == FINE and rows.words[row] > 0:
            fault = _fault_of_words(forest, observer, row, n_covariates, by_feature, by_label)
        if fault != FINE:
            return fault
    page = forest.notes.vacant[0]
    for _ in range(forest.counts[SPARE_PAGES]):
        if not 0 <= page < forest.counts[PAGES] or owned[page]:
            return LINKS
        owned[page] = 1
        page = forest.notes.word[page, 0]
    return FINE


@exact
def _fault_of_pages(forest, page, last, words, owned):
    """Check that the pages of a leaf are its own, as many as it needs, and end where it says."""
    if words < 0:
        return WORDS
    end = NONE
    for _ in range(pages_for(words)):
        if not 0 <= page < forest.counts[PAGES] or owned[page]:
            return LINKS
        owned[page] = 1
        end = page
        page = forest.notes.word[page, 0]
    if words == 0 and page != NONE:
        return LINKS
    return FINE if end == last else LINKS


@exact
def _fault_of_words(forest, observer, row, n_covariates, by_feature, by_label):
    rows, word = forest.rows, forest.notes.word
    if not 0 <= rows.raw[row] <= rows.words[row]:
        return WORDS
    if by_feature.size == 0 or rows.block[row] != NONE:
        return ROOM
    if rows.raw[row] > most_words(n_covariates, by_label.size):
        return ROOM
    page, at, n, fault = _skip_counted(forest, row, by_feature, by_label)
    if fault != FINE:
        return fault
    left = rows.raw[row]
    n_rows, n_hits, n_labels, hits, updates = 0, 0, 0, 0, 0
    while left > 0:
        head = word[page, at]
        page, at = step(word, page, at, 1)
        left -= 3 if head >= 0 else words_of_row(observer, -1 - head)
        if left < 0 or (head >= 0 and n_rows == 0):
            return WORDS
        if head >= 0:
            if head >= by_label.size:
                return LABELS
            if not math.isfinite(real_at(word, page, at)):
                return NUMBERS
            page, at = step(word, page, at, 2)
            n_labels += 1
            updates += hits
        else:
            hits = -1 - head
            n_rows += 1
            n_hits += hits
            for _ in range(hits):
                f = word[page, at]
                if not 0 <= f < by_feature.size:
                    return FEATURES
                if by_feature[f] != row + 1:
                    by_feature[f] = row + 1
                    n += 1
                page, at = step(word, page, at, 1)
                if observer == SPARSE:
                    if not math.isfinite(feature_at(word, page, at)):
                        return NUMBERS
                    page, at = step(word, page, at, 1)
    most = MOST_NOTES + n_covariates
    if n > n_covariates or n_rows > most or n_hits > most:
        return ROOM
    if n_labels > MOST_NOTES // 3 + by_label.size or updates != rows.updates[row]:
        return ROOM
    return FINE


@exact
def _skip_counted(forest, row, by_feature, by_label):
    """Check the features that are counted; return where they end, how many there are, the fault."""
    rows, word = forest.rows, forest.notes.word
    page, at, n = rows.page[row], 1, 0
    values = forest.cells.value.shape[1]
    left = rows.words[row] - rows.raw[row]
    while left > 0 and n < rows.counted[row]:
        f = word[page, at]
        page, at = step(word, page, at, 1)
        n_cells = word[page, at] if left >= 4 else 0
        left -= 4 + n_cells * (1 + 2 * values)
        if n_cells <= 0 or n_cells > by_label.size or left < 0:
            return page, at, n, WORDS
        if not 0 <= f < by_feature.size or by_feature[f] == row + 1:
            return page, at, n, FEATURES
        by_feature[f] = row + 1
        n += 1
        page, at = step(word, page, at, 1)
        finite = math.isfinite(real_at(word, page, at))
        page, at = step(word, page, at, 2)
        for _ in range(n_cells):
            label = word[page, at]
            if not 0 <= label < by_label.size or by_label[label] == f + 1:
                return page, at, n, LABELS
            by_label[label] = f + 1
            page, at = step(word, page, at, 1)
            for _ in range(values):
                finite = finite and math.isfinite(real_at(word, page, at))
                page, at = step(word, page, at, 2)
        if not finite:
            return page, at, n, NUMBERS
        for label in range(by_label.size):
            by_label[label] = 0
    return page, at, n, FINE if left == 0 and n == rows.counted[row] else WORDS

"""What is remembered of leaves with notes from one attempt to split to the next.

It saves work and changes nothing else: it is never saved, a leaf that is not remembered is looked
at anew, and leaf r can only be remembered at place r % places.

*Where the features are that a leaf has counted.* They lie far apart, on pages each of which leads
to the next, so that finding them all takes longer than everything else that an attempt does.

*What the classes of a leaf at least take from the gain of a feature.* A gain, times the weight of
the leaf, is the entropy of its two sides minus that of the sides within each class, both times
their weights. More rows never make the second smaller, since entropies times weights are concave.
So what an attempt has found bounds all the gains until the leaf splits. Only for features with two
values, whose sides within each class are known.
"""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import exact
from booster.kernels.notes import real_at, step
from booster.kernels.state import NONE, PAGE, SAME

_LESS = 1.0 - 1e-6
"""Rounding to float32 must not make a bound larger."""

_MOST = 1e38
"""About the largest float32."""


@exact
def place_of_listed(forest, row, found):
    """Return the place in `found.listed` of the features that a leaf has counted."""
    place = row % found.listed.row.size
    if found.listed.row[place] != row:
        _list(forest, row, place, found)
    return place


@exact
def _list(forest, row, place, found):
    listed, word = found.listed, forest.notes.word
    page, at = np.int64(forest.rows.page[row]), 1
    values = found.cells.value.shape[1]
    for i in range(forest.rows.counted[row]):
        listed.feature[place, i] = word[page, at]
        page, at = step(word, page, at, 1)
        n_cells = word[page, at]
        page, at = step(word, page, at, 1)
        listed.weight[place, i] = real_at(word, page, at)
        page, at = step(word, page, at, 2)
        listed.n_cells[place, i] = n_cells
        listed.page[place, i] = page
        listed.at[place, i] = at
        page, at = step(word, page, at, n_cells * (1 + 2 * values))
    listed.end[place, 0] = page
    listed.end[place, 1] = at
    listed.row[place] = row


@exact
def list_as_counted(rows, row, i, n_cells, found):
    """List the i-th feature of a leaf as it is counted: its cells will be noted next."""
    listed = found.listed
    place = row % listed.row.size
    listed.row[place] = row
    listed.feature[place, i] = found.feature[i]
    listed.weight[place, i] = found.weight[i]
    listed.n_cells[place, i] = n_cells
    listed.page[place, i] = rows.last[row]
    listed.at[place, i] = _next_word(rows, row)


@exact
def end_counted(rows, row, found):
    """List where rows will be noted, after the features."""
    place = row % found.listed.row.size
    found.listed.end[place, 0] = rows.last[row]
    found.listed.end[place, 1] = _next_word(rows, row)


@exact
def _next_word(rows, row):
    """Return the place on the last page of a leaf of its next word; PAGE if that is on another."""
    return 2 + (rows.words[row] - 1) % (PAGE - 1)


@exact
def place_of_losses(row, found):
    """Return the place in `found.losses` of a leaf."""
    losses = found.losses
    place = row % losses.row.size
    if losses.row[place] != row:
        losses.row[place] = row
        losses.least[place] = 0.0
    return place


@exact
def remember_loss(row, i, loss, total, found):
    """Remember the entropy of the sides of a feature within the classes, times their weights."""
    least = min((loss - SAME * total) * _LESS, _MOST)
    place = place_of_losses(row, found)
    found.losses.least[place, i] = max(found.losses.least[place, i], np.float32(least))


@exact
def forget_losses(row, found):
    """Forget the bounds of a leaf, which starts without observations."""
    place = row % found.losses.row.size
    if found.losses.row[place] == row:
        found.losses.row[place] = NONE

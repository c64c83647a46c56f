"""How a tree learns one weighted label."""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import exact
from booster.kernels.counting import note
from booster.kernels.route import route
from booster.kernels.sparse import has_blocks, observe_nonzero
from booster.kernels.split import attempt
from booster.kernels.state import FREE, GAUSSIAN, LARGEST, M2, MEAN, NONE, SLOTS, SMALLEST


@exact
def take_slot(slots, free, counts):
    """Return an empty slot: a released one if there is any."""
    if counts[FREE] > 0:
        counts[FREE] -= 1
        slot = free[counts[FREE]]
    else:
        slot = np.int32(counts[SLOTS])
        counts[SLOTS] += 1
    slots.weight[slot] = 0.0
    slots.moments[slot] = 0.0
    slots.limits[slot, SMALLEST] = np.inf
    slots.limits[slot, LARGEST] = -np.inf
    return slot


@exact
def observe(slots, slot, x, weight):
    """Update the weighted Gaussian of each covariate (Welford)."""
    total = slots.weight[slot] + weight
    slots.weight[slot] = total
    rate = weight / total
    mean, m2 = slots.moments[slot, MEAN], slots.moments[slot, M2]
    smallest, largest = slots.limits[slot, SMALLEST], slots.limits[slot, LARGEST]
    for f in range(x.size):
        before = x[f] - mean[f]
        mean[f] += before * rate
        m2[f] += weight * before * (x[f] - mean[f])
        smallest[f] = min(smallest[f], np.float32(x[f]))
        largest[f] = max(largest[f], np.float32(x[f]))


@exact
def learn(forest, trees, tree, node, label, weight, work):
    """Feed a weighted label to the leaf `node`; return the leaf that the row is in afterwards."""
    rows = forest.rows
    row = forest.nodes[node].link
    rows.weight[row, label] += weight
    rows.total[row] += weight
    if forest.frozen[tree] and not trees.bayes:
        return node
    if trees.observer != GAUSSIAN:
        if has_blocks(trees, rows, row):
            observe_nonzero(forest, trees, tree, row, label, weight, work)
        else:
            note(forest, trees, row, label, weight, work)
    else:
        if rows.slot[row, label] == NONE:
            rows.slot[row, label] = take_slot(forest.slots, forest.free, forest.counts)
        observe(forest.slots, rows.slot[row, label], work.x, weight)
    if forest.frozen[tree] or rows.total[row] - rows.tried[row] < trees.grace[tree]:
        return node
    rows.tried[row] = rows.total[row]
    if attempt(forest, trees, tree, node, work.search):
        work.noted[0] = NONE
        return route(forest.nodes, node, work.row.x)
    return node

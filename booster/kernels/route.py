"""From a feature row to the leaves, and from the leaves to scores."""

from __future__ import annotations

from booster.kernels.compiling import exact
from booster.kernels.state import LEAF


@exact
def route(nodes, node, x):
    """Return the leaf below `node` that the row `x` falls into."""
    while nodes[node].feature != LEAF:
        right = x[nodes[node].feature] > nodes[node].threshold
        node = nodes[node].link + (1 if right else 0)
    return node


@exact
def route_all(nodes, root, x, node, active):
    """Put the leaf of every tree that the row `x` falls into in `node`.

    Descends all trees together, one level at a time, so that the processor loads many nodes at
    once instead of one after another.
    """
    for i in range(root.size):
        node[i] = root[i]
        active[i] = i
    n_active = root.size
    while n_active > 0:
        kept = 0
        for j in range(n_active):
            i = active[j]
            at = node[i]
            feature = nodes[at].feature
            if feature != LEAF:
                node[i] = nodes[at].link + (1 if x[feature] > nodes[at].threshold else 0)
                active[kept] = i
                kept += 1
        n_active = kept


@exact
def distribution(rows, row, h):
    """Compute the label distribution of a leaf: class weights, starting at 1, normalised."""
    weights = rows.weight[row]
    scale = 1.0 / (weights.size + rows.total[row])
    for label in range(weights.size):
        h[label] = (1.0 + weights[label]) * scale

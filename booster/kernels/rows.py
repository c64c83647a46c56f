"""Rows of features: from either form, dense or sparse, to one that all stages can read."""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import exact
from booster.kernels.indices import known


@exact
def load_row(features, index, row):
    """Put row number `index` in the scratch space `row`.

    A sparse row costs what it has that is not zero: the one before it is removed first. A negative
    zero is a zero like any other, so that both forms give the same bits.
    """
    n = 0
    if features.start.size > 0:
        for i in range(row.n[0]):
            row.x[row.where[i]] = 0.0
        for j in range(features.start[index], features.start[index + 1]):
            if features.value[j] != 0.0:
                row.where[n] = features.where[j]
                row.x[row.where[n]] = features.value[j]
                n += 1
    else:
        x = features.dense[index]
        for f in range(x.size):
            row.x[f] = x[f] + np.float32(0.0)
        for f in range(x.size):  # without a branch, which would often be mispredicted
            row.where[n] = f
            n += x[f] != 0.0
    row.n[0] = n


@exact
def gather(trees, tree, row, out):
    """Copy the covariates of a tree to `out`; zero padding ensures that no split is found there."""
    for f in range(trees.n_covariates):
        out[f] = row.x[trees.covariates[tree, f]]


@exact
def gather_nonzero(trees, tree, row, hits):
    """Put the features of a tree that are not zero in `hits`; return how many there are.

    `hits` has one more place than the tree has features.
    """
    n = 0
    member = trees.member[tree]
    for i in range(row.n[0]):  # without a branch, which would often be mispredicted
        f = row.where[i]
        hits[known(n)] = f
        n += (member[known(f >> 5)] >> (f & 31)) & 1 if member.size > 0 else 1
    return n

"""What a round has shown: relevant and irrelevant labels, and the weight of each pair."""

from __future__ import annotations

from booster.kernels.compiling import exact


@exact
def split_feedback(labels, bits, n_seen, relevant, irrelevant):
    """Sort the seen labels into relevant and irrelevant ones; returns how many of each."""
    n_relevant = 0
    n_irrelevant = 0
    for place in range(n_seen):
        if bits[place]:
            relevant[n_relevant] = labels[place]
            n_relevant += 1
        else:
            irrelevant[n_irrelevant] = labels[place]
            n_irrelevant += 1
    return n_relevant, n_irrelevant


@exact
def weigh_seen(relevant, irrelevant, inside, inverse_probability, pair_weight):
    """Importance weights 1 / P[a and b in the top-k] (the estimator, Eq. 1 of the paper)."""
    for i in range(relevant.size):
        for j in range(irrelevant.size):
            count = inside[relevant[i]] + inside[irrelevant[j]]
            pair_weight[i, j] = inverse_probability[count]


@exact
def weigh_all(n_relevant, n_irrelevant, pair_weight):
    """Full information: every pair counts the same, and all together 1."""
    pair_weight[:n_relevant, :n_irrelevant] = 1.0 / (n_relevant * n_irrelevant)

"""The feedback of a round: relevant and irrelevant labels, and the weight of each pair."""

from __future__ import annotations

from booster.kernels.compiling import exact
from booster.kernels.ranking import in_top


@exact
def split_feedback(labels, bits, n_seen, relevant, irrelevant):
    """Sort the seen labels into relevant and irrelevant ones; return how many of each."""
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
    """Compute importance weights 1 / P[a and b in the top-k] (Eq. 1 of the paper)."""
    for i in range(relevant.size):
        for j in range(irrelevant.size):
            count = inside[relevant[i]] + inside[irrelevant[j]]
            pair_weight[i, j] = inverse_probability[count]


@exact
def weigh_all(n_relevant, n_irrelevant, pair_weight):
    """Give every pair the same weight, summing to 1 (full information)."""
    pair_weight[:n_relevant, :n_irrelevant] = 1.0 / (n_relevant * n_irrelevant)


@exact
def weigh_over_experts(votes, work, k, relevant, irrelevant):
    """Compute importance weights from the probability of a pair over the draw of the expert too.

    These are also unbiased, with less variance: a pair that another expert would have shown counts
    less. Call it after `draw_expert`, and before anything is learned in the round.
    """
    weight, prefix = work.pairs.weight, work.prefix
    weight[: relevant.size, : irrelevant.size] = 0.0
    prefix[:] = 0.0
    mass = 0.0
    for i in range(votes.alpha.size):
        mass += work.nu[i]
    for i in range(votes.alpha.size):
        h = work.h[i]
        for label in range(h.size):
            prefix[label] += votes.alpha[i] * h[label]
        for b in range(irrelevant.size):
            work.spare[b] = in_top(prefix, work.prior, irrelevant[b], k)
        for a in range(relevant.size):
            inside = in_top(prefix, work.prior, relevant[a], k)
            for b in range(irrelevant.size):
                probability = 1.0 / work.inverse_probability[inside + work.spare[b]]
                weight[a, b] += work.nu[i] / mass * probability
    for a in range(relevant.size):
        for b in range(irrelevant.size):
            weight[a, b] = 1.0 / weight[a, b]

"""The feedback of a round: relevant and irrelevant labels, and the weight of each pair."""

from __future__ import annotations

from booster.kernels.compiling import exact
from booster.kernels.ranking import in_top
from booster.kernels.schedule import inverse


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
def weigh_logged(rules, bits, n_seen, n_labels, probability, pair_weight):
    """Compute importance weights from the probabilities of another policy, in order of places.

    They are clipped like our own; if a round shows every label, a pair may be certain.
    """
    pair, relevant, irrelevant = 0, 0, 0
    for i in range(n_seen):
        a, b = relevant, irrelevant
        if bits[i]:
            relevant += 1
        else:
            irrelevant += 1
        next_a, next_b = relevant, irrelevant
        for j in range(i + 1, n_seen):
            p = probability[pair]
            certain = n_seen == n_labels and p > rules.most_probability
            weight = 1.0 / p if certain else inverse(rules, p)
            if bits[j]:
                if not bits[i]:
                    pair_weight[next_a, b] = weight
                next_a += 1
            else:
                if bits[i]:
                    pair_weight[a, next_b] = weight
                next_b += 1
            pair += 1


@exact
def weigh_over_experts(rules, votes, work, relevant, irrelevant):
    """Compute importance weights from the probability of a pair over the draw of the expert too.

    These are also unbiased, with less variance: a pair that another expert would have shown counts
    less. Call it after `draw_expert`, and before anything is learned in the round.
    """
    weight = work.pairs.weight
    likely_over_experts(rules, votes, work, relevant, irrelevant, weight)
    for a in range(relevant.size):
        for b in range(irrelevant.size):
            weight[a, b] = inverse(rules, weight[a, b])


@exact
def likely_over_experts(rules, votes, work, first, second, probability):
    """Compute P of each pair of two lists of labels over the draw of the expert too."""
    prefix = work.prefix
    probability[: first.size, : second.size] = 0.0
    prefix[:] = 0.0
    mass = 0.0
    for i in range(votes.alpha.size):
        mass += work.nu[i]
    for i in range(votes.alpha.size):
        h = work.h[i]
        for label in range(h.size):
            prefix[label] += votes.alpha[i] * h[label]
        for b in range(second.size):
            work.spare[b] = in_top(prefix, work.prior, second[b], rules.k)
        for a in range(first.size):
            inside = in_top(prefix, work.prior, first[a], rules.k)
            for b in range(second.size):
                given = work.probability[inside + work.spare[b]]
                probability[a, b] += work.nu[i] / mass * given

"""Losses of a round, over all labels: for the record, never for learning.

The tie rule of the whole package is here: a relevant label that ties with an irrelevant one
is a wrong pair.
"""

from __future__ import annotations

from booster.kernels.compiling import exact


@exact
def wrong_pairs(scores, y):
    """Pairs of a relevant a and an irrelevant b with scores[a] <= scores[b]; those of them that
    tie; those that are wrong in the ranking, where the smaller label wins a tie; all pairs."""
    n_relevant = 0
    wrong = 0
    tied = 0
    wrong_ranked = 0
    for a in range(scores.size):
        if y[a]:
            n_relevant += 1
            s = scores[a]
            above = 0
            ties = 0
            ties_before = 0
            for b in range(scores.size):
                above += (y[b] == 0) & (scores[b] > s)
                ties += (y[b] == 0) & (scores[b] == s)
            if ties > 0:
                for b in range(a):
                    ties_before += (y[b] == 0) & (scores[b] == s)
            wrong += above + ties
            tied += ties
            wrong_ranked += above + ties_before
    return wrong, tied, wrong_ranked, n_relevant * (scores.size - n_relevant)


@exact
def wrong_pairs_shown(order, y):
    """Pairs of a relevant label placed below an irrelevant one."""
    wrong = 0
    irrelevant = 0
    for place in range(order.size):
        if y[order[place]]:
            wrong += irrelevant
        else:
            irrelevant += 1
    return wrong


@exact
def hinge(scores, y):
    """The hinge loss, summed over the pairs."""
    loss = 0.0
    for a in range(scores.size):
        if y[a]:
            for b in range(scores.size):
                if not y[b]:
                    loss += max(0.0, 1.0 + scores[b] - scores[a])
    return loss

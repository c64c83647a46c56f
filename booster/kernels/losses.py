"""Losses of a round, over all labels: for the record, never for learning.

This module defines the tie rule of the whole package: a relevant label that ties with an
irrelevant one, in votes and in `ties`, is a wrong pair.
"""

from __future__ import annotations

from booster.kernels.compiling import exact
from booster.kernels.ties import beats


@exact
def wrong_pairs(scores, prior, y):
    """Count pairs of a relevant and an irrelevant label.

    Returns the pairs whose relevant label does not beat the irrelevant one; those of them that tie;
    those that are wrong in the ranking, where the smaller label wins a tie; and all pairs.
    """
    n_relevant = 0
    wrong = 0
    tied = 0
    wrong_ranked = 0
    for a in range(scores.size):
        if y[a]:
            n_relevant += 1
            above = 0
            ties = 0
            ties_before = 0
            for b in range(scores.size):
                above += (y[b] == 0) & beats(scores, prior, b, a)
                ties += (y[b] == 0) & _tie(scores, prior, a, b)
            if ties > 0:
                for b in range(a):
                    ties_before += (y[b] == 0) & _tie(scores, prior, a, b)
            wrong += above + ties
            tied += ties
            wrong_ranked += above + ties_before
    return wrong, tied, wrong_ranked, n_relevant * (scores.size - n_relevant)


@exact
def _tie(scores, prior, a, b):
    return (scores[a] == scores[b]) & (prior[a] == prior[b])


@exact
def hinge(scores, y):
    """Return the hinge loss, summed over the pairs."""
    loss = 0.0
    for a in range(scores.size):
        if y[a]:
            for b in range(scores.size):
                if not y[b]:
                    loss += max(0.0, 1.0 + scores[b] - scores[a])
    return loss

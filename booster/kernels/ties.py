"""Breaks ties between labels with equal scores.

With many labels and feedback on few of them, most labels occur in no leaf that a row reaches, and
all of these tie. Labels that were relevant more often, relative to how often they were seen, come
first. If this is equal too, the smaller label comes first, as in the paper. The rate is compared
only if votes are equal: adding it to the votes, however small, would overturn smaller differences.
"""

from __future__ import annotations

from booster.kernels.compiling import exact


@exact
def notice(rules, votes, prior, labels, bits, n_seen):
    """Count the labels seen in a round, and the relevant ones among them."""
    for place in range(n_seen):
        label = labels[place]
        votes.seen[label] += 1.0
        votes.relevant[label] += bits[place]
        if rules.prior:
            prior[label] = (votes.relevant[label] + 1.0) / (votes.seen[label] + 2.0)


@exact
def beats(scores, prior, a, b):
    """Whether label a comes before label b by score or rate, without regard to its number."""
    return (scores[a] > scores[b]) | ((scores[a] == scores[b]) & (prior[a] > prior[b]))

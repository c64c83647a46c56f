"""What decides between labels that the learners cannot tell apart.

With many labels and feedback on few of them, most are in no leaf that a row comes to, and all of
these tie. Those that were relevant more often, of the times they were seen, come first; of those
that tie in this too, the smaller label, as in the paper. The rate is compared only where votes are
the same: added to them, however small, it would overturn votes that are smaller still.
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
    """Whether label a comes before label b for another reason than its number."""
    return (scores[a] > scores[b]) | ((scores[a] == scores[b]) & (prior[a] > prior[b]))

"""What decides between labels that the learners cannot tell apart.

With many labels and feedback on few of them, most are in no leaf that a row comes to, and all of
these tie. Those that were relevant more often, of the times they were seen, come first.
"""

from __future__ import annotations

from booster.kernels.compiling import exact

LEAD = 1e-9
"""The most that a label gains by it: far below any difference that the learners make, and far
above the rounding of their votes."""


@exact
def notice(votes, labels, bits, n_seen):
    """Count the labels seen in a round, and the relevant ones among them."""
    for place in range(n_seen):
        votes.seen[labels[place]] += 1.0
        votes.relevant[labels[place]] += bits[place]


@exact
def lead(votes, scores):
    """The scores before any learner votes: the rate of relevance by the rule of succession."""
    for label in range(scores.size):
        scores[label] = LEAD * (votes.relevant[label] + 1.0) / (votes.seen[label] + 2.0)

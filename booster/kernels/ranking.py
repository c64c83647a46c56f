"""From scores to rankings (ties: by `ties`, then the smaller label), and when to randomise."""

from __future__ import annotations

import math

from booster.kernels.compiling import exact
from booster.kernels.random import uniform
from booster.kernels.schemes import randomise
from booster.kernels.ties import beats


@exact
def rank(scores, prior, order, spare):
    """Rank all labels with a stable merge sort, from runs of length 1, 2, 4, .. upwards."""
    n = scores.size
    for label in range(n):
        order[label] = label
    length = 1
    while length < n:
        for first in range(0, n, 2 * length):
            middle = min(first + length, n)
            last = min(first + 2 * length, n)
            i, j = first, middle
            for place in range(first, last):
                if j >= last or (i < middle and not beats(scores, prior, order[j], order[i])):
                    spare[place] = order[i]
                    i += 1
                else:
                    spare[place] = order[j]
                    j += 1
        for place in range(n):
            order[place] = spare[place]
        length *= 2


@exact
def rank_top(scores, prior, k, order):
    """Fill the first k places of the ranking; the rest of `order` is unchanged."""
    filled = 0
    for label in range(scores.size):
        place = filled
        while place > 0 and beats(scores, prior, label, order[place - 1]):
            if place < k:
                order[place] = order[place - 1]
            place -= 1
        if place < k:
            order[place] = label
            filled = min(filled + 1, k)


@exact
def in_top(scores, prior, label, k):
    """Return 1 for a label in the first k places of the ranking, else 0."""
    before = 0
    for other in range(scores.size):
        equal = (scores[other] == scores[label]) & (prior[other] == prior[label])
        before += beats(scores, prior, other, label) | (equal & (other < label))
    return 1 if before < k else 0


@exact
def order_labels(rules, whole, work):
    """Put the ranking before randomisation in `work.order`, and mark its top-k in `work.inside`.

    Unless `whole` is set, only the first k places of `work.order` are valid.
    """
    if whole:
        rank(work.scores, work.prior, work.order, work.spare)
    else:
        rank_top(work.scores, work.prior, rules.k, work.order)
    work.inside[:] = 0
    for place in range(rules.k):
        work.inside[work.order[place]] = 1


@exact
def explore(rules, work):
    """Randomise `work.order` with the probability of the round."""
    if uniform(work.rng) < work.rate[0]:
        randomise(rules, work.order, work.rng)


@exact
def draw_expert(log_nu, rng, nu):
    """Draw an expert with probability proportional to exp(log_nu) (Hedge); `nu` is scratch."""
    top = log_nu[0]
    for i in range(1, log_nu.size):
        top = max(top, log_nu[i])
    mass = 0.0
    for i in range(log_nu.size):
        nu[i] = math.exp(log_nu[i] - top)
        mass += nu[i]
    left = uniform(rng) * mass
    expert = 0
    while expert < log_nu.size - 1 and left >= nu[expert]:
        left -= nu[expert]
        expert += 1
    return expert

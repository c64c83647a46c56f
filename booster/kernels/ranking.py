"""Scores to rankings (ties: the smaller label first), and their randomisation."""

from __future__ import annotations

import math

from booster.kernels.compiling import exact
from booster.kernels.random import below, uniform


@exact
def rank(scores, order, spare):
    """The whole ranking: merges runs of length 1, 2, 4, .., the first of equal scores first."""
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
                if j >= last or (i < middle and scores[order[i]] >= scores[order[j]]):
                    spare[place] = order[i]
                    i += 1
                else:
                    spare[place] = order[j]
                    j += 1
        for place in range(n):
            order[place] = spare[place]
        length *= 2


@exact
def rank_top(scores, k, order):
    """The first k places of the ranking; the rest of `order` is left alone."""
    filled = 0
    for label in range(scores.size):
        place = filled
        while place > 0 and scores[order[place - 1]] < scores[label]:
            if place < k:
                order[place] = order[place - 1]
            place -= 1
        if place < k:
            order[place] = label
            filled = min(filled + 1, k)


@exact
def in_top(scores, label, k):
    """1 for a label in the first k places of the ranking, else 0."""
    before = 0
    for other in range(scores.size):
        ties_before = (scores[other] == scores[label]) & (other < label)
        before += (scores[other] > scores[label]) | ties_before
    return 1 if before < k else 0


@exact
def shuffle(order, rng):
    """Uniform exploration: any permutation, each as likely."""
    for label in range(order.size):
        order[label] = label
    for place in range(order.size - 1, 0, -1):
        other = below(rng, place + 1)
        order[place], order[other] = order[other], order[place]


@exact
def swap_twice(order, k, rng):
    """Single-swap exploration: twice, a label of the top-k changes places with one outside."""
    for _ in range(2):
        place = below(rng, k)
        other = k + below(rng, order.size - k)
        order[place], order[other] = order[other], order[place]


@exact
def show(rules, scores, rng, whole, order, inside, spare):
    """The ranking to show, in `order`; marks the top-k before randomisation in `inside`.

    Returns whether it explored. Unless it did, or `whole` is set, only the first k places of
    `order` hold.
    """
    explores = uniform(rng) < rules.rho
    if whole or (explores and rules.single_swap):
        rank(scores, order, spare)
    else:
        rank_top(scores, rules.k, order)
    inside[:] = 0
    for place in range(rules.k):
        inside[order[place]] = 1
    if explores:
        if rules.single_swap:
            swap_twice(order, rules.k, rng)
        else:
            shuffle(order, rng)
    return explores


@exact
def draw_expert(log_nu, rng, nu):
    """An expert with probability proportional to exp(log_nu) (Hedge); `nu` is scratch space."""
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

"""Rankings: by score, then by prior, the smaller label first among equals; and at random."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations, product

from naive.draws import Draws

UNIFORM, SINGLE_SWAP = "uniform", "single-swap"


def rank(scores: Sequence[float], prior: Sequence[float] | None = None) -> list[int]:
    second = prior or [0.0] * len(scores)
    return sorted(range(len(scores)), key=lambda label: (-scores[label], -second[label], label))


def shuffle(m: int, draws: Draws) -> list[int]:
    """Any permutation: from the last place on, each place takes one of the labels left."""
    order = list(range(m))
    for place in reversed(range(1, m)):
        other = draws.below(place + 1)
        order[place], order[other] = order[other], order[place]
    return order


def swap_twice(ranking: Sequence[int], k: int, draws: Draws) -> list[int]:
    order = list(ranking)
    for _ in range(2):
        inside, outside = draws.below(k), k + draws.below(len(order) - k)
        order[inside], order[outside] = order[outside], order[inside]
    return order


def explore(
    ranking: Sequence[int], scheme: str, k: int, rho: float, draws: Draws
) -> tuple[list[int], bool]:
    """The ranking to show, and whether it was randomised."""
    if draws.uniform() >= rho:
        return list(ranking), False
    if scheme == UNIFORM:
        return shuffle(len(ranking), draws), True
    return swap_twice(ranking, k, draws), True


def explored(ranking: Sequence[int], scheme: str, k: int) -> list[list[int]]:
    """Every randomised ranking, each as likely as any other, some more than once."""
    if scheme == UNIFORM:
        return [list(order) for order in permutations(ranking)]
    swaps = list(product(range(k), range(k, len(ranking))))
    found = []
    for both in product(swaps, swaps):
        order = list(ranking)
        for inside, outside in both:
            order[inside], order[outside] = order[outside], order[inside]
        found.append(order)
    return found


def draw_expert(log_nu: Sequence[float], draws: Draws) -> int:
    """Hedge: with probability proportional to exp(log_nu)."""
    largest = max(log_nu)
    nu = [math.exp(value - largest) for value in log_nu]
    place = draws.uniform() * sum(nu)
    for expert in range(len(nu)):
        if place < sum(nu[: expert + 1]):
            return expert
    return len(nu) - 1

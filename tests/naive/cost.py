"""Whole cost vectors c[0] .. c[m-1] by their definitions, over weighted pairs (a, b, weight).

Sums are exact (fsum): which labels cost the same must not depend on the order of the pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

Pair = tuple[int, int, float]


def competitor(m: int, gamma: float, favoured: Collection[int]) -> list[float]:
    """A guess with an edge of gamma on each of the favoured labels, as far as that can be."""
    edge = min(gamma, 1 / len(favoured))
    base = (1 - edge * len(favoured)) / m
    return [base + edge * (label in favoured) for label in range(m)]


@lru_cache(maxsize=200_000)
def potential(n: int, x: float, down: float, up: float) -> float:
    """E max(0, x + W), W the sum of n steps: -1 and +1 with these probabilities, else 0."""
    if n == 0:
        return max(0.0, x)
    return (
        down * potential(n - 1, x - 1, down, up)
        + up * potential(n - 1, x + 1, down, up)
        + (1 - down - up) * potential(n - 1, x, down, up)
    )


def opt_costs(
    scores: Sequence[float],
    pairs: Collection[Pair],
    votes_left: int,
    u: Callable[[int], Sequence[float]],
) -> list[float]:
    """c[l]: the potential of s + e_l. `u(a)` is the competitor in the pairs of a."""
    costs = []
    for label in range(len(scores)):
        s = [score + (i == label) for i, score in enumerate(scores)]
        costs.append(
            math.fsum(
                weight * potential(votes_left, 1 + s[b] - s[a], u(a)[a], u(a)[b])
                for a, b, weight in pairs
            )
        )
    return costs


def logistic_loss(scores: Sequence[float], pairs: Collection[Pair]) -> float:
    return math.fsum(weight * math.log1p(math.exp(scores[b] - scores[a])) for a, b, weight in pairs)


def logistic_gradient(scores: Sequence[float], pairs: Collection[Pair]) -> list[float]:
    parts: list[list[float]] = [[] for _ in scores]
    for a, b, weight in pairs:
        slope = weight / (1 + math.exp(scores[a] - scores[b]))
        parts[a].append(-slope)
        parts[b].append(slope)
    return [math.fsum(part) for part in parts]


def slope_along(h: Sequence[float], scores: Sequence[float], pairs: Collection[Pair]) -> float:
    """The derivative of the loss of s + alpha h by alpha, at 0: none for a pair with equal h."""
    return math.fsum(
        weight * (h[b] - h[a]) / (1 + math.exp(scores[a] - scores[b])) for a, b, weight in pairs
    )


def learner_weight(costs: Sequence[float], label: int) -> float:
    """A learner that can only be told what to vote for is told so by what a label saves."""
    return max(costs) - costs[label]


def estimated_rank_loss(scores: Sequence[float], pairs: Collection[Pair]) -> float:
    return math.fsum(weight for a, b, weight in pairs if scores[a] <= scores[b])

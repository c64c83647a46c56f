"""How likely two labels are both to be seen: by going through all that can happen."""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

from naive.ranking import UNIFORM

CLIP = (0.005, 0.995)


@cache
def pair_probability(scheme: str, m: int, k: int, rho: float, inside: int) -> float:
    """P[a and b in the top-k], `inside` of the two being there before randomisation."""
    a, b = {0: (m - 1, m - 2), 1: (0, m - 1), 2: (0, 1)}[inside]
    tops = all_uniform(m, k) if scheme == UNIFORM else all_single_swap(m, k)
    explored = sum(a in top and b in top for top in tops) / len(tops)
    unchanged = a < k and b < k
    return (1 - rho) * unchanged + rho * explored


def all_uniform(m: int, k: int) -> list[set[int]]:
    """Every top-k that a random permutation can have, each as likely."""
    return [set(top) for top in combinations(range(m), k)]


def all_single_swap(m: int, k: int) -> list[set[int]]:
    """The top-k after every pair of swaps, starting with 0 .. k-1; each as likely."""
    tops = []
    swaps = list(product(range(k), range(k, m)))
    for first, second in product(swaps, swaps):
        order = list(range(m))
        for i, j in (first, second):
            order[i], order[j] = order[j], order[i]
        tops.append(set(order[:k]))
    return tops


def pair_weight(
    scheme: str, m: int, k: int, rho: float, inside: int, low: float = CLIP[0]
) -> float:
    """1 / P, with P clipped; 1 if all labels are seen anyway."""
    if k == m:
        return 1.0
    high = CLIP[1]
    return 1 / min(max(pair_probability(scheme, m, k, rho, inside), low), high)

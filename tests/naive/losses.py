"""The losses of scores s against a set R of relevant labels; a tie is a wrong pair.

A score is a number, or a tuple of the votes and of what decides between equal ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from naive.ranking import UNIFORM, explored


def label_pairs(y: Sequence[int]) -> list[tuple[int, int]]:
    """A relevant label and an irrelevant one."""
    m = len(y)
    return [(a, b) for a in range(m) if y[a] for b in range(m) if not y[b]]


def rank_loss(scores: Sequence[Any], y: Sequence[int]) -> int:
    return sum(scores[a] <= scores[b] for a, b in label_pairs(y))


def ties(scores: Sequence[Any], y: Sequence[int]) -> int:
    return sum(scores[a] == scores[b] for a, b in label_pairs(y))


def shown_rank_loss(ranking: Sequence[int], y: Sequence[int]) -> int:
    """Of places: these never tie."""
    place = {label: i for i, label in enumerate(ranking)}
    return sum(place[a] > place[b] for a, b in label_pairs(y))


def expected_rank_loss(
    ranking: Sequence[int], y: Sequence[int], scheme: str, k: int, rate: float
) -> float:
    """Of what is shown: the ranking, or anything that exploration can make of it."""
    if rate == 0:
        return shown_rank_loss(ranking, y)
    if scheme == UNIFORM:  # a permutation is as likely as its reverse
        mean = len(label_pairs(y)) / 2
    else:
        outcomes = explored(ranking, scheme, k)
        mean = sum(shown_rank_loss(outcome, y) for outcome in outcomes) / len(outcomes)
    return (1 - rate) * shown_rank_loss(ranking, y) + rate * mean


def weighted(loss: float, y: Sequence[int]) -> float:
    """A share of the pairs; 0 if there are none."""
    return loss / len(label_pairs(y)) if label_pairs(y) else 0.0


def hinge_loss(scores: Sequence[float], y: Sequence[int]) -> float:
    return sum(max(0.0, 1 + scores[b] - scores[a]) for a, b in label_pairs(y))

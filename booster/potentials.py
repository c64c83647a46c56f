"""Exact potentials of the Opt algorithms, as tables of random walks.

A potential is the expected hinge loss of a pair after n more votes drawn at random. Only
the difference d of the two scores matters: each draw moves it down with the probability of
the relevant label, up with that of the irrelevant one, or leaves it unchanged. So

    E max(0, 1 + d + W_n) = (1 + d) P(W_n >= j) + E[W_n; W_n >= j],   j = ceil(-1 - d),

and the tail masses and tail first moments of the walk, computed once in O(N^2), give the
potential of any real d by a look-up. The paper instead estimates it by sampling walks.
"""

from __future__ import annotations

import numpy as np

from booster.kernels.state import FloatArray


def vote_probabilities(m: int, gamma: float, n_relevant: int) -> tuple[float, float]:
    """Return the competitor u: the probabilities of a relevant and of an irrelevant label.

    An edge of gamma on each of `n_relevant` labels needs gamma * n_relevant <= 1. A larger gamma
    is reduced to satisfy this.
    """
    edge = min(gamma, 1.0 / n_relevant)
    base = (1.0 - n_relevant * edge) / m
    return base + edge, base


def walk_table(n_learners: int, down: float, up: float) -> FloatArray:
    """Return the tails of walks of 0 .. n_learners - 1 steps: P(W >= j) and E[W; W >= j].

    The shape is (n_learners, 2 n_learners + 3, 2); the second index is j + n_learners + 1.

    >>> walk_table(2, down=0.5, up=0.25)[1, :, 0].tolist()
    [1.0, 1.0, 1.0, 0.5, 0.25, 0.0, 0.0]
    """
    places = np.arange(-n_learners - 1, n_learners + 2, dtype=np.float64)
    mass = (places == 0).astype(np.float64)
    table = np.empty((n_learners, places.size, 2))
    for n in range(n_learners):
        table[n, :, 0] = _tail(mass)
        table[n, :, 1] = _tail(mass * places)
        moved = (1.0 - down - up) * mass
        moved[:-1] += down * mass[1:]
        moved[1:] += up * mass[:-1]
        mass = moved
    return table


def _tail(values: FloatArray) -> FloatArray:
    """Return the sums from each place to the end, adding small terms first."""
    return np.cumsum(values[::-1])[::-1]

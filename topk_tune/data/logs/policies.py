"""Turns rows whose labels are all known into the log of a policy that shows some of them.

The policy ranks by a fixed booster and randomises its rankings. Its draws are made here, because a
booster that does not learn explores alike whenever it is asked about the same row.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from booster.exploration import explored_probabilities
from booster.logs import Log, LogRows, log_rows
from booster.parameters import scheme, share, whole
from booster.tables import UNIFORM
from topk_tune.data.rows import FeatureRows, take

_BLOCK = 4096


@dataclass(frozen=True)
class Policy:
    """How a ranking is shown: the first k labels, after exploration.

    Parameters
    ----------
    k
        The number of labels that are shown.
    rate
        How often the ranking is randomised; 0 if never.
    exploration
        How it is randomised.
    """

    k: int
    rate: float
    exploration: str = UNIFORM

    def checked(self, n_labels: int) -> Policy:
        """Return it with plain values; raise a ValueError if they break a rule."""
        k = whole("k", self.k, 2, n_labels)
        return Policy(k, share("rate", self.rate), scheme(self.exploration, k, n_labels))

    def show(
        self, rankings: NDArray[np.int64], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return what is shown of each ranking, and how likely its pairs were."""
        n_rows, n_labels = rankings.shape
        shown = rankings.copy()
        explores = np.flatnonzero(rng.random(n_rows) < self.rate)
        if self.exploration == UNIFORM:
            shown[explores] = rng.permuted(shown[explores], axis=1)
        else:
            self._swap_twice(shown, explores, rng)
        shown = shown[:, : self.k]
        first, second = np.triu_indices(self.k, 1)
        top = rankings[:, np.newaxis, : self.k]
        in_top = (shown[:, :, np.newaxis] == top).any(axis=2).astype(np.int64)
        inside = in_top[:, first] + in_top[:, second]
        explored = explored_probabilities(self.exploration, n_labels, self.k)
        likely = (1.0 - self.rate) * (inside == 2) + self.rate * explored[inside]
        return shown, np.ones_like(likely) if self.k == n_labels else likely

    def _swap_twice(
        self, shown: NDArray[np.int64], rows: NDArray[np.intp], rng: np.random.Generator
    ) -> None:
        for _ in range(2):
            place = rng.integers(self.k, size=rows.size)
            other = rng.integers(self.k, shown.shape[1], size=rows.size)
            shown[rows, place], shown[rows, other] = shown[rows, other], shown[rows, place]


def logged(
    X: FeatureRows,
    Y: NDArray[np.uint8],
    rankings: NDArray[np.int64],
    policy: Policy,
    passes: int = 1,
    seed: int = 0,
) -> Iterator[tuple[FeatureRows, LogRows]]:
    """Yield the log of a policy over rows that it passes some times; `rankings` are its own."""
    n_labels = Y.shape[1]
    policy = policy.checked(n_labels)
    rng = np.random.default_rng(seed)
    for _ in range(whole("passes", passes, 1)):
        for first in range(0, len(Y), _BLOCK):
            part = slice(first, min(first + _BLOCK, len(Y)))
            shown, likely = policy.show(rankings[part], rng)
            features = take(X, part)
            bits = np.take_along_axis(Y[part], shown, axis=1)
            yield features, log_rows(Log(features, shown, bits, likely), X.shape[1], n_labels)

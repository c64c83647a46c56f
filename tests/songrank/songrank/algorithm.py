"""The most popular songs first: as little as an algorithm can be."""

from __future__ import annotations

import zlib
from typing import Any, ClassVar

import numpy as np


class Popularity:
    """Ranks labels by how often they were relevant when they were shown; features do not count.

    Parameters
    ----------
    n_features, n_labels, seed
        The shape of the stream, and what determines everything random.
    k
        How many labels at the top it is told of.
    smoothing
        How many times, half of them relevant, each label is taken to have been shown before.
    rate
        How often the ranking shown is a random one.
    """

    search_space: ClassVar[dict[str, Any]] = {
        "loops": 2,
        "smoothing": {"type": "float", "low": 0.1, "high": 100.0, "log": True},
        "rate": {"type": "float", "low": 0.01, "high": 0.5, "log": True},
    }

    def __init__(
        self,
        *,
        n_features: int,
        n_labels: int,
        seed: int,
        k: int = 3,
        smoothing: float = 1.0,
        rate: float = 0.1,
    ) -> None:
        if not 1 <= k <= n_labels:
            raise ValueError(f"1 <= k <= n_labels = {n_labels} must hold, but got {k}")
        if not smoothing > 0:
            raise ValueError(f"smoothing > 0 must hold, but got {smoothing}")
        if not 0 <= rate <= 1:
            raise ValueError(f"0 <= rate <= 1 must hold, but got {rate}")
        self.n_features = n_features
        self.k = k
        self.rate = rate
        self.seed = seed
        self.rounds = 0
        self._shown = np.full(n_labels, smoothing)
        self._relevant = np.full(n_labels, smoothing / 2)
        self._last: np.ndarray | None = None

    def predict(self, x: np.ndarray) -> np.ndarray:
        """The ranking to show; asking twice gives the same."""
        if np.shape(x) != (self.n_features,) or not np.isfinite(x).all():
            raise ValueError(f"x must be {self.n_features} finite numbers, but got {x!r}")
        # By the row too: a ranker that only predicts would else explore for all rows or for none.
        row = zlib.crc32(np.asarray(x, np.float32).tobytes())
        draw = np.random.default_rng((self.seed, self.rounds, row))
        ranking = np.argsort(-self._relevant / self._shown, kind="stable")
        self._last = draw.permutation(ranking) if draw.random() < self.rate else ranking
        return self._last.copy()

    def update(self, feedback: np.ndarray) -> None:
        """Count the labels at the top of the last prediction."""
        if self._last is None:
            raise ValueError("predict must come before update, but no prediction is pending")
        if np.shape(feedback) != (self.k,):
            raise ValueError(f"feedback must be {self.k} bits, but got {feedback!r}")
        top = self._last[: self.k]
        self._shown[top] += 1
        self._relevant[top] += feedback
        self._last = None
        self.rounds += 1

    def rank(self, X: np.ndarray) -> np.ndarray:
        """The ranking without exploring, the same for every row."""
        ranking = np.argsort(-self._relevant / self._shown, kind="stable")
        return np.tile(ranking, (len(X), 1))

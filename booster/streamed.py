"""Rounds over arrays for any online ranker, with the same losses that boosters report."""

from __future__ import annotations

import copy
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.features import dense_rows, rows_of
from booster.kernels.state import LOSS, SHOWN
from booster.parameters import label_rows, whole
from booster.protocol import Ranker, Trainable
from booster.ranking_losses import hinge_losses, weighted_losses, wrong_pairs
from booster.results import Evaluation, Result

_COMPLETE = ("run", "rank", "evaluate", "settled", "save", "rounds", "counts")


def trainable(ranker: Any, n_features: int, n_labels: int) -> Trainable:
    """Return the ranker with the interface that training needs: itself, if it has all of it."""
    if all(hasattr(ranker, name) for name in _COMPLETE):
        found: Trainable = ranker
        return found
    return Streamed(ranker, n_features, n_labels)


class Streamed:
    """Feeds a ranker row by row, using the ranker's own methods where it has them.

    Parameters
    ----------
    ranker
        The ranker; see `booster.protocol`.
    n_features, n_labels
        The shape of the stream.
    rounds
        The number of rounds it has already learned from.

    Examples
    --------
    >>> import numpy as np
    >>> class Same:
    ...     full = True
    ...     def predict(self, x): return [0, 1, 2]
    ...     def update(self, feedback): pass
    >>> rows = Streamed(Same(), n_features=1, n_labels=3)
    >>> rows.run(np.zeros((2, 1)), np.array([[1, 0, 0], [0, 0, 1]])).loss.tolist()
    [0.5]
    """

    def __init__(self, ranker: Any, n_features: int, n_labels: int, rounds: int = 0) -> None:
        self.ranker: Ranker = ranker
        self.n_features = n_features
        self.n_labels = n_labels
        self._rounds = rounds
        self.full = bool(getattr(ranker, "full", False))
        self.k: int | None = getattr(ranker, "k", None)
        if self.k is None and not self.full:
            raise ValueError(
                f"{type(ranker).__name__} must have k, the number of labels at the top that it is "
                "told about, or full = True"
            )

    @property
    def rounds(self) -> int:
        """The number of rounds it has learned from."""
        return int(getattr(self.ranker, "rounds", self._rounds))

    @property
    def counts(self) -> dict[str, int]:
        """The ranker's own counts, if it has any."""
        return dict(getattr(self.ranker, "counts", {}))

    @property
    def bounded_bytes(self) -> int:
        """The upper limit of its memory; 0 if unknown."""
        return int(getattr(self.ranker, "bounded_bytes", 0))

    def run(self, X: ArrayLike, Y: ArrayLike, loops: int = 1) -> Result:
        """Loop over the rows: predict, record the loss, learn from the feedback.

        The shown loss is that of the rankings shown. The loss before randomisation needs `rank`;
        for rankers without it, the two losses are the same.
        """
        features, labels = self._rows(X, Y)
        loops = whole("loops", loops, 1)
        compiled = getattr(self.ranker, "run", None)
        if compiled is not None:
            result: Result = compiled(features, labels, loops)
            self._rounds += loops * len(features)
            return result
        record = np.zeros((loops, 3, len(features)))
        started = time.perf_counter()
        for part in record:
            greedy, shown = self._round_by_round(features, labels)
            part[LOSS] = weighted_losses(greedy, labels)
            part[SHOWN] = weighted_losses(shown, labels)
        return Result.of_record(record, time.perf_counter() - started)

    def _round_by_round(
        self, X: NDArray[np.float32], Y: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Learn from every row after ranking it; return the greedy and the shown rankings."""
        greedy, shown = np.empty((2, *Y.shape), np.int64)
        explores = hasattr(self.ranker, "rank")
        for row, (x, y) in enumerate(zip(X, Y, strict=True)):
            shown[row] = self._ranking(self.ranker.predict(x))
            greedy[row] = self.rank(X[row : row + 1])[0] if explores else shown[row]
            self.ranker.update(y if self.full else y[shown[row, : self.k]])
            self._rounds += 1
        return greedy, shown

    def rank(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the labels of every row, best first. Learns nothing."""
        features = self._features(X)
        ranked = getattr(self.ranker, "rank", None)
        if ranked is None:
            return self._predicted(features)
        rankings = np.asarray(ranked(features))
        return np.array([self._ranking(each) for each in rankings], np.int64).reshape(
            len(features), self.n_labels
        )

    def evaluate(self, X: ArrayLike, Y: ArrayLike) -> Evaluation:
        """Return the losses on rows without learning; with the hinge loss if it has scores."""
        features, labels = self._rows(X, Y)
        own = getattr(self.ranker, "evaluate", None)
        if own is not None:
            evaluation: Evaluation = own(features, labels)
            return evaluation
        rankings = self.rank(features)
        wrong, pairs = wrong_pairs(rankings, labels)
        return Evaluation(
            loss=float((wrong / np.maximum(pairs, 1.0)).mean()),
            ties=0.0,
            rank=float(wrong.mean()),
            hinge=self._hinge(features, labels),
            shown=float(weighted_losses(self._predicted(features), labels).mean()),
        )

    def settled(self) -> Streamed:
        """Return a copy whose training has ended: the ranker's own `settled`, or a plain copy."""
        own = getattr(self.ranker, "settled", None)
        ranker = copy.deepcopy(self.ranker) if own is None else own()
        return Streamed(ranker, self.n_features, self.n_labels, self._rounds)

    def save(self, path: str | Path) -> None:
        """Write the ranker to a file in its own format."""
        writer: Any = self.ranker
        writer.save(path)

    def _predicted(self, X: NDArray[np.float32]) -> NDArray[np.int64]:
        """Return the ranking to show for each row; a copy predicts, so the ranker is unchanged."""
        asked = copy.deepcopy(self.ranker)
        shown = np.empty((len(X), self.n_labels), np.int64)
        for row, x in enumerate(X):
            shown[row] = self._ranking(asked.predict(x))
        return shown

    def _hinge(self, X: NDArray[np.float32], Y: NDArray[np.uint8]) -> float | None:
        scored = getattr(self.ranker, "scores", None)
        if scored is None:
            return None
        scores = np.asarray(scored(X), np.float64)
        return float(hinge_losses(scores, Y).mean())

    def _rows(self, X: ArrayLike, Y: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
        features = self._features(X)
        if len(features) == 0:
            raise ValueError("X must have at least one row, but got none")
        return features, label_rows(Y, len(features), self.n_labels)

    def _features(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return dense rows, also of sparse ones: rankers need not know what is sparse."""
        return dense_rows(rows_of(X, self.n_features), self.n_features)

    def _ranking(self, found: ArrayLike) -> NDArray[np.int64]:
        ranking = np.asarray(found)
        if not np.array_equal(np.sort(ranking, axis=None), np.arange(self.n_labels)):
            raise ValueError(
                f"a ranking must have each of {self.n_labels} labels once, but "
                f"{type(self.ranker).__name__} ranked {ranking.tolist()}"
            )
        return ranking.astype(np.int64)

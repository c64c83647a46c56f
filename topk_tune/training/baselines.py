"""What others reach on the same rows: figures without which a loss says little.

Label frequency needs no features at all: whoever is not below it has learned nothing from them.
The others are of scikit-learn, fitted to all labels of every row, of which a booster with top-k
feedback sees a few only. They are not tuned to a data set, and do not learn while they are
measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.ranking_losses import weighted_losses
from topk_tune.training.trial import FoldedRows, SplitRows, TrialRows

Scores = NDArray[np.float64]
_Scorer = Callable[[SplitRows], Scores]

LABEL_FREQUENCY = "label frequency"

# One choice for all data sets, by a single split of the training rows of Emotions, Scene, Yeast,
# enron and bibtex. Three rows in a leaf against one: .131/.149, .062/.060, .160/.160, .068/.084,
# .084/.147. C = 0.01 was the best of 1, 0.1, 0.01 and 0.001 on the last three; 0.1 was on Emotions
# (.139 against .148), 0.001 on Scene (.069 against .072).
_TREES, _LEAF = 200, 3
_C = 0.01

_TOGETHER = 4
"""Trees that are grown at the same time, and forgotten before the next: with 31,000 rows and 101
labels a tree takes tens of megabytes."""

_BLOCK = 4096
"""Rows whose losses are computed at a time, to bound the memory."""


@dataclass(frozen=True)
class Baseline:
    """What somebody else reaches.

    Parameters
    ----------
    name
        Who.
    loss
        The mean weighted rank loss on the measuring rows. Nothing explores here, so it is what
        users would see as well.
    needs_all_labels
        Whether it was fitted to every label of every training row and its features.
    """

    name: str
    loss: float
    needs_all_labels: bool


def baselines(rows: TrialRows, seeds: Sequence[int] = (0,), more: bool = False) -> list[Baseline]:
    """What label frequency reaches and, if `more` is wanted, what scikit-learn's learners do.

    Parameters
    ----------
    rows
        The rows that trials train on and are measured with.
    seeds
        Of the trials: folds are averaged as the trials average them.
    more
        Whether to fit learners too, which takes seconds, and minutes on Mediamill.
    """
    wanted = {name: _SCORERS[name] for name in (_SCORERS if more else [LABEL_FREQUENCY])}
    totals = dict.fromkeys(wanted, 0.0)
    for part, times in _parts(rows, seeds):
        for name, scorer in wanted.items():
            totals[name] += times * ranking_loss(scorer(part), part.Y_measure)
    return [
        Baseline(name, total / len(seeds), needs_all_labels=name != LABEL_FREQUENCY)
        for name, total in totals.items()
    ]


def ranking_loss(scores: NDArray[Any], labels: NDArray[np.uint8]) -> float:
    """The mean weighted rank loss of rankings by score, of equal scores the smaller label first.

    Of a row, it is the share of pairs of a relevant and an irrelevant label that are ranked the
    wrong way round; 0 if there is no pair.

    >>> ranking_loss(np.array([[0.2, 0.9, 0.2]]), np.array([[1, 0, 0]], dtype=np.uint8))
    0.5
    """
    total = 0.0
    for start in range(0, len(labels), _BLOCK):
        block = slice(start, start + _BLOCK)
        order = np.argsort(-scores[block], axis=1, kind="stable")
        total += float(weighted_losses(order, labels[block]).sum())
    return total / len(labels)


def _parts(rows: TrialRows, seeds: Sequence[int]) -> list[tuple[SplitRows, int]]:
    """The rows of each seed; those that several seeds share once, with their number."""
    if not isinstance(rows, FoldedRows):
        return [(rows, len(seeds))]
    folds = int(rows.fold.max()) + 1
    return [(rows.of(fold), n) for fold, n in sorted(Counter(s % folds for s in seeds).items())]


def _frequency(rows: SplitRows) -> Scores:
    """The same for every row: the share of training rows in which a label is relevant."""
    return np.tile(rows.Y.mean(axis=0), (len(rows.Y_measure), 1))


def _extra_trees(rows: SplitRows) -> Scores:
    """The mean probability of a label over trees whose splits are drawn at random."""
    from sklearn.ensemble import ExtraTreesClassifier

    scores = _frequency(rows)
    varied = _varied(rows.Y)
    if not varied.any():
        return scores
    labels = _in_columns(rows.Y[:, varied])
    total = np.zeros((len(scores), labels.shape[1]))
    for first in range(0, _TREES, _TOGETHER):
        forest = ExtraTreesClassifier(
            _TOGETHER, min_samples_leaf=_LEAF, random_state=first, n_jobs=_TOGETHER
        ).fit(rows.X, labels)
        # Not the forest's own mean: its threads add in the order in which they come to it.
        for tree in forest.estimators_:
            total += np.stack([p[:, 1] for p in tree.predict_proba(rows.X_measure)], axis=1)
    scores[:, varied] = total[:, : varied.sum()] / _TREES
    return scores


def _logistic(rows: SplitRows) -> Scores:
    """The probability of each label by a regression of its own."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler
    from threadpoolctl import threadpool_limits

    scores = _frequency(rows)
    scaler = StandardScaler().fit(rows.X)
    X, X_measure = scaler.transform(rows.X), scaler.transform(rows.X_measure)
    # On matrices of this size threads wait for each other: one is up to thirty times faster.
    with threadpool_limits(1):
        for label in np.flatnonzero(_varied(rows.Y)):
            model = LogisticRegression(C=_C, max_iter=1000).fit(X, rows.Y[:, label])
            scores[:, label] = model.predict_proba(X_measure)[:, 1]
    return scores


_SCORERS: dict[str, _Scorer] = {
    LABEL_FREQUENCY: _frequency,
    "ExtraTrees": _extra_trees,
    "logistic regression": _logistic,
}


def _varied(labels: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The labels that are both relevant and irrelevant in some row: others have one probability."""
    return np.asarray(labels.min(axis=0) != labels.max(axis=0))


def _in_columns(labels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """At least two columns: of one, scikit-learn returns another shape."""
    return labels if labels.shape[1] > 1 else np.repeat(labels, 2, axis=1)

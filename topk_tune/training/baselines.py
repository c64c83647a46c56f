"""Baselines on the same rows, for comparison with the loss of a booster.

Label frequency uses no features: a booster that does not beat it has learned nothing from them.
The other baselines are scikit-learn models fitted to all labels of every row, while a booster with
top-k feedback sees only a few. They are not tuned to a data set, and do not learn while they are
measured.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from booster.features import is_sparse
from booster.log_losses import log_losses, scores_of
from booster.logs import log_rows
from booster.ranking_losses import weighted_losses
from topk_tune.data.logs.feedback import Feedback, is_feedback
from topk_tune.training.trial import FoldedRows, SplitRows, TrialRows

Scores = NDArray[np.float64]
_Scorer = Callable[[SplitRows], Scores]

LABEL_FREQUENCY = "label frequency"

# One choice for all data sets, from a single split of the training rows of Emotions, Scene, Yeast,
# enron and bibtex. Three rows per leaf against one: .131/.149, .062/.060, .160/.160, .068/.084,
# .084/.147. C = 0.01 was the best of 1, 0.1, 0.01 and 0.001 on the last three; 0.1 was the best on
# Emotions (.139 against .148), and 0.001 on Scene (.069 against .072).
_TREES, _LEAF = 200, 3
_C = 0.01

_TOGETHER = 4
"""Trees that are grown together and dropped before the next: with 31,000 rows and 101 labels a
tree takes tens of megabytes."""

_BLOCK = 4096
"""Rows whose losses are computed together, to bound the memory."""


@dataclass(frozen=True)
class Baseline:
    """The loss of a baseline.

    Parameters
    ----------
    name
        Its name.
    loss
        The mean weighted rank loss on the measuring rows. Baselines do not explore, so it is
        both the greedy and the shown loss. On a log, the estimated rank loss.
    needs_all_labels
        Whether it was fitted to the features and all labels of every training row.
    """

    name: str
    loss: float
    needs_all_labels: bool


def baselines(rows: TrialRows, seeds: Sequence[int] = (0,), more: bool = False) -> list[Baseline]:
    """Return the baselines: label frequency and, with `more`, scikit-learn models.

    Parameters
    ----------
    rows
        The rows that trials train on and are measured with.
    seeds
        The seeds of the trials: folds are averaged as in the trials.
    more
        Whether to fit models too, which takes seconds, or minutes on Mediamill.
    """
    wanted = {name: _SCORERS[name] for name in (_SCORERS if more else [LABEL_FREQUENCY])}
    totals = dict.fromkeys(wanted, 0.0)
    if is_feedback(rows.Y):  # others need labels that were not shown
        wanted = {LABEL_FREQUENCY: _frequency}
        totals = dict.fromkeys(wanted, 0.0)
    for part, times in _parts(rows, seeds):
        for name, scorer in wanted.items():
            totals[name] += times * _loss(scorer(part), part)
    return [
        Baseline(name, total / len(seeds), needs_all_labels=name != LABEL_FREQUENCY)
        for name, total in totals.items()
    ]


def _loss(scores: Scores, rows: SplitRows) -> float:
    """Return the weighted rank loss; of a log, the estimated rank loss."""
    told = rows.Y_measure
    if not isinstance(told, Feedback):
        return ranking_loss(scores, told)
    log = log_rows(told.log(rows.X_measure), rows.X_measure.shape[1], told.n_labels)
    order = np.argsort(-scores, axis=1, kind="stable")
    return log_losses(log, scores_of(order)).self_normalised.value


def ranking_loss(scores: NDArray[Any], labels: NDArray[np.uint8]) -> float:
    """Return the mean weighted rank loss of rankings by score; ties go to the smaller label.

    The loss of a row is the share of pairs of a relevant and an irrelevant label that are in the
    wrong order; 0 if there is no pair.

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
    """Return the rows of each distinct split, with the number of seeds that share it."""
    if not isinstance(rows, FoldedRows):
        return [(rows, len(seeds))]
    folds = int(rows.fold.max()) + 1
    return [(rows.of(fold), n) for fold, n in sorted(Counter(s % folds for s in seeds).items())]


def _frequency(rows: SplitRows) -> Scores:
    """Return the same scores for every row: the share of training rows with each label."""
    if isinstance(rows.Y, Feedback):
        return np.tile(rows.Y.rates(), (len(rows.Y_measure), 1))
    return np.tile(rows.Y.mean(axis=0), (len(rows.Y_measure), 1))


def _extra_trees(rows: SplitRows) -> Scores:
    """Return the mean probability of each label over trees with random splits."""
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
        # The forest's own mean depends on the order in which its threads finish.
        for tree in forest.estimators_:
            total += np.stack([p[:, 1] for p in tree.predict_proba(rows.X_measure)], axis=1)
    scores[:, varied] = total[:, : varied.sum()] / _TREES
    return scores


def _logistic(rows: SplitRows) -> Scores:
    """Return the probability of each label from its own regression."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler
    from threadpoolctl import threadpool_limits

    scores = _frequency(rows)
    # Without a shift, sparse rows stay sparse; the intercept makes up for it, without a penalty.
    scaler = StandardScaler(with_mean=not is_sparse(rows.X)).fit(rows.X)
    X, X_measure = scaler.transform(rows.X), scaler.transform(rows.X_measure)
    # Threads would wait for each other on matrices of this size: one is up to 30 times faster.
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
    """Return the labels that are relevant in some rows but not in all; others need no model."""
    return np.asarray(labels.min(axis=0) != labels.max(axis=0))


def _in_columns(labels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return at least two columns: scikit-learn returns another shape for one."""
    return labels if labels.shape[1] > 1 else np.repeat(labels, 2, axis=1)

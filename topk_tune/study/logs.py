"""What a study on a log must meet, checked before it starts."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from booster.log_losses import log_losses, scores_of
from booster.log_model import predicted_relevance
from booster.logs import log_rows
from booster.tables import ALGORITHMS
from topk_tune.data import Dataset
from topk_tune.data.logs.feedback import Feedback
from topk_tune.data.logs.summary import summarise_rounds
from topk_tune.spaces import Space
from topk_tune.study.options import SearchOptions
from topk_tune.training.metrics import LOGGED, MAIN_OF_LOGS
from topk_tune.training.trial import SplitRows

APART = 0.25
"""Rows must tell losses apart that differ by this share, or a search would follow chance."""

_SIGMAS = 1.96
"""The half of a 95% interval, in standard errors."""

_LEAST_RATE = 1e-3
"""A label that was never relevant when seen may be so all the same."""


def for_data(search: SearchOptions, data: Dataset) -> SearchOptions:
    """Return the options of a study with the objective and k of its data, if they are not given.

    Raises a ValueError if an option does not go with the data.
    """
    if not data.is_log:
        if search.objective in MAIN_OF_LOGS:
            raise ValueError(
                f"objective {search.objective} is for logs, but {search.dataset} has all labels"
            )
        return search
    if search.protocol == "paper":
        raise ValueError(
            "protocol paper learns from the test rows, of which a log does not know what a booster "
            "would have been told: use protocol validation"
        )
    if search.exploration_cost is not None:
        raise ValueError(
            "exploration_cost bounds weighted losses, which a log does not tell: "
            f"got {search.exploration_cost}"
        )
    if search.objective not in (None, *MAIN_OF_LOGS):
        raise ValueError(
            f"objective must be {LOGGED} on a log, but got {search.objective}: other metrics need "
            "labels that were not shown"
        )
    widest = int((_feedback(data).shown >= 0).sum(axis=1).max())
    k = min(widest, data.n_labels) if search.k is None else search.k
    return replace(search, objective=search.objective or LOGGED, k=k)


def check_learners(space: Space) -> None:
    """Raise a ValueError if an algorithm of a space cannot learn from a log."""
    for name in space.parameters["algorithm"].extremes:
        if not hasattr(ALGORITHMS.load(str(name)), "run_log"):
            raise ValueError(
                f"algorithm {name} cannot learn from a log, which does not have all labels: use "
                "topopt or topada"
            )


def check_enough(rows: SplitRows) -> None:
    """Raise a ValueError if the measuring rows of a log are too few to compare boosters with.

    The yardstick is the loss of one ranking for all rows, by how often labels were relevant.
    """
    learned, told = rows.Y, rows.Y_measure
    assert isinstance(learned, Feedback) and isinstance(told, Feedback)
    log = log_rows(told.log(rows.X_measure), rows.X_measure.shape[1], told.n_labels)
    found = summarise_rounds([log], told.n_labels)
    if found.deterministic or found.told == 0:
        raise ValueError(f"the log cannot be tuned on: {next(found.findings())}")
    rates = learned.rates()
    scores = scores_of(np.tile(np.argsort(-rates, kind="stable"), (len(told), 1)))
    relevance = predicted_relevance(log, scores, rates.clip(_LEAST_RATE, 1.0 - _LEAST_RATE))
    loss = log_losses(log, scores, relevance).best
    half = _SIGMAS * loss.error
    if half <= APART * loss.value:
        return
    enough = math.ceil(len(told) * (half / (APART * loss.value)) ** 2) if loss.value else None
    needed = "many more" if enough is None else f"about {enough:,}"
    raise ValueError(
        f"the log has too few rows to tell configurations apart: {len(told):,} measuring rows, "
        f"worth {found.effective_rows:,.0f} of equal weight, give a loss of {loss.value:.3g} "
        f"± {half:.2g}, but losses that differ by {100 * APART:.0f}% must be told apart: {needed} "
        "measuring rows would do, or as many as now with more exploration"
    )


def _feedback(data: Dataset) -> Feedback:
    found = data.Y_train
    assert isinstance(found, Feedback)
    return found

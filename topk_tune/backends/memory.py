"""How much memory a trial may take."""

from typing import Any

import booster
from booster.tables import NATIVE
from topk_tune.spaces import Space
from topk_tune.training.trial import TrialConfig, TrialRows

_INTERPRETER = 300 * 2**20
"""Bytes that a worker takes before it trains: Python, NumPy, numba and the kernels."""

_UNLIMITED = 10
"""How many times the default budget of nodes a tree without a limit is taken to need."""


def largest_memory(space: Space, rows: TrialRows) -> int:
    """The most bytes that a trial of a space can take, the rows apart.

    The paper's trees have no bound. Where a space has them, a trial is taken to be as large as
    one of trees of ten times as many nodes as they have by default; no more than a guess.
    """
    config: dict[str, Any] = {"algorithm": "fullada", "loops": 1}
    for name in ("n_learners", "n_covariates", "max_nodes"):
        if name in space.parameters:
            config[name] = int(space.largest(name))
    if "paper" in space.parameters and True in space.parameters["paper"].extremes:
        config["max_nodes"] = _UNLIMITED * booster.FullAda.max_nodes
    kinds = space.parameters["learner"].extremes if "learner" in space.parameters else [NATIVE]
    shape = {"n_features": rows.X.shape[1], "n_labels": rows.Y.shape[1], "n_rows": len(rows.X)}
    trials = [TrialConfig.of({**config, "learner": learner}) for learner in kinds]
    return _INTERPRETER + max(trial.booster(**shape, seed=0).bounded_bytes for trial in trials)

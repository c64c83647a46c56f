"""How much memory a trial may take."""

from collections.abc import Iterator, Sequence
from typing import Any

import booster
from booster.tables import ALGORITHMS, NATIVE
from topk_tune.spaces import Space
from topk_tune.spaces.checking import searchable
from topk_tune.spaces.values import is_number
from topk_tune.training.trial import TrialConfig, TrialRows

_INTERPRETER = 300 * 2**20
"""Bytes that a worker takes before it trains: Python, NumPy, numba and the kernels."""

_UNLIMITED = 10
"""How many times the default budget of nodes a tree without a limit is taken to need."""


def largest_memory(space: Space, rows: TrialRows) -> int:
    """The most bytes that a trial of a space can take, the rows apart.

    The paper's trees have no bound. Where a space has them, a trial is taken to be as large as
    one of trees of ten times as many nodes as they have by default; no more than a guess. Rankers
    that know no bound are taken to need no more than the interpreter does.
    """
    shape = {"n_features": rows.X.shape[1], "n_labels": rows.Y.shape[1], "n_rows": len(rows.X)}
    made = [TrialConfig.of(config).booster(**shape, seed=0) for config in _largest(space)]
    return _INTERPRETER + max(int(getattr(each, "bounded_bytes", 0)) for each in made)


def _largest(space: Space) -> Iterator[dict[str, Any]]:
    """The configurations of a space that may take most: of boosters, and of each other ranker."""
    named = {name: ALGORITHMS.load(name) for name in space.parameters["algorithm"].extremes}
    others = [name for name, made in named.items() if not issubclass(made, booster.Booster)]
    for name in others:
        taken = {p: space.parameters[p] for p in searchable(named[name]) if p in space.parameters}
        values = {p: _most(each.extremes) for p, each in taken.items()}
        yield {"algorithm": name, "loops": 1, **values}
    if len(others) < len(named):
        yield from _largest_boosters(space)


def _largest_boosters(space: Space) -> Iterator[dict[str, Any]]:
    config: dict[str, Any] = {"algorithm": "fullada", "loops": 1}
    for name in ("n_learners", "n_covariates", "max_nodes"):
        if name in space.parameters:
            config[name] = int(space.largest(name))
    if "paper" in space.parameters and True in space.parameters["paper"].extremes:
        config["max_nodes"] = _UNLIMITED * booster.FullAda.max_nodes
    learner = space.parameters.get("learner")
    for name in learner.extremes if learner else (NATIVE,):
        yield {**config, "learner": name}


def _most(values: Sequence[Any]) -> Any:
    """The largest of some numbers, or the first of other values."""
    return max(values) if all(is_number(value) for value in values) else values[0]

"""Estimates the memory of a trial."""

from collections.abc import Iterator, Sequence
from typing import Any

import booster
from booster.tables import ALGORITHMS, NATIVE
from topk_tune.spaces import Space
from topk_tune.spaces.checking import searchable
from topk_tune.spaces.values import is_number
from topk_tune.training.trial import TrialConfig, TrialRows

_INTERPRETER = 300 * 2**20
"""Bytes of a worker before it trains: Python, NumPy, Numba and the kernels."""

_UNLIMITED = 10
"""The assumed size of a tree without a limit, as a multiple of the default node limit."""


def largest_memory(space: Space, rows: TrialRows) -> int:
    """Return the most bytes that a trial of a space can take, without the rows.

    The paper's trees have no limit. They are assumed to have at most ten times the default number
    of nodes, which is only a guess. Rankers without a known limit are assumed to need no more than
    the interpreter.
    """
    n_rows, n_features = rows.X.shape
    shape = {"n_features": n_features, "n_labels": rows.Y.shape[1], "n_rows": n_rows}
    made = [TrialConfig.of(config).booster(**shape, seed=0) for config in _largest(space)]
    return _INTERPRETER + max(int(getattr(each, "bounded_bytes", 0)) for each in made)


def _largest(space: Space) -> Iterator[dict[str, Any]]:
    """Yield the configurations that may take most memory: of boosters, and of each other ranker."""
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
    """Return the largest of some numbers, or the first of other values."""
    return max(values) if all(is_number(value) for value in values) else values[0]

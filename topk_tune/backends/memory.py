"""The memory of a trial: how much it can take, and how much it may."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np
import psutil

import booster
from booster.parameters import count_covariates
from booster.protocol import parameters_of
from booster.tables import ALGORITHMS, NATIVE
from topk_tune.backends.resources import ResourceOptions
from topk_tune.spaces import Fixed, Space
from topk_tune.spaces.checking import searchable
from topk_tune.spaces.values import is_number
from topk_tune.training.trial import TrialConfig, TrialRows

_INTERPRETER = 300 * 2**20
"""Bytes of a worker before it trains: Python, NumPy, Numba and the kernels."""

_UNLIMITED = 10
"""The assumed size of a tree without a limit, as a multiple of the default node limit."""

_SHARE = 0.5
"""The part of the memory of a machine that all its trials may take; rows need some as well."""

_ROUNDED = 10**8

LIMIT = "max_bytes"
"""The parameter of a booster that limits the memory of its trees."""


def within_memory(space: Space, rows: TrialRows, resources: ResourceOptions) -> Space:
    """Return a space whose trials have enough memory; if they might not, it limits the trees.

    A trial may take the memory that was named, or its share of that of this machine. The limit is
    part of the space, so that a trial gives the same result on a machine with more.
    """
    if LIMIT in space.parameters:
        return space
    try:
        return _within_memory(space, rows, resources)
    except (KeyError, ValueError):
        return space  # it is not legal; its check says where


def _within_memory(space: Space, rows: TrialRows, resources: ResourceOptions) -> Space:
    if not _all_native(space):
        return space
    if resources.memory is None:
        share = int(_SHARE * psutil.virtual_memory().total / resources.count)
    else:
        share = int(resources.memory * 1e9)
    largest = largest_memory(space, rows)
    if largest <= share:
        return space
    limited = Space({**space.parameters, LIMIT: Fixed(_ROUNDED)}, space.source, space.lines)
    besides = largest_memory(limited, rows) - _ROUNDED  # tables and scratch space
    limit = max(share - besides, _ROUNDED) // _ROUNDED * _ROUNDED
    return limited.fixed(**{LIMIT: limit})


def _all_native(space: Space) -> bool:
    """Whether all trials train boosters with trees of ours, whose memory can be limited."""
    algorithm, learner = space.parameters["algorithm"], space.parameters.get("learner")
    made = [ALGORITHMS.load(name) for name in algorithm.extremes]
    native = learner is None or set(learner.extremes) == {NATIVE}
    return native and all(issubclass(each, booster.Booster) for each in made)


def largest_memory(space: Space, rows: TrialRows) -> int:
    """Return the most bytes that a trial of a space can take, without the rows.

    The paper's trees have no limit. They are assumed to have at most ten times the default number
    of nodes, which is only a guess. Rankers without a known limit are assumed to need no more than
    the interpreter.
    """
    n_rows, n_features = rows.X.shape
    shape = {"n_features": n_features, "n_labels": rows.Y.shape[1], "n_rows": n_rows}
    sizes = rows.Y.sum(axis=1, dtype=np.int64)
    most = 0
    for config in _largest(space, n_features):
        made = TrialConfig.of(config).booster(**shape, seed=0)
        if isinstance(made, booster.Booster):
            made.expect(sizes)
        most = max(most, int(getattr(made, "bounded_bytes", 0)))
    return _INTERPRETER + most


def _largest(space: Space, n_features: int) -> Iterator[dict[str, Any]]:
    """Yield the configurations that may take most memory: of boosters, and of each other ranker."""
    for name in space.parameters["algorithm"].extremes:
        made = ALGORITHMS.load(name)
        if issubclass(made, booster.Booster):
            yield from _largest_boosters(space, name, n_features)
        else:
            taken = {p: space.parameters[p] for p in searchable(made) if p in space.parameters}
            values = {p: _most(each.extremes) for p, each in taken.items()}
            yield {"algorithm": name, "loops": 1, **values}


def _largest_boosters(space: Space, algorithm: str, n_features: int) -> Iterator[dict[str, Any]]:
    config: dict[str, Any] = {"algorithm": algorithm, "loops": 1}
    known = parameters_of(ALGORITHMS.load(algorithm))
    for name in ("n_learners", "max_nodes", LIMIT, "k"):
        if name in space.parameters and name in known:
            config[name] = int(space.largest(name))
    covariates = space.parameters.get("n_covariates")
    if covariates:
        config["n_covariates"] = max(
            count_covariates(value, n_features) for value in covariates.extremes
        )
    if "paper" in space.parameters and True in space.parameters["paper"].extremes:
        config["max_nodes"] = _UNLIMITED * booster.FullAda.max_nodes
    choices = ("learner", "observer", "leaves")
    varied = {name: space.parameters[name].extremes for name in choices if name in space.parameters}
    for values in product(*varied.values()):
        yield {**config, **dict(zip(varied, values, strict=True))}


def _most(values: Sequence[Any]) -> Any:
    """Return the largest of some numbers, or the first of other values."""
    return max(values) if all(is_number(value) for value in values) else values[0]

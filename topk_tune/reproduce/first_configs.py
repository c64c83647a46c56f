"""The first configurations of every search, so that it does not have to rediscover them."""

from collections.abc import Iterator, Mapping
from typing import Any

import search_spaces
from topk_tune.reproduce.cells import Cell
from topk_tune.spaces import Space

_STARTS: dict[str, tuple[Mapping[str, Any], ...]] = {
    "topopt": (
        {"gamma": 0.1, "rho": 0.5, "tie_threshold": 0.1, "weight_cap": 10},
        {"gamma": 0.03, "rho": 0.5, "tie_threshold": 0.03},
        {"gamma": 0.03, "rho": 0.9, "tie_threshold": 0.03, "least_probability": 0.05},
    ),
    "topada": (
        {"rho": 0.2, "step_scale": 1.0, "tie_threshold": 0.03, "weight_cap": 100},
        {"rho": 0.5, "step_scale": 1.0, "tie_threshold": 0.03},
        {"rho": 0.9, "step_scale": 3.0, "tie_threshold": 0.03, "least_probability": 0.05},
        {"rho": 0.3, "step_scale": 0.1, "tie_threshold": 0.03},
    ),
    "fullopt": (
        {"gamma": 0.1, "tie_threshold": 0.3},
        {"gamma": 0.02, "tie_threshold": 0.6},
    ),
    "fullada": (
        {"step_scale": 1.0, "tie_threshold": 0.3},
        {"step_scale": 10.0, "tie_threshold": 0.6},
        {"step_scale": 13.0, "tie_threshold": 0.2, "n_covariates": 80},
    ),
}
"""Round numbers, from little to much exploration."""

_COMMON: dict[str, Any] = {
    "weight_cap": None,
    "max_nodes": 255,
    "n_covariates": 20,
    "least_probability": 0.005,
}


def starts(cell: Cell, space: Space) -> list[dict[str, Any]]:
    """The first configurations: the same on every data set, with the most learners of its space;
    then the best of earlier searches for the algorithm and data set, with either exploration."""
    common = _COMMON | {"n_learners": int(space.largest("n_learners"))}
    fixed = {n: p.extremes[0] for n, p in space.parameters.items() if len(p.extremes) == 1}
    merged = [common | fixed | dict(start) for start in _STARTS[cell.algorithm]]
    merged += [common | found | fixed for found in _found(cell)]
    first: list[dict[str, Any]] = []
    for one in merged:
        config = {n: v for n, v in one.items() if n in space.parameters}
        # Ranges change, so earlier results may be outside of them.
        if config not in first and space.allows(config):
            first.append(config)
    return first


def most_exploring(algorithm: str) -> dict[str, Any]:
    """The start in round figures that explores most."""
    return _COMMON | dict(max(_STARTS[algorithm], key=lambda start: start["rho"]))


def _found(cell: Cell) -> Iterator[dict[str, Any]]:
    for name, found in search_spaces.load("best/tuned.yaml").items():
        if name.removesuffix("-s") == cell.algorithm and cell.dataset in found:
            yield search_spaces.tuned_parameters(name, cell.dataset)

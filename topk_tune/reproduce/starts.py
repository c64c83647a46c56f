"""Where every search starts: few trials should not go into finding what is known of old."""

from collections.abc import Mapping
from typing import Any

from topk_tune.spaces import Space

_STARTS: dict[str, tuple[Mapping[str, Any], ...]] = {
    "topopt": (
        {"gamma": 0.1, "rho": 0.03, "tie_threshold": 0.1},
        {"gamma": 0.03, "rho": 0.2, "tie_threshold": 0.03},
        {"gamma": 0.03, "rho": 0.2, "tie_threshold": 0.3, "weight_cap": 10},
    ),
    "topada": (
        {"rho": 0.04, "step_scale": 1.0, "tie_threshold": 0.1},
        {"rho": 0.2, "step_scale": 10.0, "tie_threshold": 0.03},
        {"rho": 0.2, "step_scale": 1.0, "tie_threshold": 0.3, "weight_cap": 10},
    ),
    "fullopt": (
        {"gamma": 0.1, "tie_threshold": 0.3},
        {"gamma": 0.02, "tie_threshold": 0.6},
    ),
    "fullada": (
        {"step_scale": 1.0, "tie_threshold": 0.3},
        {"step_scale": 10.0, "tie_threshold": 0.6},
    ),
}
"""Near the paper's parameters, and beyond them where its ranges end."""

_COMMON: dict[str, Any] = {"weight_cap": None, "max_nodes": 255, "n_covariates": 20}


def starts(algorithm: str, space: Space) -> list[dict[str, Any]]:
    """The same configurations on every data set, with as many learners as its space has."""
    common = _COMMON | {"n_learners": int(space.largest("n_learners"))}
    fixed = {n: p.extremes[0] for n, p in space.parameters.items() if len(p.extremes) == 1}
    return [
        {n: v for n, v in (common | fixed | dict(start)).items() if n in space.parameters}
        for start in _STARTS[algorithm]
    ]

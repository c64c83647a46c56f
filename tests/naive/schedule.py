"""The exploration rate of a round, by the names of schedules."""

from __future__ import annotations

import math
from typing import Any


def rate(p: Any, t: int) -> float:
    """Of round t, from 1, with the parameters `p` of a booster."""
    if p.schedule == "constant":
        return p.rho
    if t > p.horizon:
        return p.rho_end
    on_the_way = {
        "explore_first": p.rho,
        "linear": p.rho - (p.rho - p.rho_end) * (t - 1) / p.horizon,
        "geometric": p.rho * (p.rho_end / p.rho) ** ((t - 1) / p.horizon),
        "power": p.rho * t ** (math.log(p.rho_end / p.rho) / math.log(p.horizon + 1)),
    }
    return on_the_way[p.schedule]

"""Configurations to begin with, which did well on other data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.curves.search import Known
from topk_tune.spaces import Space


def portfolio(others: Sequence[Known], space: Space, size: int) -> tuple[dict[str, Any], ...]:
    """Choose configurations one by one, each the one that helps the others' sets most.

    The candidates are the configurations trained on them that are legal here. Losses are
    relative to the best of a data set, so that each set counts the same. Data sets with other
    parameters are left out.
    """
    others = [
        each for each in others if each.table.space.parameters.keys() == space.parameters.keys()
    ]
    candidates = _legal(others, space)
    losses = np.array([[_loss(known, config) for config in candidates] for known in others])
    losses = np.log(losses / losses.min(axis=1, keepdims=True))
    best, chosen = np.full(len(others), np.inf), []
    for _ in range(min(size, len(candidates))):
        gains = np.minimum(best[:, None], losses).mean(axis=0)
        chosen.append(int(gains.argmin()))
        best = np.minimum(best, losses[:, chosen[-1]])
    return tuple(candidates[place] for place in chosen)


def _legal(others: Sequence[Known], space: Space) -> list[dict[str, Any]]:
    loops = int(space.largest("loops"))
    found = [{**config, "loops": loops} for known in others for config in known.table.configs]
    return [config for config in found if space.allows(config)]


def _loss(known: Known, config: Mapping[str, Any]) -> float:
    """The mean over seeds of the loss that a search would see."""
    seeds = range(known.surrogate.seeds)
    return float(np.mean([known.surrogate.curve(config, seed).loss.min() for seed in seeds]))

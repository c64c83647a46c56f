"""One complete training of a booster: a pure function of a configuration, a seed and data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import booster
import search_spaces
from topk_tune.data import Dataset

Report = Callable[[int, float], None]


@dataclass(frozen=True)
class TrialConfig:
    """What to train: an algorithm, its parameters and the passes over the training rows."""

    algorithm: str
    loops: int
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class TrialResult:
    """What a training gave: its loss on the test rows, and the work that all rows took."""

    test_loss: float
    rounds: int
    seconds: float


def configure(algorithm: str, dataset: str, overrides: Mapping[str, Any]) -> TrialConfig:
    """Take the paper's parameters for a data set and replace those in `overrides`."""
    parameters = search_spaces.table5(algorithm, dataset)
    for name in overrides:
        if name not in parameters:
            raise ValueError(
                f"{algorithm} has no parameter {name}; it takes: {', '.join(sorted(parameters))}"
            )
    parameters.update(overrides)
    loops = parameters.pop("loops")
    if loops < 1:
        raise ValueError(f"loops must be at least 1, but got {loops}")
    return TrialConfig(algorithm, loops, parameters)


def run_trial(config: TrialConfig, seed: int, data: Dataset, report: Report) -> TrialResult:
    """Train loop by loop, then run over the test rows once as the paper does.

    `report` is called after each loop with its number, from 1, and its weighted rank loss. On
    the test rows too, the booster predicts a row first and learns from it afterwards.
    """
    model = booster.ALGORITHMS[config.algorithm](
        n_features=data.n_features, n_labels=data.n_labels, seed=seed, **config.parameters
    )
    rounds, seconds = 0, 0.0
    for loop in range(1, config.loops + 1):
        result = model.run(data.X_train, data.Y_train, loops=1)
        rounds += result.rounds
        seconds += result.seconds
        report(loop, float(result.loss[0]))
    test = model.run(data.X_test, data.Y_test, loops=1)
    return TrialResult(float(test.loss[0]), rounds + test.rounds, seconds + test.seconds)

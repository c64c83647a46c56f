"""What a training needs and reports: a configuration, rows, and reports after its loops."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import booster
import search_spaces
from booster.protocol import Trainable, check_algorithm
from booster.streamed import trainable
from booster.tables import CONSTANT, LEARNERS, NATIVE, SAVED
from topk_tune.data import Dataset
from topk_tune.data.rows import FeatureRows
from topk_tune.training.from_logs import learn_log

Measure = Literal["read-only", "paper", "every way"]
"""How the measuring rows are used: "read-only" only scores them; "paper", as in the paper, learns
from each row after ranking it; "every way" is "paper" plus the other `metrics.WAYS`: shuffled, and
frozen."""

FADE = "fade"
"""The share of the training rounds after which exploration has faded. A configuration has it in
place of the booster's `horizon`, which depends on the number of rows."""


@dataclass(frozen=True)
class TrialConfig:
    """What to train: an algorithm, its parameters and the number of loops over the training rows.

    The parameters are those of the algorithm, with `fade` instead of a booster's `horizon`.
    """

    algorithm: str
    loops: int
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, flat: Mapping[str, Any]) -> TrialConfig:
        """Make it from one mapping that holds `algorithm`, `loops` and the parameters."""
        parameters = dict(flat)
        algorithm, loops = parameters.pop("algorithm"), parameters.pop("loops")
        made = _class_of(algorithm)
        if loops < 1:
            raise ValueError(f"loops must be at least 1, but got {loops}")
        if issubclass(made, booster.Booster):
            _check_fading(parameters)
        return cls(algorithm, loops, parameters)

    def flat(self) -> dict[str, Any]:
        """Return the one mapping that `of` takes."""
        return {"algorithm": self.algorithm, "loops": self.loops, **self.parameters}

    def booster(self, n_features: int, n_labels: int, seed: int, n_rows: int) -> Trainable:
        """Return an untrained ranker that is to be trained on `n_rows` rows in each loop."""
        make = _class_of(self.algorithm)
        parameters = dict(self.parameters)
        if issubclass(make, booster.Booster):
            fade = parameters.pop(FADE, 1.0)
            if fades(parameters):
                parameters["horizon"] = max(1, math.ceil(fade * self.loops * n_rows))
        made = make(n_features=n_features, n_labels=n_labels, seed=seed, **parameters)
        return trainable(made, n_features, n_labels)


def _class_of(algorithm: str) -> type:
    return check_algorithm(algorithm, booster.ALGORITHMS.load(algorithm))


def _check_fading(parameters: Mapping[str, Any]) -> None:
    """Raise a ValueError if the parameters do not determine when exploration has faded."""
    if "horizon" in parameters:
        raise ValueError(
            f"a configuration must give {FADE}, a share of the rounds, instead of horizon, "
            f"so that it fits any number of rows, but got horizon = {parameters['horizon']!r}"
        )
    if FADE not in parameters:
        return
    fade = parameters[FADE]
    number = isinstance(fade, int | float) and not isinstance(fade, bool)
    if not number or not 0 < fade <= 1:
        raise ValueError(f"fade must satisfy 0 < fade <= 1, but got {fade!r}")
    if not fades(parameters):
        raise ValueError(
            f"fade must be given with a schedule other than {CONSTANT}, but got {fade!r} alone"
        )


def fades(parameters: Mapping[str, Any]) -> bool:
    """Whether the exploration rate changes during training."""
    return bool(parameters.get("schedule", CONSTANT) != CONSTANT)


def can_be_cut(config: Mapping[str, Any]) -> bool:
    """Whether a training with fewer loops is the beginning of this one.

    Exploration fades faster in a shorter training. Only a schedule that explores first, to the
    end of the training, is the same up to there.
    """
    lasts = config.get("schedule") == "explore_first" and config.get(FADE, 1.0) == 1
    return lasts or not fades(config)


class SplitRows(NamedTuple):
    """The rows to train on and the measuring rows."""

    X: FeatureRows
    Y: NDArray[np.uint8]
    X_measure: FeatureRows
    Y_measure: NDArray[np.uint8]

    def of(self, seed: int) -> SplitRows:
        """Return the rows, which are the same for every seed."""
        return self


class FoldedRows(NamedTuple):
    """Rows in parts: one part measures, the others are trained on."""

    X: FeatureRows
    Y: NDArray[np.uint8]
    fold: NDArray[np.intp]

    def of(self, seed: int) -> SplitRows:
        """Return the rows of a seed: consecutive seeds measure with consecutive parts."""
        held = self.fold == seed % (int(self.fold.max()) + 1)
        return SplitRows(self.X[~held], self.Y[~held], self.X[held], self.Y[held])


TrialRows = SplitRows | FoldedRows


@dataclass(frozen=True)
class LoopReport:
    """The state of a training after a loop.

    Parameters
    ----------
    loop
        Its number, from 1.
    metrics
        The metrics by name; see `topk_tune.training.metrics`.
    seconds
        The training time so far, without measuring.
    rounds, split_attempts, nodes, bytes
        What the booster has done so far and holds now.
    extra
        Unknown fields, written by a later version.
    """

    loop: int
    metrics: Mapping[str, float]
    seconds: float = 0.0
    rounds: int = 0
    split_attempts: int = 0
    nodes: int = 0
    bytes: int = 0
    extra: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return all fields by name, with the metrics among them."""
        costs = {name: getattr(self, name) for name in COSTS}
        return {"loop": self.loop, **self.metrics, **costs, **self.extra}


COSTS = tuple(f.name for f in fields(LoopReport) if f.name not in ("loop", "metrics", "extra"))
"""The fields of a report about the cost of training."""


def configure(
    algorithm: str, dataset: str, overrides: Mapping[str, Any], tuned: bool = False
) -> TrialConfig:
    """Return the paper's parameters for a data set, or tuned ones, updated with `overrides`."""
    picked = search_spaces.tuned_parameters if tuned else search_spaces.paper_parameters
    parameters = picked(algorithm, dataset)
    for name in overrides:
        if name not in parameters:
            raise ValueError(
                f"{algorithm} has no parameter {name}; it takes: {', '.join(sorted(parameters))}"
            )
    return TrialConfig.of({"algorithm": algorithm, **parameters, **overrides})


def test_rows(data: Dataset) -> SplitRows:
    """Return all training rows to train on, and the test rows to measure with."""
    return SplitRows(data.X_train, data.Y_train, data.X_test, data.Y_test)


def train_booster(config: Mapping[str, Any], seed: int, data: Dataset) -> Trainable:
    """Return the ranker of a configuration, trained on all training rows."""
    trial = TrialConfig.of(config)
    model = trial.booster(data.n_features, data.n_labels, seed, data.X_train.shape[0])
    if data.is_log:
        learn_log(model, data.X_train, data.Y_train, trial.loops)
    else:
        model.run(data.X_train, data.Y_train, loops=trial.loops)
    return model


def why_unsaved(config: Mapping[str, Any]) -> str | None:
    """Return the reason why the ranker of a configuration cannot be saved, or None if it can."""
    algorithm, learner = config["algorithm"], config.get("learner", NATIVE)
    made = _class_of(algorithm)
    if booster.ALGORITHMS.name_of(made) is None:
        return f"algorithm {algorithm!r} is not in the table of algorithms, so it cannot be loaded"
    if not issubclass(made, booster.Booster):
        has_both = hasattr(made, "save") and hasattr(made, "load")
        return None if has_both else f"algorithm {algorithm!r} has no save and load"
    savable = SAVED in LEARNERS[learner].traits  # native learners are arrays
    return None if savable else f"learners of {learner!r} cannot be saved"

"""One complete training of a booster: a pure function of a configuration, a seed and rows."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import booster
import search_spaces
from topk_tune.data import Dataset

Measure = Literal["read-only", "predict-then-learn"]
"""How the rows that measure are used: only scored, or as a stream that is learned from too."""


@dataclass(frozen=True)
class TrialConfig:
    """What to train: an algorithm, its parameters and the passes over the training rows."""

    algorithm: str
    loops: int
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, flat: Mapping[str, Any]) -> TrialConfig:
        """From one mapping that holds `algorithm`, `loops` and the booster's parameters."""
        parameters = dict(flat)
        algorithm, loops = parameters.pop("algorithm"), parameters.pop("loops")
        if algorithm not in booster.ALGORITHMS:
            options = ", ".join(booster.ALGORITHMS)
            raise ValueError(f"no algorithm is called {algorithm!r}; there is: {options}")
        if loops < 1:
            raise ValueError(f"loops must be at least 1, but got {loops}")
        return cls(algorithm, loops, parameters)

    def flat(self) -> dict[str, Any]:
        """The one mapping that `of` takes."""
        return {"algorithm": self.algorithm, "loops": self.loops, **self.parameters}

    def booster(self, n_features: int, n_labels: int, seed: int) -> booster.Booster:
        """An untrained booster."""
        return booster.ALGORITHMS[self.algorithm](
            n_features=n_features, n_labels=n_labels, seed=seed, **self.parameters
        )


class Rows(NamedTuple):
    """The rows to train on and the rows to measure with."""

    X: NDArray[np.float32]
    Y: NDArray[np.uint8]
    X_measure: NDArray[np.float32]
    Y_measure: NDArray[np.uint8]

    def of(self, seed: int) -> Rows:
        """The same for every seed."""
        return self


class FoldedRows(NamedTuple):
    """Rows in parts, one of which measures while the others are trained on."""

    X: NDArray[np.float32]
    Y: NDArray[np.uint8]
    fold: NDArray[np.intp]

    def of(self, seed: int) -> Rows:
        """Consecutive seeds measure with one part after the other."""
        held = self.fold == seed % (int(self.fold.max()) + 1)
        return Rows(self.X[~held], self.Y[~held], self.X[held], self.Y[held])


TrialRows = Rows | FoldedRows


@dataclass(frozen=True)
class LoopReport:
    """Where a training stands after a loop.

    Parameters
    ----------
    loop
        Its number, from 1.
    train_loss
        The progressive weighted rank loss of the loop.
    loss, ties, rank, hinge
        The losses on the measuring rows; rank and hinge only of a read-only measure.
    seconds
        The time that all training so far took, without the measuring.
    rounds, split_attempts, nodes, bytes
        What the booster has done and holds so far.
    """

    loop: int
    train_loss: float
    loss: float
    ties: float
    rank: float | None
    hinge: float | None
    seconds: float
    rounds: int
    split_attempts: int
    nodes: int
    bytes: int

    def as_dict(self) -> dict[str, Any]:
        """By name."""
        return asdict(self)


def configure(
    algorithm: str, dataset: str, overrides: Mapping[str, Any], tuned: bool = False
) -> TrialConfig:
    """Take the paper's parameters for a data set, or tuned ones; replace those in `overrides`."""
    picked = search_spaces.tuned if tuned else search_spaces.table5
    parameters = picked(algorithm, dataset)
    for name in overrides:
        if name not in parameters:
            raise ValueError(
                f"{algorithm} has no parameter {name}; it takes: {', '.join(sorted(parameters))}"
            )
    return TrialConfig.of({"algorithm": algorithm, **parameters, **overrides})


def test_rows(data: Dataset) -> Rows:
    """All training rows to train on, the test rows to measure with."""
    return Rows(data.X_train, data.Y_train, data.X_test, data.Y_test)


def run_trial(
    config: TrialConfig, seed: int, rows: TrialRows, measure: Measure, *, last_only: bool = False
) -> Iterator[LoopReport]:
    """Train loop by loop; measure and report after each, or after the last only.

    "predict-then-learn" measures as the paper does: the booster runs on over the measuring
    rows, learning from each after it was ranked. It is a copy that does, so that the training
    goes on as if it had not been measured.
    """
    part = rows.of(seed)
    model = config.booster(rows.X.shape[1], rows.Y.shape[1], seed)
    seconds = 0.0
    for loop in range(1, config.loops + 1):
        result = model.run(part.X, part.Y)
        seconds += result.seconds
        if last_only and loop < config.loops:
            continue
        yield _report(model, loop, float(result.loss[0]), seconds, part, measure)


def train_booster(config: Mapping[str, Any], seed: int, data: Dataset) -> booster.Booster:
    """The booster of a configuration, trained on all training rows."""
    trial = TrialConfig.of(config)
    model = trial.booster(data.n_features, data.n_labels, seed)
    model.run(data.X_train, data.Y_train, loops=trial.loops)
    return model


def can_be_saved(config: Mapping[str, Any]) -> bool:
    """Whether the booster of a configuration can be kept in a file: native learners are arrays."""
    learner = config.get("learner", booster.learners.NATIVE)
    return bool(learner == booster.learners.NATIVE)


def _report(
    model: booster.Booster,
    loop: int,
    train_loss: float,
    seconds: float,
    rows: Rows,
    measure: Measure,
) -> LoopReport:
    rank, hinge = None, None
    if measure == "read-only":
        evaluation = model.evaluate(rows.X_measure, rows.Y_measure)
        loss, ties, rank, hinge = (
            evaluation.loss,
            evaluation.ties,
            evaluation.rank,
            evaluation.hinge,
        )
    else:
        result = copy.deepcopy(model).run(rows.X_measure, rows.Y_measure)
        loss, ties = float(result.loss[0]), float(result.ties[0])
    counts = model.counts
    return LoopReport(
        loop=loop,
        train_loss=train_loss,
        loss=loss,
        ties=ties,
        rank=rank,
        hinge=hinge,
        seconds=seconds,
        rounds=model.rounds,
        split_attempts=counts["split_attempts"],
        nodes=counts["nodes"],
        bytes=counts["bytes"],
    )

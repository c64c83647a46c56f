"""One complete training of a booster: a pure function of a configuration, a seed and rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import booster
import search_spaces
from booster.protocol import Trainable, check_algorithm
from booster.streamed import trainable
from booster.tables import CONSTANT, LEARNERS, NATIVE, SAVED
from topk_tune.data import Dataset
from topk_tune.training.metrics import Measured, computed

Measure = Literal["read-only", "paper", "every way"]
"""How the rows that measure are used: only scored; or, as the paper does, learned from after each
was ranked. "every way" is the latter and, beside it, `metrics.WAYS`: shuffled, and only scored."""

FADE = "fade"
"""The share of the training rounds after which exploration has faded: what a configuration has in
the place of the booster's `horizon`, which depends on the number of rows."""


@dataclass(frozen=True)
class TrialConfig:
    """What to train: an algorithm, its parameters and the passes over the training rows.

    The parameters are the algorithm's, and a booster's `fade` in the place of `horizon`.
    """

    algorithm: str
    loops: int
    parameters: Mapping[str, Any]

    @classmethod
    def of(cls, flat: Mapping[str, Any]) -> TrialConfig:
        """From one mapping that holds `algorithm`, `loops` and the parameters."""
        parameters = dict(flat)
        algorithm, loops = parameters.pop("algorithm"), parameters.pop("loops")
        made = _class_of(algorithm)
        if loops < 1:
            raise ValueError(f"loops must be at least 1, but got {loops}")
        if issubclass(made, booster.Booster):
            _check_fading(parameters)
        return cls(algorithm, loops, parameters)

    def flat(self) -> dict[str, Any]:
        """The one mapping that `of` takes."""
        return {"algorithm": self.algorithm, "loops": self.loops, **self.parameters}

    def booster(self, n_features: int, n_labels: int, seed: int, n_rows: int) -> Trainable:
        """An untrained booster or other ranker, to be trained on so many rows in each loop."""
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
    """Raise a ValueError unless it is clear when exploration has faded, if it does."""
    if "horizon" in parameters:
        raise ValueError(
            f"horizon must not be in a configuration, which suits any number of rows: {FADE} says "
            f"it as a share of the rounds; but got {parameters['horizon']!r}"
        )
    if FADE not in parameters:
        return
    fade = parameters[FADE]
    number = isinstance(fade, int | float) and not isinstance(fade, bool)
    if not number or not 0 < fade <= 1:
        raise ValueError(f"fade must be in (0, 1], but got {fade!r}")
    if not fades(parameters):
        raise ValueError(
            f"a schedule other than {CONSTANT} must be given with fade, but got {fade!r} alone"
        )


def fades(parameters: Mapping[str, Any]) -> bool:
    """Whether the rate of exploration changes while a booster is trained."""
    return bool(parameters.get("schedule", CONSTANT) != CONSTANT)


def can_be_cut(config: Mapping[str, Any]) -> bool:
    """Whether a training of fewer loops is the beginning of this one.

    Where exploration fades, it fades faster in a shorter training. Only one that explores first
    and never stops before its end is the same up to there.
    """
    lasts = config.get("schedule") == "explore_first" and config.get(FADE, 1.0) == 1
    return lasts or not fades(config)


class SplitRows(NamedTuple):
    """The rows to train on and the rows to measure with."""

    X: NDArray[np.float32]
    Y: NDArray[np.uint8]
    X_measure: NDArray[np.float32]
    Y_measure: NDArray[np.uint8]

    def of(self, seed: int) -> SplitRows:
        """The same for every seed."""
        return self


class FoldedRows(NamedTuple):
    """Rows in parts, one of which measures while the others are trained on."""

    X: NDArray[np.float32]
    Y: NDArray[np.uint8]
    fold: NDArray[np.intp]

    def of(self, seed: int) -> SplitRows:
        """Consecutive seeds measure with one part after the other."""
        held = self.fold == seed % (int(self.fold.max()) + 1)
        return SplitRows(self.X[~held], self.Y[~held], self.X[held], self.Y[held])


TrialRows = SplitRows | FoldedRows


@dataclass(frozen=True)
class LoopReport:
    """Where a training stands after a loop.

    Parameters
    ----------
    loop
        Its number, from 1.
    metrics
        What was measured, by name: see `topk_tune.training.metrics`.
    seconds
        The time that all training so far took, without the measuring.
    rounds, split_attempts, nodes, bytes
        What the booster has done and holds so far.
    extra
        What a later version has written beside these.
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
        """By name, the metrics among the others."""
        costs = {name: getattr(self, name) for name in COSTS}
        return {"loop": self.loop, **self.metrics, **costs, **self.extra}


COSTS = tuple(f.name for f in fields(LoopReport) if f.name not in ("loop", "metrics", "extra"))
"""The figures of a report that say what the training took."""


def configure(
    algorithm: str, dataset: str, overrides: Mapping[str, Any], tuned: bool = False
) -> TrialConfig:
    """Take the paper's parameters for a data set, or tuned ones; replace those in `overrides`."""
    picked = search_spaces.tuned_parameters if tuned else search_spaces.paper_parameters
    parameters = picked(algorithm, dataset)
    for name in overrides:
        if name not in parameters:
            raise ValueError(
                f"{algorithm} has no parameter {name}; it takes: {', '.join(sorted(parameters))}"
            )
    return TrialConfig.of({"algorithm": algorithm, **parameters, **overrides})


def test_rows(data: Dataset) -> SplitRows:
    """All training rows to train on, the test rows to measure with."""
    return SplitRows(data.X_train, data.Y_train, data.X_test, data.Y_test)


def run_trial(
    config: TrialConfig, seed: int, rows: TrialRows, measure: Measure, *, last_only: bool = False
) -> Iterator[LoopReport]:
    """Train loop by loop; measure and report after each, or after the last only.

    "paper" is the paper's protocol: the booster runs on over the measuring rows, learning from
    each after it was ranked. It is a copy that does, so that the training
    goes on as if it had not been measured. What is shown is measured as if the training had
    ended: at the rate of exploration that is left then.

    "every way" adds the metrics of the same rows shuffled, in an order of the seed, and frozen.
    """
    part = rows.of(seed)
    model = config.booster(rows.X.shape[1], rows.Y.shape[1], seed, len(part.X))
    seconds, shown = 0.0, 0.0
    for loop in range(1, config.loops + 1):
        result = model.run(part.X, part.Y)
        seconds += result.seconds
        shown += float(result.shown_loss[0])
        if last_only and loop < config.loops:
            continue
        measured = _measured(model, part, measure)
        training = replace(measured, train_loss=float(result.loss[0]), stream_loss=shown / loop)
        counts = model.counts
        yield LoopReport(
            loop=loop,
            metrics=computed(training) | _otherwise(model, part, measure, seed),
            seconds=seconds,
            rounds=model.rounds,
            split_attempts=counts.get("split_attempts", 0),
            nodes=counts.get("nodes", 0),
            bytes=counts.get("bytes", 0),
        )


def train_booster(config: Mapping[str, Any], seed: int, data: Dataset) -> Trainable:
    """The ranker of a configuration, trained on all training rows."""
    trial = TrialConfig.of(config)
    model = trial.booster(data.n_features, data.n_labels, seed, len(data.X_train))
    model.run(data.X_train, data.Y_train, loops=trial.loops)
    return model


def why_unsaved(config: Mapping[str, Any]) -> str | None:
    """Why the ranker of a configuration cannot be kept in a file, in words; None if it can be."""
    algorithm, learner = config["algorithm"], config.get("learner", NATIVE)
    made = _class_of(algorithm)
    if booster.ALGORITHMS.name_of(made) is None:
        return f"algorithm {algorithm!r} has no name by which it could be loaded"
    if not issubclass(made, booster.Booster):
        has_both = hasattr(made, "save") and hasattr(made, "load")
        return None if has_both else f"algorithm {algorithm!r} has no save and load"
    savable = SAVED in LEARNERS[learner].traits  # native ones are arrays
    return None if savable else f"learners of {learner!r} cannot be saved"


def _otherwise(model: Trainable, rows: SplitRows, measure: Measure, seed: int) -> dict[str, float]:
    """The metrics of the ways in which the measuring rows can be used beside the first."""
    if measure != "every way":
        return {}
    order = np.random.default_rng(seed).permutation(len(rows.X_measure))
    X, Y = rows.X_measure[order], rows.Y_measure[order]
    shuffled = _measured(model, rows._replace(X_measure=X, Y_measure=Y), "paper")
    frozen = _measured(model, rows, "read-only")
    return computed(shuffled, "shuffled/") | computed(frozen, "frozen/")


def _measured(model: Trainable, rows: SplitRows, measure: Measure) -> Measured:
    if measure != "read-only":
        result = model.settled().run(rows.X_measure, rows.Y_measure)
        loss, ties, shown = (float(x[0]) for x in (result.loss, result.ties, result.shown_loss))
        return Measured(loss, ties, shown)
    evaluation = model.evaluate(rows.X_measure, rows.Y_measure)
    order = model.rank(rows.X_measure)
    return Measured(
        evaluation.loss,
        evaluation.ties,
        evaluation.shown,
        k=getattr(model, "k", None) or booster.TopOpt.k,
        evaluation=evaluation,
        Z=np.take_along_axis(rows.Y_measure, order, axis=1),
    )

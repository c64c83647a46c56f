"""The training of a booster: a pure function of a configuration, a seed and rows.

It can be kept between two loops and continued elsewhere, with the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np

import booster
from booster.protocol import Trainable
from topk_tune.data.logs.feedback import is_feedback
from topk_tune.training.from_logs import learn_log, log_estimate
from topk_tune.training.metrics import Measured, computed
from topk_tune.training.trial import (
    LoopReport,
    Measure,
    SplitRows,
    TrialConfig,
    TrialRows,
    why_unsaved,
)


@dataclass(frozen=True)
class Progress:
    """How far a training has come.

    Parameters
    ----------
    loop
        The number of loops it has trained.
    seconds
        The time that they took, without measuring.
    shown
        The sum of their shown losses.
    """

    loop: int = 0
    seconds: float = 0.0
    shown: float = 0.0


class Training:
    """The training of one seed, loop by loop.

    The shown loss is measured as if the training had ended, at the final exploration rate.
    Measuring does not affect the training: with "paper", where the booster continues over the
    measuring rows and learns from each after ranking it, a copy does this. "every way" adds the
    metrics of the same rows shuffled by the seed, and frozen.

    Parameters
    ----------
    config, seed, rows
        What to train.
    measure
        How the measuring rows are used.
    """

    def __init__(self, config: TrialConfig, seed: int, rows: TrialRows, measure: Measure) -> None:
        self.config = config
        self.seed = seed
        self.progress = Progress()
        self._measure = measure
        self._rows = rows.of(seed)
        labels, features = self._rows.Y.shape[1], self._rows.X.shape[1]
        self._model = config.booster(features, labels, seed, self._rows.X.shape[0])

    @property
    def done(self) -> bool:
        """Whether all loops are trained."""
        return self.progress.loop >= self.config.loops

    def advance(self) -> float:
        """Train one loop; return its greedy loss, or nan if rows have feedback only."""
        so_far = self.progress
        if is_feedback(self._rows.Y):
            learned = learn_log(self._model, self._rows.X, self._rows.Y)
            self.progress = replace(
                so_far, loop=so_far.loop + 1, seconds=so_far.seconds + learned.seconds
            )
            return math.nan  # only held-out rows tell it
        result = self._model.run(self._rows.X, self._rows.Y)
        self.progress = Progress(
            so_far.loop + 1,
            so_far.seconds + result.seconds,
            so_far.shown + float(result.shown_loss[0]),
        )
        return float(result.loss[0])

    def report(self, train_loss: float) -> LoopReport:
        """Measure, and report the state after the last loop."""
        loop, counts = self.progress.loop, self._model.counts
        return LoopReport(
            loop=loop,
            metrics=self._metrics(train_loss),
            seconds=self.progress.seconds,
            rounds=self._model.rounds,
            split_attempts=counts.get("split_attempts", 0),
            nodes=counts.get("nodes", 0),
            bytes=counts.get("bytes", 0),
        )

    @property
    def can_be_kept(self) -> bool:
        """Whether its booster can be written to a file."""
        made = isinstance(self._model, booster.Booster)
        return made and why_unsaved(self.config.flat()) is None

    def keep(self, file: BinaryIO) -> None:
        """Write the booster; with `progress`, that is all there is to continue from."""
        self._model.save(file)

    def restore(self, progress: Progress, file: BinaryIO) -> None:
        """Continue from where a training of the same configuration, seed and rows was kept."""
        self._model = booster.load(file)
        self.progress = progress

    def _metrics(self, train_loss: float) -> dict[str, float]:
        if is_feedback(self._rows.Y_measure):
            estimate = log_estimate(self._model, self._rows.X_measure, self._rows.Y_measure)
            # Test rows of a log are never learned from, and named accordingly.
            prefix = "" if self._measure == "read-only" else "frozen/"
            nothing = (math.nan, math.nan, math.nan)
            return computed(Measured(*nothing, logged=estimate), prefix)
        measured = replace(
            _measured(self._model, self._rows, self._measure),
            train_loss=train_loss,
            stream_loss=self.progress.shown / self.progress.loop,
        )
        return computed(measured) | self._otherwise()

    def _otherwise(self) -> dict[str, float]:
        """Return the metrics of the other ways to use the measuring rows."""
        if self._measure != "every way":
            return {}
        order = np.random.default_rng(self.seed).permutation(self._rows.X_measure.shape[0])
        X, Y = self._rows.X_measure[order], self._rows.Y_measure[order]
        shuffled = _measured(self._model, self._rows._replace(X_measure=X, Y_measure=Y), "paper")
        frozen = _measured(self._model, self._rows, "read-only")
        return computed(shuffled, "shuffled/") | computed(frozen, "frozen/")


def run_trial(
    config: TrialConfig, seed: int, rows: TrialRows, measure: Measure, *, last_only: bool = False
) -> Iterator[LoopReport]:
    """Train loop by loop; measure and report after each loop, or only after the last."""
    yield from reports(Training(config, seed, rows, measure), last_only)


def reports(training: Training, last_only: bool = False) -> Iterator[LoopReport]:
    """Train the loops that are left; report after each, or only after the last."""
    for loop in range(training.progress.loop + 1, training.config.loops + 1):
        loss = training.advance()
        if loop == training.config.loops or not last_only:
            yield training.report(loss)


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

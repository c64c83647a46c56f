"""The results of a run and of an evaluation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from booster.kernels.state import LOSS, SHOWN, TIES, FloatArray


@dataclass(frozen=True)
class Result:
    """The result of a run over a stream.

    Parameters
    ----------
    loss
        The progressive weighted rank loss of each loop, measured before exploration and before
        learning from the row. A tie of a relevant with an irrelevant label counts as wrong.
    ties
        The share of these ties. If ties counted as half wrong, the loss would be `loss - ties / 2`.
    shown_loss
        The expected loss of the shown rankings, exploration included; computed, not sampled.
    curve
        The loss averaged over the stream so far, after each round.
    rounds
        The number of rounds.
    seconds
        The duration of all rounds.
    """

    loss: FloatArray
    ties: FloatArray
    shown_loss: FloatArray
    curve: FloatArray
    rounds: int
    seconds: float

    @classmethod
    def of_record(cls, record: FloatArray, seconds: float) -> Result:
        """Make a result from the record of every round, of shape (loops, 3, rows)."""
        mean = record.mean(axis=2)
        loss = record[:, LOSS].ravel()
        return cls(
            loss=mean[:, LOSS],
            ties=mean[:, TIES],
            shown_loss=mean[:, SHOWN],
            curve=np.cumsum(loss) / np.arange(1, loss.size + 1),
            rounds=loss.size,
            seconds=seconds,
        )


@dataclass(frozen=True)
class Evaluation:
    """Losses averaged over rows, without learning.

    Parameters
    ----------
    loss
        The weighted rank loss before exploration: the share of wrong pairs. A tie counts as wrong.
    ties
        The share of pairs that tie.
    rank
        The number of wrong pairs.
    hinge
        The hinge loss, summed over the pairs; None if the ranker has no scores.
    shown
        The expected weighted rank loss of the shown rankings, exploration included.
    """

    loss: float
    ties: float
    rank: float
    hinge: float | None
    shown: float

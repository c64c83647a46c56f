"""The two kinds of feedback: on the top k labels only, or on the whole label set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.exploration import (
    CLIP,
    explored_probabilities,
    fall,
)
from booster.kernels import schedule as schedules
from booster.kernels import schemes
from booster.kernels.state import FloatArray, Rules
from booster.learners import TreeRanges
from booster.parameters import fraction, label_bits, scheme, whole
from booster.tables import CONSTANT, SCHEDULES, SCHEMES, UNIFORM
from booster.template import Booster

EARLY_SPLITS = TreeRanges(tie_threshold=(0.3, 0.9))


@dataclass(eq=False, kw_only=True)
class TopFeedback(Booster):
    """A booster that is told the relevance of the k labels that it places at the top.

    Parameters
    ----------
    rho
        The exploration rate in the first round: how often the shown ranking is randomised.
    k
        The number of labels at the top whose relevance is shown.
    exploration
        How a ranking is randomised: one of `booster.tables.SCHEMES`. "uniform" shows any
        permutation; "single-swap" twice swaps a label of the top-k with one outside it, and
        needs 3 <= k < n_labels.
    schedule
        How the rate changes: one of `booster.tables.SCHEDULES`. "constant" stays at `rho`, as in
        the paper. The others reach `rho_end` after `horizon` rounds: "explore_first" stays at
        `rho` until then, "linear" falls by the same amount each round, "geometric" by the same
        factor, and "power" like a power of the round's number, fast at first and then slowly.
    rho_end
        The rate after `horizon` rounds.
    horizon
        The number of rounds until the rate is `rho_end`; required unless it is constant.
    least_probability
        The smallest probability used to weight a pair, to bound the variance. Pairs that are
        less likely to be seen get too small a weight.
    """

    full: ClassVar[bool] = False

    rho: float = 0.03
    k: int = 3
    exploration: str = UNIFORM
    schedule: str = CONSTANT
    rho_end: float = 0.002
    horizon: int | None = None
    least_probability: float = CLIP[0]

    _as_in_the_paper: ClassVar[dict[str, Any]] = Booster._as_in_the_paper | {
        "schedule": CONSTANT,
        "least_probability": CLIP[0],
    }

    def _check(self) -> None:
        super()._check()
        self.rho = fraction("rho", self.rho)
        self.k = whole("k", self.k, 2, self.n_labels)
        self.exploration = scheme(self.exploration, self.k, self.n_labels)
        self.schedule = SCHEDULES.named(self.schedule)
        self.rho_end = fraction("rho_end", self.rho_end)
        if self.horizon is not None:
            self.horizon = whole("horizon", self.horizon, 0)
        if self.schedule != CONSTANT:
            self._check_fading()
        self.least_probability = fraction("least_probability", self.least_probability, CLIP[1])

    def _check_fading(self) -> None:
        if self.horizon is None:
            raise ValueError(
                f"schedule = {self.schedule!r} needs horizon, the number of rounds until the rate "
                "is rho_end, but got None"
            )
        if self.rho_end > self.rho:
            raise ValueError(
                f"rho_end must be at most rho = {self.rho} with schedule = {self.schedule!r}, "
                f"but got {self.rho_end}"
            )

    @property
    def final_rate(self) -> float:
        """The exploration rate at the end of the schedule."""
        return self.rho if self.schedule == CONSTANT else self.rho_end

    def _settle(self) -> None:
        if self.schedule != CONSTANT:
            vars(self)["horizon"] = self._round
            self._rules = self._rules._replace(horizon=self._round)

    def _make_rules(self, key: np.uint64) -> Rules:
        horizon = self.horizon or 0
        return Rules(
            adaptive=self.adaptive,
            full=False,
            scheme=SCHEMES.load(self.exploration).code,
            marginal=False,
            prior=self.prior,
            k=self.k,
            rho=self.rho,
            schedule=SCHEDULES.load(self.schedule),
            rho_end=self.rho_end,
            horizon=horizon,
            fall=fall(self.schedule, self.rho, self.rho_end, horizon),
            least_probability=self.least_probability,
            most_probability=CLIP[1],
            step=8.0 * self.rho * 2.0**0.5 / self.n_labels**2,
            weight_cap=float("inf") if self.weight_cap is None else self.weight_cap,
            key=key,
        )

    def _explored_probabilities(self) -> FloatArray:
        return explored_probabilities(self.exploration, self.n_labels, self.k)

    def _feedback_bits(self, feedback: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        return self._work.order, label_bits(feedback, self.k, "k").copy()


@dataclass(eq=False, kw_only=True)
class FullInformation(Booster):
    """A booster that is told all relevant labels after each prediction.

    All pairs share the cost, so its labels have small weights, while a Hoeffding bound takes
    weight for a number of rows. Its trees therefore split on a tie early; otherwise they would
    wait forever (docs/results/tie_threshold.md).
    """

    full: ClassVar[bool] = True

    trees: TreeRanges = EARLY_SPLITS

    def _make_rules(self, key: np.uint64) -> Rules:
        return Rules(
            adaptive=self.adaptive,
            full=True,
            scheme=schemes.UNIFORM,
            marginal=False,
            prior=self.prior,
            k=self.n_labels,
            rho=0.0,
            schedule=schedules.CONSTANT,
            rho_end=0.0,
            horizon=0,
            fall=0.0,
            least_probability=CLIP[0],
            most_probability=CLIP[1],
            step=1.0,
            weight_cap=float("inf") if self.weight_cap is None else self.weight_cap,
            key=key,
        )

    @property
    def final_rate(self) -> float:
        """Return 0: it is told everything, so it never explores."""
        return 0.0

    def _settle(self) -> None:
        """Do nothing: it never explores."""

    def _explored_probabilities(self) -> FloatArray:
        return np.ones(3)

    def _feedback_bits(self, feedback: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        bits = label_bits(feedback, self.n_labels, "n_labels").copy()
        return self._work.labels, bits

"""The two kinds of feedback: the top-k bits, or the whole label set."""

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
    """A booster that sees the relevance of the k labels it places at the top.

    Parameters
    ----------
    rho
        The exploration rate: how often the ranking shown is randomised, in the first round.
    k
        How many labels it sees the relevance of.
    exploration
        How a ranking is randomised: one of `booster.tables.SCHEMES`. "uniform" shows any
        permutation; "single-swap" twice swaps a label of the top-k with one outside it, and
        needs 3 <= k < n_labels.
    schedule
        How the rate goes on: one of `booster.tables.SCHEDULES`. "constant" stays at `rho`, as in
        the paper. The others are at `rho_end` after `horizon` rounds: "explore_first" stays at
        `rho` till then, "linear" falls by the same amount in each round, "geometric" by the same
        share, "power" like a power of the round's number, early and then slowly.
    rho_end
        The rate after `horizon` rounds.
    horizon
        For how many rounds the rate is on its way; needed unless it is constant.
    least_probability
        Pairs are weighted as if they were never less likely to be seen than this, to bound the
        variance; less likely ones weigh too little then.
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
                f"rho_end <= rho = {self.rho} must hold for schedule = {self.schedule!r}, but got "
                f"{self.rho_end}"
            )

    @property
    def final_rate(self) -> float:
        """The exploration rate once it has come down."""
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

    def _most_fed(self, sizes: NDArray[np.int64]) -> int:
        return self.k


@dataclass(eq=False, kw_only=True)
class FullInformation(Booster):
    """A booster that is told all relevant labels after each prediction.

    Its labels weigh little, as all pairs share the cost, and a Hoeffding bound takes weight for
    rows: its trees split on a tie early, lest they wait for ever (docs/results/tie_threshold.md).
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
        """It never explores: it is told everything."""
        return 0.0

    def _settle(self) -> None:
        """It never explores."""

    def _explored_probabilities(self) -> FloatArray:
        return np.ones(3)

    def _feedback_bits(self, feedback: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        bits = label_bits(feedback, self.n_labels, "n_labels").copy()
        return self._work.labels, bits

    def _most_fed(self, sizes: NDArray[np.int64]) -> int:
        return int(sizes.max())

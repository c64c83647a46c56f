"""The two kinds of feedback: on the top k labels only, or on the whole label set."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.exploration import (
    CLIP,
    explored_probabilities,
    fall,
)
from booster.features import row_of
from booster.kernels import schedule as schedules
from booster.kernels import schemes
from booster.kernels.pairs import likely_over_experts
from booster.kernels.state import FloatArray, Rules
from booster.learners import TreeRanges
from booster.logs import Log, LogResult, LogRows, Offer, log_rows, one_round
from booster.parameters import fraction, label_bits, scheme, whole
from booster.tables import CONSTANT, SCHEDULES, SCHEMES, UNIFORM
from booster.template import Booster
from booster.workspace import with_pairs

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

    def offer(self, x: ArrayLike) -> Offer:
        """Return the ranking of `predict`, and how likely the pairs in its top-k were to be there.

        Learns nothing, and no round begins: feedback on it is for `learn`, of this booster or of
        any other.
        """
        self._show(row_of(x, self.n_features))
        ranking = self._work.order.copy()
        shown = ranking[: self.k]
        offer = Offer(ranking, shown, self._likely(shown)[np.triu_indices(self.k, 1)])
        if self._pending is not None:
            self._show(self._pending)  # its scores and ranking are in the scratch space
        return offer

    def _likely(self, shown: NDArray[np.int64]) -> FloatArray:
        """Return P of each pair of labels in the round in the scratch space."""
        work = self._work
        if not self._rules.marginal or self.k == self.n_labels:
            inside = work.inside[shown]
            return work.probability[inside[:, np.newaxis] + inside]
        likely = np.empty((self.k, self.k))
        likely_over_experts(self._rules, self._votes, work, shown, shown, likely)
        return np.minimum(likely, 1.0)  # a sum may exceed it by rounding

    def learn(self, x: ArrayLike, shown: ArrayLike, bits: ArrayLike, pairs: ArrayLike) -> None:
        """Learn from feedback that any policy collected, in a round of its own.

        Parameters
        ----------
        x
            The row of features.
        shown
            The labels whose relevance was seen: at least 2, not necessarily k, each once.
        bits
            1 for each of them that was relevant, else 0.
        pairs
            For each pair of them, the probability that the policy shows both, in the order of
            `Offer.pairs`. Clipped like the booster's own.
        """
        self._follow(one_round(x, shown, bits, pairs, self.n_features, self.n_labels))

    def run_log(self, log: Log, loops: int = 1) -> LogResult:
        """Learn from every row of a log, as `learn` does, `loops` times."""
        rows = log_rows(log, self.n_features, self.n_labels)
        loops = whole("loops", loops, 1)
        self._log_rounds(rows, 0, 0)  # loads the kernel before the clock starts
        started = time.perf_counter()
        for _ in range(loops):
            self._follow(rows)
        took = time.perf_counter() - started
        self._check_learned()
        return LogResult(loops * rows.n_rows, took)

    def _follow(self, rows: LogRows) -> None:
        sizes = rows.bits.sum(axis=1, dtype=np.int64)
        self._work = with_pairs(self._work, int(sizes.max()), rows.shown.shape[1])
        self._prepare(np.unique(sizes))
        self._pending = None
        self._in_chunks(rows.n_rows, partial(self._log_rounds, rows))

    def _log_rounds(self, rows: LogRows, first: int, last: int) -> int:
        """Run over some rows; return the row where the available memory ended."""
        reached: int = self._engine.run_log(
            self._rules,
            self._forest.trees,
            self._forest.arrays,
            self._votes,
            self._tables,
            rows.features,
            rows.shown,
            rows.bits,
            rows.pairs,
            first,
            last,
            self._round + 1,
            self._work,
        )
        self._round += reached - first
        return reached


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
        """Return 0, because it is told everything and never explores."""
        return 0.0

    def _settle(self) -> None:
        """Do nothing: it never explores."""

    def _explored_probabilities(self) -> FloatArray:
        return np.ones(3)

    def _feedback_bits(self, feedback: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        bits = label_bits(feedback, self.n_labels, "n_labels").copy()
        return self._work.labels, bits

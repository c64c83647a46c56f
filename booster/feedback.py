"""The two kinds of feedback: the top-k bits, or the whole label set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from booster.exploration import SINGLE_SWAP, UNIFORM, inverse_probabilities
from booster.kernels.state import FloatArray, Rules
from booster.learners import TreeRanges
from booster.parameters import fraction, label_bits, scheme, whole
from booster.template import Booster

EARLY_SPLITS = TreeRanges(tie_threshold=(0.3, 0.9))


@dataclass(eq=False, kw_only=True)
class TopFeedback(Booster):
    """A booster that sees the relevance of the k labels it places at the top.

    Parameters
    ----------
    rho
        The exploration rate: how often the ranking shown is randomised.
    k
        How many labels it sees the relevance of.
    exploration
        "uniform" shows any permutation; "single-swap" twice swaps a label of the top-k with
        one outside it, and needs 3 <= k < n_labels.
    """

    full: ClassVar[bool] = False

    rho: float = 0.03
    k: int = 3
    exploration: str = UNIFORM

    def _check(self) -> None:
        super()._check()
        self.rho = fraction("rho", self.rho)
        self.k = whole("k", self.k, 2, self.n_labels)
        self.exploration = scheme(self.exploration, self.k, self.n_labels)

    def _make_rules(self, key: np.uint64) -> Rules:
        return Rules(
            adaptive=self.adaptive,
            full=False,
            single_swap=self.exploration == SINGLE_SWAP,
            marginal=False,
            k=self.k,
            rho=self.rho,
            step=8.0 * self.rho * 2.0**0.5 / self.n_labels**2,
            weight_cap=float("inf") if self.weight_cap is None else self.weight_cap,
            key=key,
        )

    def _inverse_probabilities(self) -> FloatArray:
        return inverse_probabilities(self.exploration, self.n_labels, self.k, self.rho)

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
            single_swap=False,
            marginal=False,
            k=self.n_labels,
            rho=0.0,
            step=1.0,
            weight_cap=float("inf") if self.weight_cap is None else self.weight_cap,
            key=key,
        )

    def _inverse_probabilities(self) -> FloatArray:
        return np.ones(3)

    def _feedback_bits(self, feedback: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        bits = label_bits(feedback, self.n_labels, "n_labels").copy()
        return self._work.labels, bits

    def _most_fed(self, sizes: NDArray[np.int64]) -> int:
        return int(sizes.max())

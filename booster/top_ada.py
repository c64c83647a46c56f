"""TopAda: the adaptive algorithm with top-k feedback (Top-kAdaptive)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from booster.feedback import TopFeedback
from booster.kernels.state import Rules
from booster.learners import TreeRanges
from booster.parameters import positive, switch

LATE_SPLITS = TreeRanges(tie_threshold=(0.01, 0.1))


@dataclass(eq=False, kw_only=True)
class TopAda(TopFeedback):
    """Adaptive boosting for ranking with top-k feedback (Algorithm 3 of the paper).

    The learners' votes are weighted by alpha, which follows the gradient of the estimated
    logistic loss; the cost of a label is that gradient. Every prefix of the learners is an
    expert. The expert that ranks is drawn by its estimated rank loss so far (Hedge). Its trees
    split on a tie late, which ranked better (docs/results/tie_threshold.md).

    See `TopFeedback` and `Booster` for the other parameters.

    Parameters
    ----------
    step_scale
        Multiplies the paper's step sizes of the alphas.
    marginal
        Whether a pair is weighted by its probability over all experts that could have been
        drawn, instead of by its probability given the drawn expert, as in the paper.

    Examples
    --------
    >>> import numpy as np
    >>> from booster import TopAda
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 5))
    >>> Y = (X @ rng.normal(size=(5, 6)) + rng.normal(size=(1000, 6)) > 0.5).astype(int)
    >>> booster = TopAda(n_features=5, n_labels=6, n_learners=20, rho=0.1)
    >>> booster.run(X, Y, loops=5).loss.round(2).tolist()
    [0.23, 0.11, 0.1, 0.09, 0.08]
    """

    adaptive: ClassVar[bool] = True

    trees: TreeRanges = LATE_SPLITS
    step_scale: float = 1.0
    marginal: bool = False

    _as_in_the_paper: ClassVar[dict[str, Any]] = TopFeedback._as_in_the_paper | {
        "step_scale": 1.0,
        "marginal": False,
    }

    def _check(self) -> None:
        super()._check()
        self.step_scale = positive("step_scale", self.step_scale)
        self.marginal = switch("marginal", self.marginal)

    def _make_rules(self, key: np.uint64) -> Rules:
        rules = super()._make_rules(key)
        return rules._replace(step=self.step_scale * rules.step, marginal=self.marginal)

    def _prepare(self, sizes: NDArray[np.int64]) -> None:
        """Do nothing: gradients need no tables."""

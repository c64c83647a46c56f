"""TopOpt: the optimal algorithm with top-k feedback (Top-kBBM)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from booster.feedback import TopFeedback
from booster.kernels.state import Tables
from booster.parameters import fraction
from booster.potentials import vote_probabilities, walk_table


@dataclass(eq=False, kw_only=True)
class TopOpt(TopFeedback):
    """Boost-by-majority for ranking with top-k feedback (Algorithm 2 of the paper).

    All learners vote with the same weight. Each is assumed to beat guessing by an edge gamma.
    The cost of a label is the potential: the expected hinge loss of the seen pairs if the
    remaining learners guessed with that edge. It is computed exactly.

    See `TopFeedback` and `Booster` for the other parameters.

    Parameters
    ----------
    gamma
        The edge that the learners are assumed to have.

    Examples
    --------
    >>> import numpy as np
    >>> from booster import TopOpt
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 5))
    >>> Y = (X @ rng.normal(size=(5, 6)) + rng.normal(size=(1000, 6)) > 0.5).astype(int)
    >>> booster = TopOpt(n_features=5, n_labels=6, n_learners=20, gamma=0.1, rho=0.1)
    >>> booster.run(X, Y, loops=5).loss.round(2).tolist()
    [0.2, 0.1, 0.08, 0.07, 0.06]
    """

    adaptive: ClassVar[bool] = False

    gamma: float = 0.1

    def _check(self) -> None:
        super()._check()
        self.gamma = fraction("gamma", self.gamma)

    def _prepare(self, sizes: NDArray[np.int64]) -> None:
        """Make the one table for all label sets: the competitor favours one relevant label."""
        if len(self._tables.walks) == 0:
            down, up = vote_probabilities(self.n_labels, self.gamma, n_relevant=1)
            walks = walk_table(self.n_learners, down, up)[np.newaxis]
            self._tables = Tables(np.zeros(self.n_labels + 1, np.int64), walks)

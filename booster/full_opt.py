"""FullOpt: the optimal algorithm with full information (OnlineBMR)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from booster.feedback import FullInformation
from booster.kernels.state import Tables
from booster.parameters import fraction
from booster.potentials import vote_probabilities, walk_table


@dataclass(eq=False, kw_only=True)
class FullOpt(FullInformation):
    """Boost-by-majority for ranking with full information (OnlineBMR).

    Like `TopOpt`, but over all pairs of a relevant and an irrelevant label, normalised by their
    number, and with a competitor that favours all relevant labels.

    See `Booster` for the other parameters.

    Parameters
    ----------
    gamma
        The edge that the learners are assumed to have; for a set of r relevant labels it is
        limited to 1 / r.

    Examples
    --------
    >>> import numpy as np
    >>> from booster import FullOpt
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 5))
    >>> Y = (X @ rng.normal(size=(5, 6)) + rng.normal(size=(1000, 6)) > 0.5).astype(int)
    >>> booster = FullOpt(n_features=5, n_labels=6, n_learners=20, gamma=0.1)
    >>> booster.run(X, Y, loops=5).loss.round(2).tolist()
    [0.1, 0.03, 0.01, 0.01, 0.01]
    """

    adaptive: ClassVar[bool] = False

    gamma: float = 0.1

    def _check(self) -> None:
        super()._check()
        self.gamma = fraction("gamma", self.gamma)

    def _prepare(self, sizes: NDArray[np.int64]) -> None:
        """Make a table for each new size of a label set."""
        known = set(np.flatnonzero(self._tables.of_size).tolist())
        new = [r for r in sizes.tolist() if 0 < r < self.n_labels and r not in known]
        if new:
            tables = [
                walk_table(self.n_learners, *vote_probabilities(self.n_labels, self.gamma, r))
                for r in new
            ]
            self._tables = _with_tables(self._tables, new, np.stack(tables))


def _with_tables(tables: Tables, sizes: list[int], walks: NDArray[np.float64]) -> Tables:
    """Append to `tables`; place 0 stays empty, so that 0 means none."""
    old = tables.walks if len(tables.walks) else np.zeros_like(walks[:1])
    of_size = tables.of_size.copy()
    of_size[sizes] = len(old) + np.arange(len(sizes))
    return Tables(of_size, np.concatenate([old, walks]))

"""FullAda: the adaptive algorithm with full information (Ada.OLMR)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from booster.feedback import FullInformation
from booster.kernels.state import Rules
from booster.parameters import positive


@dataclass(eq=False, kw_only=True)
class FullAda(FullInformation):
    """Adaptive boosting for ranking with full information (Ada.OLMR).

    Like `TopAda`, but over all pairs of a relevant and an irrelevant label, normalised by their
    number, with steps of 1 / sqrt(t).

    See `Booster` for the other parameters.

    Parameters
    ----------
    step_scale
        Multiplies the step sizes of the alphas.

    Examples
    --------
    >>> import numpy as np
    >>> from booster import FullAda
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 5))
    >>> Y = (X @ rng.normal(size=(5, 6)) + rng.normal(size=(1000, 6)) > 0.5).astype(int)
    >>> booster = FullAda(n_features=5, n_labels=6, n_learners=20)
    >>> booster.run(X, Y, loops=5).loss.round(2).tolist()
    [0.11, 0.02, 0.01, 0.01, 0.0]
    """

    adaptive: ClassVar[bool] = True

    step_scale: float = 1.0

    _as_in_the_paper: ClassVar[dict[str, Any]] = FullInformation._as_in_the_paper | {
        "step_scale": 1.0
    }

    def _check(self) -> None:
        super()._check()
        self.step_scale = positive("step_scale", self.step_scale)

    def _make_rules(self, key: np.uint64) -> Rules:
        rules = super()._make_rules(key)
        return rules._replace(step=self.step_scale * rules.step)

    def _prepare(self, sizes: NDArray[np.int64]) -> None:
        """Do nothing: gradients need no tables."""

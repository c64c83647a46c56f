"""Online boosting for multilabel ranking, with top-k feedback or full information.

A booster ranks labels for one row of features after another. With full information it is
then told which labels are relevant. With top-k feedback it is told this only for the k labels
that it placed at the top, like an advertiser who sees clicks only on the ads shown. It combines
N weak learners, small online trees. Each learner is trained on the mistakes of those before it.

| | edge gamma of the learners known | learner weights adapted |
|---|---|---|
| top-k feedback | `TopOpt` | `TopAda` |
| full information | `FullOpt` | `FullAda` |

The top-k boosters must explore, because they would otherwise never learn about labels they rank
low. With probability rho they show a randomised ranking ("uniform" or "single-swap"), and they
weight every pair of labels they see by the inverse of the probability of seeing it.

Each can be used as a stream, row by row, or compiled over arrays. Both give the same bits:

>>> import numpy as np
>>> from booster import TopOpt
>>> rng = np.random.default_rng(0)
>>> X = rng.normal(size=(2000, 5))
>>> Y = (X @ rng.normal(size=(5, 6)) + rng.normal(size=(2000, 6)) > 0.5).astype(int)
>>> one = TopOpt(n_features=5, n_labels=6, n_learners=10, gamma=0.1, rho=0.1, seed=1)
>>> for x, y in zip(X, Y):
...     ranking = one.predict(x)
...     one.update(y[ranking[:3]])
>>> other = TopOpt(n_features=5, n_labels=6, n_learners=10, gamma=0.1, rho=0.1, seed=1)
>>> result = other.run(X, Y)
>>> bool((one.scores(X) == other.scores(X)).all())
True

References
----------
Vinod Raman, Daniel T. Zhang, Young Hun Jung, Ambuj Tewari: Online Boosting for Multilabel
Ranking with Top-k Feedback. Young Hun Jung, Ambuj Tewari: Online Boosting Algorithms for
Multi-label Ranking (AISTATS 2018). Pedro Domingos, Geoff Hulten: Mining High-Speed Data
Streams (KDD 2000).
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from booster.tables import ALGORITHMS

if TYPE_CHECKING:
    from booster import learners
    from booster.full_ada import FullAda as FullAda
    from booster.full_opt import FullOpt as FullOpt
    from booster.learners import TreeRanges
    from booster.log_losses import LogLosses, LossEstimate
    from booster.logs import Log, LogResult, Offer
    from booster.persistence import load
    from booster.results import Evaluation, Result
    from booster.template import Booster
    from booster.top_ada import TopAda as TopAda
    from booster.top_opt import TopOpt as TopOpt
    from booster.warming import warm_up

__all__ = [
    "ALGORITHMS",
    "Booster",
    "Evaluation",
    "Log",
    "LogLosses",
    "LogResult",
    "LossEstimate",
    "Offer",
    "Result",
    "TreeRanges",
    "learners",
    "load",
    "warm_up",
]

_HOMES = {
    "Booster": "booster.template",
    "Evaluation": "booster.results",
    "Log": "booster.logs",
    "LogLosses": "booster.log_losses",
    "LogResult": "booster.logs",
    "LossEstimate": "booster.log_losses",
    "Offer": "booster.logs",
    "Result": "booster.results",
    "TreeRanges": "booster.learners",
    "load": "booster.persistence",
    "warm_up": "booster.warming",
}

for _home, _, _name in (each.target.partition(":") for each in ALGORITHMS.own.values()):
    _HOMES[_name] = _home
    __all__ += [_name]


def __getattr__(name: str) -> Any:
    """Import a name on first use: programs that only pass boosters around need no Numba."""
    if name not in _HOMES:
        if name.startswith("_") or find_spec(f"{__name__}.{name}") is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return import_module(f"{__name__}.{name}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

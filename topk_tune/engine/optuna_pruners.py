"""Factories of Optuna's pruners, configured for boosters."""

from optuna.pruners import (
    BasePruner,
    HyperbandPruner,
    NopPruner,
    WilcoxonPruner,
)

from topk_tune.engine import by_path
from topk_tune.engine.median import KnownMedian
from topk_tune.engine.pruners import PRUNERS
from topk_tune.storage.quiet_optuna import experimental

# The first loops say little: boosters that explore more start worse and end better.
_WARM_UP_LOOPS = 3
_STARTUP_TRIALS = 5


def make_pruner(name: str, steps: int) -> BasePruner:
    """Return a pruner for trials that report at most `steps` times."""
    with experimental():
        made: BasePruner = (
            PRUNERS.load(name)(steps)
            if name in PRUNERS.own
            else by_path.make(PRUNERS, name, BasePruner)
        )
    return made


def median(steps: int) -> BasePruner:
    """Prune trials that are worse than the median."""
    return KnownMedian(startup=_STARTUP_TRIALS, warm_up=_WARM_UP_LOOPS)


def hyperband(steps: int) -> BasePruner:
    """Prune by successive halving with several starting loops."""
    return HyperbandPruner(min_resource=_WARM_UP_LOOPS, max_resource=max(steps, _WARM_UP_LOOPS))


def wilcoxon(steps: int) -> BasePruner:
    """Prune by a significance test over the seeds."""
    return WilcoxonPruner(p_threshold=0.1)


def none(steps: int) -> BasePruner:
    """Prune nothing."""
    return NopPruner()

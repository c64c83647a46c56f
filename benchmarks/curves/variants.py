"""Samplers and pruners that are compared with ours; a study names them by their path."""

from __future__ import annotations

from optuna.pruners import MedianPruner, PercentilePruner, WilcoxonPruner
from optuna.samplers import TPESampler

from topk_tune.storage.quiet_optuna import experimental

PLACE = __name__


class BestQuarter(PercentilePruner):
    """Stops what is not among the best quarter at the same loop, after three loops."""

    def __init__(self) -> None:
        super().__init__(25.0, n_startup_trials=5, n_warmup_steps=3)


class MedianAtOnce(MedianPruner):
    """Optuna's default: compares from the first loop on."""

    def __init__(self) -> None:
        super().__init__(n_startup_trials=5, n_warmup_steps=0)


class LoopsByWilcoxon(WilcoxonPruner):
    """Compares the loops of a trial with the same loops of the best one."""

    def __init__(self) -> None:
        with experimental():
            super().__init__(p_threshold=0.1)


class IndependentTPE(TPESampler):
    """TPE that chooses each parameter by itself."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed=seed, multivariate=False)


class TrustingTPE(TPESampler):
    """TPE that ignores running trials."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed=seed, constant_liar=False)


class EarlyTPE(TPESampler):
    """TPE after five random trials, not ten."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed=seed, n_startup_trials=5)

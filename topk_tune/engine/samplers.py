"""Optuna's samplers and pruners by our names, set up for boosters."""

import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from optuna.distributions import BaseDistribution
from optuna.exceptions import ExperimentalWarning
from optuna.pruners import (
    BasePruner,
    HyperbandPruner,
    MedianPruner,
    NopPruner,
    SuccessiveHalvingPruner,
    WilcoxonPruner,
)
from optuna.samplers import (
    BaseSampler,
    CmaEsSampler,
    GPSampler,
    QMCSampler,
    RandomSampler,
    TPESampler,
)
from optuna.study import Study
from optuna.trial import FrozenTrial

from topk_tune.records.settings import PrunerName, SamplerName
from topk_tune.spaces.decimals import DecimalSampler

# The first loops say little: boosters that explore more start worse and end better.
_WARM_UP_LOOPS = 3
_STARTUP_TRIALS = 5

Distributions = dict[str, BaseDistribution]

FORGETFUL: tuple[SamplerName, ...] = ("tpe", "random", "grid")
"""Samplers that can do without some of the finished trials; the others carry a sequence or a
population along."""


class WholeSpaceTPE(TPESampler):
    """TPE over a space that is known, rather than found anew from all trials at each turn.

    While trials run, it takes them for bad ones, so as not to ask them twice.
    """

    def __init__(self, seed: int, space: Distributions | None) -> None:
        super().__init__(seed=seed, constant_liar=True)
        self._whole = space

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """The parameters to choose together."""
        if self._whole is None:
            return super().infer_relative_search_space(study, trial)
        return {name: d for name, d in sorted(self._whole.items()) if not d.single()}


def make_sampler(
    name: SamplerName, study_seed: int, turn: str, space: Distributions | None = None
) -> BaseSampler:
    """A sampler for one turn: a study that is resumed could not restore one that goes on.

    `space` has the parameters of all trials, if they are the same for all.
    """
    seed = _mixed(study_seed, turn)
    with _experimental():
        return DecimalSampler(_sampler(name, seed, _mixed(study_seed, ""), space))


def _sampler(
    name: SamplerName, seed: int, sequence_seed: int, space: Distributions | None
) -> BaseSampler:
    match name:
        case "tpe":
            return WholeSpaceTPE(seed, space)
        case "random" | "grid":  # a grid is enumerated by its space
            return RandomSampler(seed=seed)
        case "qmc":
            return QMCSampler(
                seed=sequence_seed,
                scramble=True,
                independent_sampler=RandomSampler(seed=seed),
                warn_independent_sampling=False,
            )
        case "cmaes":
            return CmaEsSampler(seed=seed, warn_independent_sampling=False)
        case "gp":
            if find_spec("torch") is None:
                raise ValueError(
                    "sampler gp needs PyTorch, which is not installed: pip install torch, or "
                    "choose tpe, random, grid, qmc or cmaes"
                )
            return GPSampler(seed=seed)


def make_pruner(name: PrunerName, steps: int) -> BasePruner:
    """A pruner for trials that report at most `steps` times."""
    with _experimental():
        return _pruner(name, steps)


def _pruner(name: PrunerName, steps: int) -> BasePruner:
    match name:
        case "median":
            return MedianPruner(n_startup_trials=_STARTUP_TRIALS, n_warmup_steps=_WARM_UP_LOOPS)
        case "asha":
            return SuccessiveHalvingPruner(min_resource=_WARM_UP_LOOPS)
        case "hyperband":
            return HyperbandPruner(
                min_resource=_WARM_UP_LOOPS, max_resource=max(steps, _WARM_UP_LOOPS)
            )
        case "wilcoxon":
            return WilcoxonPruner(p_threshold=0.1)
        case "none":
            return NopPruner()


@contextmanager
def _experimental() -> Iterator[None]:
    """Keep Optuna from warning users of what we have chosen to rely on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ExperimentalWarning)
        yield


def _mixed(seed: int, turn: str) -> int:
    """A seed for one turn: any function that spreads both over 32 bits will do."""
    return zlib.crc32(f"{seed}/{turn}".encode())

"""Factories of Optuna's samplers, configured for boosters.

A new sampler is made for each turn, because a resumed study could not restore the state of an old
one. So a sampler may read the finished trials, but keeps no state.
"""

import zlib
from importlib.util import find_spec
from typing import Any, NamedTuple

from optuna.distributions import BaseDistribution
from optuna.samplers import (
    BaseSampler,
    CmaEsSampler,
    GPSampler,
    QMCSampler,
    RandomSampler,
)
from optuna.study import Study

from topk_tune.engine import by_path
from topk_tune.engine.samplers import SAMPLERS
from topk_tune.engine.tpe import WholeSpaceTPE
from topk_tune.spaces.decimals import DecimalSampler, decimals
from topk_tune.storage.quiet_optuna import experimental

Distributions = dict[str, BaseDistribution]


class Turn(NamedTuple):
    """The arguments from which a sampler is made.

    Parameters
    ----------
    seed
        Different for each turn.
    sequence_seed
        The same for all turns of a study.
    space
        The parameters of all trials, if every trial has the same ones.
    """

    seed: int
    sequence_seed: int
    space: Distributions | None


def make_sampler(
    name: str, study_seed: int, turn: str, space: Distributions | None = None
) -> BaseSampler:
    """Return a sampler for one turn; `space` has the parameters that every trial has."""
    now = Turn(_mixed(study_seed, turn), _mixed(study_seed, ""), space)
    with experimental():
        if name in SAMPLERS.own:
            return DecimalSampler(SAMPLERS.load(name)(now))
        return DecimalSampler(by_path.make(SAMPLERS, name, BaseSampler, seed=now.seed))


def draw_many(
    study: Study, study_seed: int, turn: str, space: Distributions, count: int
) -> list[dict[str, Any]]:
    """Return several choices of TPE, which is fitted once."""
    drawn = WholeSpaceTPE(_mixed(study_seed, turn), space).draw(study, count)
    return [decimals(values, space) for values in drawn]


def tpe(turn: Turn) -> BaseSampler:
    """TPE."""
    return WholeSpaceTPE(turn.seed, turn.space)


def random(turn: Turn) -> BaseSampler:
    """Independent draws."""
    return RandomSampler(seed=turn.seed)


def qmc(turn: Turn) -> BaseSampler:
    """Return a sampler that follows a low-discrepancy sequence."""
    return QMCSampler(
        seed=turn.sequence_seed,
        scramble=True,
        independent_sampler=RandomSampler(seed=turn.seed),
        warn_independent_sampling=False,
    )


def cmaes(turn: Turn) -> BaseSampler:
    """Return a sampler with an evolution strategy."""
    return CmaEsSampler(seed=turn.seed, warn_independent_sampling=False)


def gp(turn: Turn) -> BaseSampler:
    """Gaussian processes."""
    if find_spec("torch") is None:
        raise ValueError(
            "sampler gp needs PyTorch, which is not installed: run "
            f"`{SAMPLERS['gp'].install}`, or choose another sampler"
        )
    return GPSampler(seed=turn.seed)


def _mixed(seed: int, turn: str) -> int:
    """Return a seed for one turn; any function that spreads both over 32 bits will do."""
    return zlib.crc32(f"{seed}/{turn}".encode())

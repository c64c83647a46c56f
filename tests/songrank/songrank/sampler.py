"""A sampler of Optuna's kind: half of what worked best, the rest at random."""

from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState


class HalfOfTheBest(BaseSampler):
    """Takes each value from the best finished trial or at random, with equal chances.

    Parameters
    ----------
    seed
        Of all that is random.
    """

    def __init__(self, seed: int) -> None:
        self._random = RandomSampler(seed=seed)
        self._coin = np.random.default_rng(seed)

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """None: values are chosen one by one."""
        return {}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Nothing is chosen together."""
        return {}

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """The best trial's value or a random one."""
        drawn = self._random.sample_independent(study, trial, param_name, param_distribution)
        best = _best(study)
        known = best is not None and best.distributions.get(param_name) == param_distribution
        if best is None or not known or self._coin.random() < 0.5:
            return drawn
        return best.params[param_name]


def _best(study: Study) -> FrozenTrial | None:
    complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    pick = min if study.direction.name == "MINIMIZE" else max
    return pick(complete, key=lambda trial: trial.value or 0.0, default=None)

"""A sampler that keeps steps of ranges as exact decimals, also in what Optuna stores."""

from collections.abc import Mapping, Sequence
from typing import Any

from optuna.distributions import BaseDistribution, FloatDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from topk_tune.spaces.values import nearest_step


class DecimalSampler(BaseSampler):
    """Wraps a sampler and rounds its values to exact decimals of a range's steps.

    Optuna sums steps up as floats: 0.01 in steps of 0.01 reaches 0.06999999999999999 instead of
    0.07. The trial would be recorded with another value than it was run with.
    """

    def __init__(self, sampler: BaseSampler) -> None:
        self._sampler = sampler

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Forwarded to the wrapped sampler."""
        return self._sampler.infer_relative_search_space(study, trial)

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """The wrapped sampler's value as an exact decimal."""
        values = self._sampler.sample_relative(study, trial, search_space)
        return decimals(values, search_space)

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """The wrapped sampler's value as an exact decimal."""
        value = self._sampler.sample_independent(study, trial, param_name, param_distribution)
        return _decimal(value, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """Forwarded to the wrapped sampler."""
        self._sampler.before_trial(study, trial)

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Forwarded to the wrapped sampler."""
        self._sampler.after_trial(study, trial, state, values)

    def reseed_rng(self) -> None:
        """Forwarded to the wrapped sampler."""
        self._sampler.reseed_rng()


def decimals(values: Mapping[str, Any], space: Mapping[str, BaseDistribution]) -> dict[str, Any]:
    """Return values as exact decimals of the steps of their ranges."""
    return {name: _decimal(value, space[name]) for name, value in values.items()}


def _decimal(value: Any, distribution: BaseDistribution) -> Any:
    if isinstance(distribution, FloatDistribution) and distribution.step is not None:
        return nearest_step(value, distribution.low, distribution.step)
    return value

"""Optuna's tree-structured Parzen estimator, over a known space and for many workers.

How it splits trials and weighs candidates is known of some versions of Optuna only.
"""

from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import TPESampler
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from topk_tune.storage.journal import OPTUNA

_INSIDE = "optuna.samplers._tpe.sampler"
_SPLIT = OPTUNA.part(f"{_INSIDE}:_split_trials")
_GAMMA = OPTUNA.part(f"{_INSIDE}:default_gamma")

_MOST_BAD = 250
"""The bad trials that many choices at once are compared with: the latest ones. The time grows with
them, the quality of the choices hardly."""

_USED = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.RUNNING)


class WholeSpaceTPE(TPESampler):
    """TPE over a known space, instead of one inferred from all trials at each turn.

    It treats running trials as bad ones, so that it does not propose them again.
    """

    def __init__(self, seed: int, space: dict[str, BaseDistribution] | None) -> None:
        super().__init__(seed=seed, constant_liar=True)
        self._whole = space

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Return the parameters to choose together."""
        if self._whole is None:
            return super().infer_relative_search_space(study, trial)
        return {name: d for name, d in sorted(self._whole.items()) if not d.single()}

    def draw(self, study: Study, count: int) -> list[dict[str, Any]]:
        """Return several choices from one fit; at random while there are too few finished trials.

        Each is the best of as many candidates as a single one would be.
        """
        assert self._whole is not None, "many choices are drawn only from a known space"
        space = {name: d for name, d in sorted(self._whole.items()) if not d.single()}
        trials = study._get_trials(deepcopy=False, states=_USED, use_cache=False)
        finished = sum(trial.state != TrialState.RUNNING for trial in trials)
        if finished < self._n_startup_trials:
            return [self._at_random(study, trials[-1], space) for _ in range(count)]
        below, above = _SPLIT.get()(study, trials, _GAMMA.get()(finished))
        good = self._build_parzen_estimator(study, space, below, handle_below=True)
        bad = self._build_parzen_estimator(study, space, above[-_MOST_BAD:], handle_below=False)
        samples = good.sample(self._rng.rng, count * self._n_ei_candidates)
        worth = self._compute_acquisition_func(samples, good, bad).reshape(count, -1)
        best = worth.argmax(axis=1) + np.arange(count) * self._n_ei_candidates
        return [
            {name: d.to_external_repr(samples[name][place].item()) for name, d in space.items()}
            for place in best
        ]

    def _at_random(
        self, study: Study, trial: FrozenTrial, space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        draw = self._random_sampler.sample_independent
        return {name: draw(study, trial, name, d) for name, d in space.items()}

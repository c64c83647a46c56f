"""The median as a pruner decides like Optuna's, whatever is reported."""

import math
import random

import optuna
import pytest
from optuna.pruners import MedianPruner
from optuna.trial import TrialState

from topk_tune.engine.median import KnownMedian

ODD = (math.nan, math.inf, -math.inf, 0.0)


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
@pytest.mark.filterwarnings("ignore:All-NaN:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
def test_it_decides_like_optuna(direction: str) -> None:
    rng = random.Random(7)
    known = KnownMedian(startup=5, warm_up=3)
    theirs = MedianPruner(n_startup_trials=5, n_warmup_steps=3)
    study = optuna.create_study(direction=direction, pruner=theirs)
    decisions = []
    for _ in range(120):
        trial = study.ask()
        end = rng.choice((TrialState.COMPLETE, TrialState.COMPLETE, TrialState.PRUNED))
        for step in range(1, rng.choice((4, 8))):
            value = rng.choice(ODD) if rng.random() < 0.05 else round(rng.random(), 2)
            trial.report(value, step)
            frozen = study.trials[trial.number]
            decisions.append((known.prune(study, frozen), theirs.prune(study, frozen)))
        values = 1.0 if end == TrialState.COMPLETE else None
        known.learn(study.tell(trial, values, state=end))
    assert [ours for ours, _ in decisions] == [other for _, other in decisions]
    assert {ours for ours, _ in decisions} == {True, False}


def test_half_of_an_even_number_is_rounded_like_numpy() -> None:
    study = optuna.create_study()
    known, theirs = KnownMedian(0, 0), MedianPruner(0, 0)
    for value in (0.1, 0.7):
        trial = study.ask()
        trial.report(value, 1)
        known.learn(study.tell(trial, value))
    for value in (0.4, math.nextafter(0.4, 1), math.nextafter(0.4, 0)):
        trial = study.ask()
        trial.report(value, 1)
        frozen = study.trials[trial.number]
        assert known.prune(study, frozen) == theirs.prune(study, frozen)

"""Importances are Optuna's, and do not load scikit-learn."""

import subprocess
import sys

import optuna
import pytest

from topk_tune.charts.ped_anova import ped_anova

_LIGHT = """
import sys, optuna
from topk_tune.charts.ped_anova import ped_anova
study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))
optuna.logging.set_verbosity(optuna.logging.ERROR)
study.optimize(lambda t: t.suggest_float("x", 0, 1) + 0 * t.suggest_int("y", 0, 3), 30)
assert ped_anova(study)
assert not {"sklearn", "pandas", "optuna.importance"} & set(sys.modules)
assert optuna.importance.FanovaImportanceEvaluator  # the whole package can still be loaded
"""


@pytest.mark.parametrize("alike", [True, False])
@pytest.mark.filterwarnings("ignore")
def test_they_are_those_of_optuna(alike: bool) -> None:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(0))

    def objective(trial: optuna.Trial) -> float:
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_int("y", 0, 5)
        return 1.0 if alike else x**2 + 0.1 * y

    study.optimize(objective, 30)
    assert ped_anova(study) == optuna.importance.get_param_importances(study)


def test_scikit_learn_is_left_alone() -> None:
    subprocess.run([sys.executable, "-c", _LIGHT], check=True)

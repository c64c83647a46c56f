"""Trainings that are kept between two loops and continue with the same bits."""

import io
from itertools import islice
from typing import Any

import pytest
from tuning import DATA, settings

from topk_tune.data import load
from topk_tune.study.rows import tuning_rows
from topk_tune.training.training import Training, reports, run_trial
from topk_tune.training.trial import LoopReport, Measure, TrialConfig

LOOPS = 4
TOP = {"loops": LOOPS, "n_learners": 3, "rho": 0.4, "k": 2}
CONFIGS = [
    {"algorithm": "topada", **TOP},
    {"algorithm": "topopt", **TOP, "exploration": "uniform"},
    {"algorithm": "topada", **TOP, "schedule": "linear", "rho_end": 0.01},
    {"algorithm": "topopt", **TOP, "schedule": "explore_first", "rho_end": 0.01},
    {"algorithm": "fullopt", "loops": LOOPS, "n_learners": 3},
    {"algorithm": "fullada", "loops": LOOPS, "n_learners": 3},
]


def rows() -> Any:
    return tuning_rows(load(DATA), settings())


def told(report: LoopReport) -> dict[str, Any]:
    """All of a report but the time."""
    return {name: value for name, value in report.as_dict().items() if name != "seconds"}


@pytest.mark.parametrize("measure", ["read-only", "paper", "every way"])
@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config["algorithm"])
def test_a_kept_training_continues_with_the_same_bits(
    config: dict[str, Any], measure: Measure
) -> None:
    chosen, split = TrialConfig.of(config), rows()
    whole = [told(each) for each in run_trial(chosen, 3, split, measure)]
    for stop in range(1, LOOPS):
        first = Training(chosen, 3, split, measure)
        begun = [told(each) for each in islice(reports(first), stop)]
        assert first.can_be_kept
        assert first.progress.loop == stop
        file = io.BytesIO()
        first.keep(file)
        file.seek(0)
        second = Training(chosen, 3, split, measure)
        second.restore(first.progress, file)
        assert [*begun, *(told(each) for each in reports(second))] == whole
        assert second.progress.seconds > first.progress.seconds
        assert second.done


def test_trainings_of_learners_that_cannot_be_saved_are_not_kept() -> None:
    config = TrialConfig.of({**CONFIGS[0], "learner": "river"})
    assert not Training(config, 0, rows(), "read-only").can_be_kept

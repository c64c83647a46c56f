"""When a study is done."""

from typing import Any

import pytest
from messages import says
from tuning import report

from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import SeedRun, State, TrialRecord


def trials(*losses: float | None) -> list[TrialRecord]:
    """A complete trial for each loss, a failed one for each None."""
    return [_trial(number, loss) for number, loss in enumerate(losses)]


def _trial(number: int, loss: float | None, state: State = "complete") -> TrialRecord:
    if loss is None:
        return TrialRecord(number, "failed", {"loops": 1}, error=f"error {number}")
    return TrialRecord(number, state, {"loops": 1}, (SeedRun(0, (report(1, loss),)),))


def test_trials() -> None:
    rule = StopOptions(trials=3)
    assert rule.reason(trials(0.1, 0.2), 0) is None
    assert rule.reason(trials(0.1, 0.2, None), 0) == "all 3 trials are done"
    assert rule.room(finished=1, running=1)
    assert not rule.room(finished=1, running=2)
    assert StopOptions().room(1000, 1000)


def test_time() -> None:
    assert StopOptions(timeout=60).reason([], 59.9) is None
    says(StopOptions(timeout=60).reason([], 60), "time", 60)


def test_target() -> None:
    rule = StopOptions(target=0.2)
    assert rule.reason(trials(0.5, None, 0.21), 0) is None
    assert rule.reason(trials(0.5, 0.2), 0) == "the target of 0.2 is reached"


def test_a_failed_trial_reaches_no_target() -> None:
    assert StopOptions(target=0.2).reason([_trial(0, 0.1, "failed")], 0) is None


def test_patience_counts_from_the_best() -> None:
    rule = StopOptions(patience=2)
    assert rule.reason(trials(0.5, 0.6), 0) is None
    assert rule.reason(trials(0.5, 0.6, 0.4, 0.5), 0) is None
    assert rule.reason(trials(0.5, 0.4, None, 0.4), 0) == "no improvement in 2 trials"
    assert rule.reason(trials(None, None), 0) is None  # nothing to be better than


def test_failures_in_a_row() -> None:
    rule = StopOptions(failures=2)
    assert rule.reason(trials(None, 0.5, None), 0) is None
    says(rule.reason(trials(0.5, None, None), 0), "last 2 trials failed", "error 2")


@pytest.mark.parametrize("wrong", [{"trials": 0}, {"timeout": -1}, {"patience": 0}])
def test_a_limit_must_leave_something_to_do(wrong: dict[str, Any]) -> None:
    ((name, value),) = wrong.items()
    with pytest.raises(ValueError, match=f"{name} must be greater than 0, but got {value}"):
        StopOptions(**wrong)


def test_it_is_stored_without_the_time() -> None:
    rule = StopOptions(trials=3, timeout=60, target=0.1, patience=2)
    assert StopOptions(**rule.kept()) == StopOptions(trials=3, target=0.1, patience=2)

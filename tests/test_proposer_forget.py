"""A long study drops trials that no longer matter; those that run are not among them."""

from concurrent.futures import Future

import pytest
from tracking_cases import SPACE
from tuning import settings

from topk_tune.engine import proposer
from topk_tune.engine.proposer import Proposer
from topk_tune.engine.running_trial import RunningTrial
from topk_tune.training.trial import LoopReport


def begin(search: Proposer, number: int) -> RunningTrial:
    asked = search.ask(str(number))
    assert asked is not None
    given: Future[int | None] = Future()
    given.set_result(number)
    return RunningTrial(*asked, (0,), search._goal, given)


def report(search: Proposer, run: RunningTrial, loop: int) -> None:
    run.add(0, LoopReport(loop, {"shown_loss": 0.5 - run.number / 100}, 0.1, 150, 7, 9, 1000))
    search.hopeless(run, 0)


def test_what_runs_is_carried_over(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "FIRST_FORGET": 4,
        "FORGET_EVERY": 4,
        "KEPT_BEST": 1,
        "KEPT_LATEST": 1,
    }.items():
        monkeypatch.setattr(proposer, f"_{name}", value)
    search = Proposer(settings(SPACE), SPACE)
    runs = [begin(search, number) for number in range(6)]
    for run in runs:
        report(search, run, 1)
    before = [dict(run.trial.params) for run in runs]
    for run in runs[:4]:
        search.tell(run.trial, run.ended("complete"))
    search.forget(runs[4:])
    assert [dict(run.trial.params) for run in runs] == before
    assert [run.trial.number for run in runs[4:]] == [1, 2]  # after the best, which is the latest
    for run in runs[4:]:
        report(search, run, 2)
        record = run.ended("complete")
        assert set(search.outcome(run.trial, record).intermediate_values) == {1, 2}
        search.tell(run.trial, record)
    assert search.ask("next") is not None

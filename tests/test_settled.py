"""When a search has settled: what it may gain is less than seeds differ."""

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import says
from tuning import FakeBackend, FakeResources, Training, report, settings, study

from topk_tune.backends.base import Task
from topk_tune.engine.rules import check_limits
from topk_tune.engine.settled import (
    expected_gain,
    expected_minimum,
    losses,
    seed_spread,
    why_settled,
)
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import SeedRun, State, TrialRecord
from topk_tune.study.context import kept
from topk_tune.study.study import Study
from topk_tune.terminal.console import Console
from topk_tune.terminal.study_views import show_status, study_ends
from topk_tune.training.objective import Objective

VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=7)


def trial(
    number: int, *curves: list[float], state: State = "complete", **others: Any
) -> TrialRecord:
    """A trial with a curve for each seed."""
    runs = [
        SeedRun(seed, tuple(report(loop, loss) for loop, loss in enumerate(curve, 1)))
        for seed, curve in enumerate(curves)
    ]
    longest = max((len(curve) for curve in curves), default=1)
    return TrialRecord(number, state, {"loops": longest}, tuple(runs), **others)


def trials(ends: list[float], wobble: float = 0.0) -> list[TrialRecord]:
    """Trials of four loops with a loss each; the last two loops differ by the wobble."""
    curves = ([1.0, 1.0, end + wobble, end] for end in ends)
    return [trial(number, curve) for number, curve in enumerate(curves)]


@given(VALUES, st.data())
def test_the_expected_minimum_is_the_mean_over_all_choices(
    values: list[float], data: st.DataObject
) -> None:
    size = data.draw(st.integers(1, len(values)))
    naive = np.mean([min(chosen) for chosen in combinations(values, size)])
    assert expected_minimum(np.array(values), size) == pytest.approx(naive)


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30), st.data())
def test_more_trials_are_expected_to_gain_more(values: list[float], data: st.DataObject) -> None:
    ahead = data.draw(st.integers(1, len(values) - 1))
    gains = np.array([expected_gain(np.array(values), n) for n in range(1, ahead + 1)], float)
    assert np.diff(gains).min(initial=0) > -1e-12
    assert 0 <= gains.min() <= gains.max() <= max(values) - min(values) + 1e-12


def test_a_forecast_without_a_trend_is_too_high_rather_than_too_low() -> None:
    draws = np.random.default_rng(0).normal(size=(2000, 30))
    expected = [expected_gain(row[:20], 10) for row in draws]
    came = draws[:, :20].min(axis=1) - np.minimum(draws[:, :20].min(axis=1), draws[:, 20:].min(1))
    assert came.mean() < np.mean(expected)  # type: ignore[arg-type]


def test_a_search_that_still_falls_is_expected_to_fall_on() -> None:
    falling = np.linspace(1, 0, 41)
    assert expected_gain(falling, 10) == pytest.approx(0.25)
    assert expected_gain(falling[::-1], 10) == pytest.approx(0.025 * (42 / 32 - 1))
    assert expected_gain(falling, 41) is None


def test_trials_that_cannot_be_compared_count_as_worst() -> None:
    failed = trial(2, state="failed", error="broken")
    found = [*trials([0.5, 0.3]), failed]
    assert losses(found).tolist() == [0.5, 0.3, 0.5]
    assert losses([failed]).tolist() == []


def test_trials_with_fewer_seeds_are_no_better_than_the_best() -> None:
    found = [trial(0, [0.5], [0.5]), trial(1, [0.1], state="pruned"), trial(2, [0.7], [0.7])]
    assert losses(found).tolist() == [0.5, 0.5, 0.7]


def test_a_loss_that_is_better_when_higher() -> None:
    goal = Objective("average_precision", "maximize")

    def made(number: int, value: float) -> TrialRecord:
        reports = [report(loop, 0.0) for loop in range(1, 5)]
        for one, wobble in zip(reports, (0, 0, 0.02, 0), strict=True):
            one.metrics["average_precision"] = value - wobble  # type: ignore[index]
        return TrialRecord(
            number, "complete", {"loops": 4}, (SeedRun(0, tuple(reports)),), objective=goal
        )

    reason = why_settled(2, [made(number, value) for number, value in enumerate([0.5] * 4)])
    says(reason, "another 2 trials", "0.0000 higher", "seeds differ")


def test_the_spread_is_the_standard_error_of_the_better_trials() -> None:
    pairs = [trial(n, [0.1 * n], [0.1 * n + 0.02]) for n in range(1, 6)]
    far = [trial(n, [0.9], [0.1 * n]) for n in range(6, 9)]
    spread = seed_spread([*far, *pairs])
    assert spread is not None
    assert spread.size == pytest.approx(0.01)  # 0.02 / sqrt(2), of a mean of two
    says(spread.known_from, "2 seeds")


def test_with_one_seed_the_last_loops_count() -> None:
    spread = seed_spread(trials([0.2, 0.3], wobble=0.02))
    assert spread is not None
    assert spread.size == pytest.approx(0.02 / 2**0.5)
    says(spread.known_from, "one seed", "loops")
    assert seed_spread([trial(0, [0.2, 0.1])]) is None  # too short
    assert seed_spread([trial(0, [0.2] * 8, state="pruned")]) is None


def test_it_is_settled_when_the_gain_is_below_the_spread() -> None:
    ends = [0.3, 0.201, 0.2, 0.2005, 0.21, 0.22]
    reason = why_settled(3, trials(ends, wobble=0.1))
    gain = expected_gain(np.array(ends), 3)
    says(reason, f"{gain:.4f} lower", "0.0707", "another 3 trials", "less than seeds differ")
    assert why_settled(3, trials(ends, wobble=1e-4)) is None
    assert why_settled(4, trials(ends, wobble=0.1)) is None  # too few to tell
    failed = trial(6, state="failed", error="broken")
    assert why_settled(3, [*trials(ends[:5], wobble=0.1), failed]) is None


def test_a_limit_that_cannot_be_reached_is_refused() -> None:
    one, two = settings(), settings(seeds=2)
    check_limits(StopOptions(settled=5, trials=11), one, loops=4)
    check_limits(StopOptions(settled=5), two, loops=1)
    with pytest.raises(ValueError, match=r"2 seeds or 4 loops, but got 1 and 3"):
        check_limits(StopOptions(settled=5), one, loops=3)
    with pytest.raises(ValueError, match=r"more than 10 trials, but got 10"):
        check_limits(StopOptions(settled=5, trials=10), one, loops=4)


def flat(task: Task) -> Training:
    """Trials that end alike, with loops that differ by more."""
    for loop in range(1, task.config["loops"] + 1):
        yield task.seeds[0], report(loop, 0.3 + 0.01 * (loop % 2) + 1e-5 * task.id)


def test_a_study_ends_with_this_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = study(tmp_path)
    reason = made.run(StopOptions(settled=4), FakeResources(made=FakeBackend(2, flat)))
    says(reason, "another 4 trials", "0.0000 lower", "seeds differ")
    assert 8 <= len(made.records()) <= 16
    study_ends(Console(), made, reason)
    told = " ".join(capsys.readouterr().out.split())
    says(told, f"stopped: {reason}", "topk-tune resume s", "--settled 8")
    show_status(Console(), made, 1, kept(made))
    assert f"stopped: {reason}" in " ".join(capsys.readouterr().out.split())


def test_why_a_run_ended_is_stored_until_the_next_begins(tmp_path: Path) -> None:
    made = study(tmp_path)
    assert made.ended is None
    made.run(StopOptions(trials=1), FakeResources(made=FakeBackend()))
    assert Study.open(made.store.location, "s").ended == "all 1 trials are done"
    seen: list[str | None] = []
    watching = FakeBackend(on_poll=lambda: seen.append(made.ended))
    made.run(StopOptions(trials=2), FakeResources(made=watching))
    assert set(seen) == {None}
    assert made.ended == "all 2 trials are done"

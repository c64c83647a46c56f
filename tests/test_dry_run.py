"""What a dry run promises: a range over the corners of the space, from start-up to the report."""

from collections.abc import Iterator

import pytest
from tuning import DATA, report, settings, space

from topk_tune.backends.resources import ResourceOptions
from topk_tune.data import load
from topk_tune.engine.stopping import StopOptions
from topk_tune.spaces import Int
from topk_tune.study import dry_run
from topk_tune.study.dry_run import DryRun, estimate
from topk_tune.study.plan import Plan
from topk_tune.training.trial import LoopReport, TrialConfig


def rehearsed(
    monkeypatch: pytest.MonkeyPatch,
    trials: int | None = 40,
    workers: int = 2,
    tracked: bool = False,
    backend: str = "local",
    **changes: object,
) -> tuple[DryRun, list[TrialConfig]]:
    """The estimate where a loop takes 10 ms for each learner, the second one twice as long."""
    timed: list[TrialConfig] = []

    def timer(config: TrialConfig, *others: object) -> Iterator[LoopReport]:
        timed.append(config)
        first = 0.01 * config.parameters["n_learners"]
        seconds = {1: first, 2: 3 * first}
        for loop in range(1, config.loops + 1):
            yield LoopReport(loop, report(loop, 0.3).metrics, seconds[loop])

    monkeypatch.setattr(dry_run, "run_trial", timer)
    plan = Plan.checked(
        settings(space(n_learners=Int(1, 100)), **changes),
        load(DATA),
        stop=StopOptions(trials=trials, failures=3),
        resources=ResourceOptions(backend, workers),
    )
    return estimate(plan, tracked=tracked), timed


def test_the_ends_of_the_space_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    found, timed = rehearsed(monkeypatch)
    sizes = [config.parameters["n_learners"] for config in timed]
    assert len(sizes) == 5
    assert max(sizes) - min(sizes) > 60
    assert [each.config["n_learners"] for each in found.timed] == sizes
    assert all(config.loops == 2 for config in timed)


def test_later_loops_and_all_workers_count(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = rehearsed(monkeypatch)
    again, _ = rehearsed(monkeypatch, workers=4)
    assert found.trials is not None and again.trials is not None
    assert again.trials == pytest.approx((found.trials.low / 2, found.trials.high / 2))
    each = [t.trial() for t in found.timed]
    expected = [0.01 * t.config["n_learners"] * (1 + 5 * 2) for t in found.timed]
    assert each == pytest.approx(expected)
    # All loops are alike here, so there is no doubt but for pruning.
    assert found.trials.low == pytest.approx(found.trials.high)
    pruned, _ = rehearsed(monkeypatch, pruner="median")
    assert pruned.trials is not None
    assert pruned.trials.low < found.trials.low
    assert pruned.trials.high == pytest.approx(found.trials.high)


def test_start_up_and_tracking_are_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    bare, _ = rehearsed(monkeypatch)
    tracked, _ = rehearsed(monkeypatch, tracked=True)
    ray, _ = rehearsed(monkeypatch, backend="ray")
    assert bare.total is not None and tracked.total is not None and ray.total is not None
    assert bare.trials is not None
    assert bare.total.low > bare.trials.low and bare.total.high > bare.trials.high
    assert tracked.total.high > bare.total.high
    assert ray.start.low > bare.start.low
    endless, _ = rehearsed(monkeypatch, trials=None, tracked=True)
    assert endless.trials is None and endless.total is None

"""What is known of a trial."""

from dataclasses import replace

import pytest
from tuning import report

from topk_tune.records.trials import SeedRun, State, TrialRecord, comparable, ranked, training_key
from topk_tune.training.trial import LoopReport

CONFIG = {"algorithm": "topada", "loops": 3, "rho": 0.1}


def run(seed: int, *losses: float) -> SeedRun:
    return SeedRun(seed, tuple(report(i + 1, loss) for i, loss in enumerate(losses)))


def trial(*runs: SeedRun, number: int = 0, state: State = "complete") -> TrialRecord:
    return TrialRecord(number, state, CONFIG, runs)


def test_an_earlier_loop_counts_if_it_was_better() -> None:
    record = trial(run(0, 0.5, 0.2, 0.3))
    assert (record.value, record.best_loop) == (0.2, 2)
    assert record.best_config == {**CONFIG, "loops": 2}
    assert record.spread is None  # of one seed


def test_seeds_are_averaged_loop_by_loop() -> None:
    record = trial(run(0, 0.5, 0.2, 0.3), run(1, 0.5, 0.6, 0.3))
    assert record.curve == pytest.approx([0.5, 0.4, 0.3])
    assert record.best_loop == 3
    assert record.spread == pytest.approx(0.0)
    assert record.seconds == pytest.approx(0.6)


def test_the_spread_is_that_of_a_sample() -> None:
    record = trial(run(0, 0.1), run(1, 0.2), run(2, 0.3))
    assert record.value == pytest.approx(0.2)
    assert record.spread == pytest.approx(0.1)


def test_a_seed_that_was_cut_short_takes_no_part_in_the_mean() -> None:
    record = trial(run(0, 0.5, 0.4, 0.3), run(1, 0.9), state="pruned")
    assert record.curve == pytest.approx([0.5, 0.4, 0.3])


def test_a_trial_without_a_report_has_no_loss() -> None:
    record = trial(state="failed")
    assert (record.value, record.best_loop, record.spread, record.seconds) == (None, None, None, 0)
    assert record.best_config == CONFIG


def test_a_shorter_training_is_the_beginning_of_a_longer() -> None:
    assert run(0, 0.5, 0.4, 0.3).up_to(2) == run(0, 0.5, 0.4)
    assert training_key(CONFIG, 0) == training_key({**CONFIG, "loops": 9}, 0)
    assert training_key(CONFIG, 0) != training_key(CONFIG, 1)
    assert training_key(CONFIG, 0) != training_key({**CONFIG, "rho": 0.2}, 0)
    assert training_key(CONFIG, 0) == training_key(dict(reversed(CONFIG.items())), 0)


def test_ranked_by_loss_then_by_number() -> None:
    records = [
        trial(run(0, 0.3), number=0),
        trial(run(0, 0.2), number=1),
        trial(run(0, 0.2), number=2),
        trial(run(0, 0.1), number=3, state="pruned"),
        trial(number=4, state="failed"),
    ]
    assert [record.number for record in ranked(records)] == [3, 1, 2, 0]


@pytest.mark.parametrize("state", ["pruned", "paused"])
def test_a_trial_that_was_stopped_counts_if_a_shorter_one_would_be_the_same(state: State) -> None:
    whole = trial(run(0, 0.4, 0.3), run(1, 0.4, 0.3), number=0)
    stopped = trial(run(0, 0.1), run(1, 0.1), number=1, state=state)
    fades = {**CONFIG, "schedule": "linear", "rho_end": 0.01}
    fading = replace(stopped, number=2, config=fades)
    lucky = trial(run(0, 0.1), number=3, state=state)  # with one seed of two
    records = [whole, stopped, fading, lucky]
    assert [record.number for record in ranked(records)] == [1, 0, 3]
    assert [record.number for record in comparable(records)] == [1, 0]
    assert ranked([stopped])[0].best_config["loops"] == 1


def test_a_metric_that_some_seeds_lack_has_no_curve() -> None:
    short = SeedRun(1, (LoopReport(1, {"shown_loss": 0.2}), LoopReport(2, {"shown_loss": 0.1})))
    record = trial(run(0, 0.5, 0.2), short)
    assert record.curve_of("greedy_loss") == []
    assert record.curve == pytest.approx([0.35, 0.15])

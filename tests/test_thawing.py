"""Freezing and thawing: who pauses, and who goes on."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topk_tune.engine.thawing import Thawing

STEPS = 20
FALLING = [1.0, 0.8, 0.7, 0.64, 0.6, 0.57, 0.55]
"""How the losses of a trial fall from one pause to the next, and to the end."""

curves = st.lists(
    st.lists(st.floats(0.05, 1.0), min_size=1, max_size=len(FALLING)), min_size=1, max_size=12
)


def told(curves: list[list[float]]) -> tuple[Thawing, dict[int, tuple[int, float]]]:
    """Tell the losses of trials at the steps where they pause; return where each is."""
    thawing, places = Thawing(STEPS), dict[int, tuple[int, float]]()
    for trial, losses in enumerate(curves):
        for step, loss in zip((*thawing.steps, STEPS), losses, strict=False):
            thawing.pauses(trial, step, loss)
            places[trial] = step, loss
    return thawing, places


def test_trials_pause_more_rarely_the_further_they_are() -> None:
    steps = Thawing(STEPS).steps
    assert steps == (2, 3, 4, 6, 9, 14)
    assert Thawing(2).steps == ()
    assert all(later >= 1.2 * earlier for earlier, later in pairwise(Thawing(200).steps))


@given(curves, st.booleans())
def test_of_all_that_wait_the_one_worth_most_goes_on(found: list[list[float]], last: bool) -> None:
    """The simplest form: what every paused trial is worth, one by one."""
    thawing, places = told(found)
    paused = {trial for trial, (step, _) in places.items() if step < STEPS}
    worth = {trial: thawing._worth(*places[trial]) for trial in paused}
    chosen = thawing.next(paused, last)
    if chosen is None:
        assert not last or len(paused) < len(places) or not any(worth.values())
    else:
        assert worth[chosen] == max(worth.values())


@given(curves)
def test_at_the_same_step_the_smaller_loss_goes_first(found: list[list[float]]) -> None:
    thawing, _ = told(found)
    for step in thawing.steps:
        values = [thawing._worth(step, loss) for loss in (0.1, 0.3, 0.9)]
        assert values == sorted(values, reverse=True)


def test_a_trial_far_behind_pauses_and_the_leader_does_not() -> None:
    thawing, _ = told([[scale * loss for loss in FALLING] for scale in (0.5, 0.52, 0.55, 0.6)])
    assert not thawing.pauses(4, 2, 0.4)
    assert thawing.pauses(5, 2, 3.0)
    assert thawing.pauses(6, 2, math.inf)
    assert thawing.next({5, 6}, last=False) is None
    assert thawing.next({5, 6}, last=True) is None  # no hope is left


def test_a_curve_that_still_falls_is_preferred_to_one_that_has_nearly_ended() -> None:
    known = [[scale * loss for loss in FALLING] for scale in (0.5, 0.52, 0.55, 0.6)]
    late, early = [0.51 * loss for loss in FALLING[:-1]], [0.51 * 0.57]
    thawing, _ = told([*known, late, early])
    assert thawing.next({4, 5}, last=False) == 5


def test_until_one_is_complete_the_best_goes_on() -> None:
    thawing = Thawing(STEPS)
    assert [thawing.pauses(trial, 2, loss) for trial, loss in enumerate([0.5, 0.1])] == [True, True]
    assert thawing.next({0, 1}, last=False) is None  # a new trial tells more
    assert thawing.next({0, 1}, last=True) == 1


def test_a_trial_trained_again_after_a_lost_worker_is_known_once() -> None:
    once, twice = Thawing(STEPS), Thawing(STEPS)
    for thawing, times in ((once, 1), (twice, 3)):
        for trial in range(6):
            for step, loss in [(2, 0.5 + trial / 10), (3, 0.4 + trial / 10)] * times:
                thawing.pauses(trial, step, loss)
    assert once._forecast(2) == twice._forecast(2)
    assert once._worth_of_new() == twice._worth_of_new()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_losses_may_be_negative_as_those_of_maximised_metrics_are(sign: float) -> None:
    thawing, _ = told([[sign * (loss + trial / 10) for loss in FALLING] for trial in range(6)])
    assert math.isfinite(thawing._worth_of_new())

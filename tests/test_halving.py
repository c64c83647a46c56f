"""Successive halving: who pauses at a rung, and who goes on."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topk_tune.engine.halving import Halving, asha, race


@pytest.mark.parametrize(
    ("steps", "rungs"), [(1, ()), (3, ()), (4, (2,)), (20, (2, 6)), (36, (2, 6, 18))]
)
def test_rungs_are_below_the_last_step(steps: int, rungs: tuple[int, ...]) -> None:
    assert Halving(steps).steps == rungs


def test_steps_between_rungs_pause_nothing() -> None:
    halving = Halving(20)
    assert not any(halving.pauses(0, step, 1.0) for step in range(1, 21) if step not in (2, 6))


def goes_on(values: dict[int, float], trial: int, factor: int, least: int = 0) -> bool:
    """The rule in its simplest form."""
    best = sorted(values, key=lambda number: (values[number], number))
    return trial in best[: max(len(values) // factor, least)]


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4]), min_size=1, max_size=20), st.booleans())
def test_one_rung_is_its_simplest_form(values: list[float], last: bool) -> None:
    halving, known, paused = Halving(3, first=1), dict[int, float](), set[int]()
    for trial, value in enumerate(values):
        known[trial] = value
        pauses = halving.pauses(trial, 1, value)
        assert pauses is not goes_on(known, trial, 3)
        if pauses:
            paused.add(trial)
    while (found := halving.next(paused, last)) is not None:
        assert found in paused
        assert goes_on(known, found, 3, least=int(last))
        paused.remove(found)
    assert not any(goes_on(known, trial, 3, least=int(last)) for trial in paused)


def test_those_that_came_far_go_first_and_leave_the_rung_below() -> None:
    halving = Halving(27, first=1, factor=3)
    for trial, (step, value) in product(range(9), [(1, 0.5), (3, 0.4)]):
        halving.pauses(trial, step, value + trial / 100)
    everyone = set(range(9))
    assert halving.next(everyone, last=False) == 0
    halving.pauses(0, 9, 0.3)
    # The best of nine on the second rung went on; two more may, before those of the first.
    assert [halving.next(everyone - {0}, last=False), halving.next({5, 6}, last=False)] == [1, None]


def test_a_trial_trained_again_after_a_lost_worker_has_one_place() -> None:
    halving = Halving(3, first=1)
    for _ in range(5):
        halving.pauses(0, 1, 0.1)
    assert halving.next({0}, last=False) is None  # one trial is not three


def test_seeds_are_loops_that_follow_or_rungs_of_their_own() -> None:
    assert asha(20, 3).steps == (2, 6, 18)
    assert race(20, 3).steps == (2, 6, 20, 40)
    assert race(20, 1).steps == asha(20, 1).steps


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3]), min_size=1, max_size=12), st.integers(1, 3))
def test_of_the_trials_with_as_many_seeds_all_wait_and_the_best_go_on(
    values: list[float], seed: int
) -> None:
    halving, step = race(3, 4), 3 * seed
    paused = set(range(len(values)))
    assert all(halving.pauses(trial, step, value) for trial, value in enumerate(values))
    gone: list[int] = []
    while (found := halving.next(paused - set(gone), last=False)) is not None:
        gone.append(found)
    best = sorted(paused, key=lambda trial: (values[trial], trial))
    assert gone == best[: len(values) * seed // (seed + 1)]


def test_a_short_trial_that_has_a_seed_waits_there_only() -> None:
    halving = race(20, 2)
    for trial in range(3):
        halving.pauses(trial, 2, trial / 10)
    halving.pauses(0, 20, 0.5)  # it has four loops: no rung between
    assert halving.next({0, 1, 2}, last=False) is None
    assert halving.next({0}, last=True) == 0

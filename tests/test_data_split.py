"""Rules that set rows aside."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import raises

from topk_tune.data import Dataset, hold_out, load, synthetic
from topk_tune.data.split import fold_rows, in_folds, split_rows


@given(
    rows=st.integers(2, 200), share=st.floats(0.01, 0.99), seed=st.none() | st.integers(0, 2**40)
)
def test_every_row_is_on_one_side_in_order(rows: int, share: float, seed: int | None) -> None:
    rule = f"tail:{share}" if seed is None else f"random:{share}:{seed}"
    if not 0 < round(rows * share) < rows:
        with raises(ValueError, "one row", rule):
            split_rows(rows, rule)
        return
    kept, aside = (np.arange(rows)[part] for part in split_rows(rows, rule))
    assert len(aside) == round(rows * share)
    assert sorted([*kept, *aside]) == list(range(rows))
    assert list(kept) == sorted(kept)
    assert list(aside) == sorted(aside)


def test_tail_is_the_last_rows() -> None:
    assert list(np.arange(10)[split_rows(10, "tail:0.3")[1]]) == [7, 8, 9]


def test_random_depends_on_its_seed_alone() -> None:
    one, again, other = (split_rows(100, f"random:0.3:{seed}")[1] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)
    assert list(one) != list(range(70, 100))


@pytest.mark.parametrize(
    "rule", ["", "tail", "tail:x", "tail:0.3:1", "random:0.3", "random:0.3:-1", "head:0.3", "0.3"]
)
def test_an_unknown_rule_is_refused(rule: str) -> None:
    with raises(ValueError, "tail:SHARE or random:SHARE:SEED", "folds:NUMBER:SEED", repr(rule)):
        split_rows(10, rule)


@pytest.mark.parametrize("share", ["0", "1", "-0.1", "nan", "inf"])
def test_a_share_lies_between_0_and_1(share: str) -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1, but got 'tail"):
        split_rows(10, f"tail:{share}")


def test_hold_out_draws_training_rows() -> None:
    """By default: the labels of a sorted file must be on both sides."""
    data = load("yeast")
    held = hold_out(data)
    assert held.rule == "random:0.25:0"
    kept, aside = split_rows(1500, "random:0.25:0")
    assert len(aside) == 375
    assert not (aside > 1125).all()
    np.testing.assert_array_equal(held.X_train, data.X_train[kept])
    np.testing.assert_array_equal(held.Y_validation, data.Y_train[aside])


def test_hold_out_takes_the_end_of_the_training_rows() -> None:
    data = load("yeast")
    held = hold_out(data, "tail:0.25")
    np.testing.assert_array_equal(held.X_train, data.X_train[:1125])
    np.testing.assert_array_equal(held.Y_train, data.Y_train[:1125])
    np.testing.assert_array_equal(held.X_validation, data.X_train[1125:])
    np.testing.assert_array_equal(held.Y_validation, data.Y_train[1125:])


def test_a_held_out_part_has_the_fingerprint_of_data_and_rule() -> None:
    data, other = (synthetic(rows=20, dim=2, m=3, cardinality=1, seed=seed) for seed in (0, 1))
    one = hold_out(data, "random:0.5:1").fingerprint
    assert one == hold_out(dataclasses.replace(data), "random:0.5:1").fingerprint
    different = [
        hold_out(data, "random:0.5:2"),
        hold_out(other, "random:0.5:1"),
        hold_out(_without_first_test_row(data), "random:0.5:1"),
    ]
    assert len({one, *(each.fingerprint for each in different)}) == 4


def _without_first_test_row(data: Dataset) -> Dataset:
    return dataclasses.replace(data, X_test=data.X_test[1:], Y_test=data.Y_test[1:])


@given(rows=st.integers(2, 200), parts=st.integers(2, 12), seed=st.integers(0, 2**40))
def test_folds_are_of_nearly_one_size(rows: int, parts: int, seed: int) -> None:
    rule = f"folds:{parts}:{seed}"
    assert in_folds(rule)
    if parts > rows:
        with raises(ValueError, "folds", "row"):
            fold_rows(rows, rule)
        return
    sizes = np.bincount(fold_rows(rows, rule), minlength=parts)
    assert len(sizes) == parts
    assert sizes.sum() == rows
    assert sizes.max() - sizes.min() <= 1


def test_folds_are_drawn_by_their_seed_alone() -> None:
    one, again, other = (fold_rows(100, f"folds:4:{seed}") for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("rule", ["folds", "folds:4", "folds:x:0", "folds:4:-1", "folds:4:0:0"])
def test_folds_that_are_not_said_whole_are_refused(rule: str) -> None:
    with raises(ValueError, "folds:NUMBER:SEED", repr(rule)):
        fold_rows(10, rule)


@pytest.mark.parametrize("rule", ["folds:0:0", "folds:1:0"])
def test_there_are_two_folds_at_least(rule: str) -> None:
    with pytest.raises(ValueError, match="at least 2 folds"):
        fold_rows(10, rule)

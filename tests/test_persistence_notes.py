"""Saved boosters whose notes were forged: kernels check no bounds, so `load` must refuse them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cases import CASES, assert_same, stream
from hypothesis import given, settings
from hypothesis import strategies as st
from test_persistence_refused import assert_refused, contents, rewritten

import booster
from booster.kernels.counting import fold
from booster.kernels.state import MORE_PAGES, MOST_NOTES, NONE, PAGE, PAGES, ROWS, SPARE_PAGES

Arrays = dict[str, np.ndarray]


def rows_of_stream(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    X, Y = stream(n_rows, seed=4)
    return X * (np.abs(X) > 0.5), Y


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with notes of rows, with a leaf whose notes are counted, and with released pages."""
    slow = booster.TreeRanges(grace_period=(4000.0, 6000.0))
    one = CASES[0].make(n_learners=2, observer="sparse", max_nodes=255, trees=slow)
    one.run(*rows_of_stream(300))
    one._work.more[:] = 0
    one._work.more[MORE_PAGES] = 200
    one._forest.make_room(one._work.more)
    forest = one._state().forest
    row = int(np.argmax(forest.rows.words))
    fold(forest, one._forest.trees, row, one._work.search.found)
    assert forest.rows.counted[row] > 1
    assert forest.counts[SPARE_PAGES] > 0
    path = tmp_path_factory.mktemp("noted") / "booster.npz"
    one.save(path)
    return path


def leaf_with_rows(arrays: Arrays) -> int:
    rows = {name: arrays[f"forest.rows.{name}"][: arrays["forest.counts"][ROWS]] for name in NAMES}
    row = int(np.argmax(np.where(rows["counted"] == 0, rows["raw"], 0)))
    assert rows["raw"][row] >= PAGE, "it should have more than one page"
    return row


def counted_leaf(arrays: Arrays) -> int:
    return int(np.argmax(arrays["forest.rows.counted"]))


def first_page(arrays: Arrays, row: int) -> np.ndarray:
    return arrays["forest.notes.word"][arrays["forest.rows.page"][row]]


def page_past_the_pool(arrays: Arrays) -> None:
    arrays["forest.rows.page"][leaf_with_rows(arrays)] = arrays["forest.counts"][PAGES]


def page_of_another_leaf(arrays: Arrays) -> None:
    page = arrays["forest.rows.page"]
    page[leaf_with_rows(arrays)] = page[counted_leaf(arrays)]


def link_past_the_pool(arrays: Arrays) -> None:
    first_page(arrays, leaf_with_rows(arrays))[0] = 10**6


def link_to_itself(arrays: Arrays) -> None:
    row = leaf_with_rows(arrays)
    first_page(arrays, row)[0] = arrays["forest.rows.page"][row]


def another_last_page(arrays: Arrays) -> None:
    row = leaf_with_rows(arrays)
    arrays["forest.rows.last"][row] = arrays["forest.rows.page"][row]


def pages_without_words(arrays: Arrays) -> None:
    row = leaf_with_rows(arrays)
    arrays["forest.rows.words"][row] = arrays["forest.rows.raw"][row] = 0


def fewer_words_than_none(arrays: Arrays) -> None:
    arrays["forest.rows.words"][leaf_with_rows(arrays)] = -1


def more_raw_words_than_words(arrays: Arrays) -> None:
    arrays["forest.rows.raw"][leaf_with_rows(arrays)] += 1


def labels_without_a_row(arrays: Arrays) -> None:
    first_page(arrays, leaf_with_rows(arrays))[1] = 0


def row_past_the_notes(arrays: Arrays) -> None:
    first_page(arrays, leaf_with_rows(arrays))[1] = -1000


def feature_too_large(arrays: Arrays) -> None:
    first_page(arrays, leaf_with_rows(arrays))[2] = 1000


def feature_below_zero(arrays: Arrays) -> None:
    first_page(arrays, leaf_with_rows(arrays))[2] = -1


def value_of_a_feature_that_is_no_number(arrays: Arrays) -> None:
    first_page(arrays, leaf_with_rows(arrays))[3] = np.float32(np.nan).view(np.int32)


def counted_feature_too_large(arrays: Arrays) -> None:
    first_page(arrays, counted_leaf(arrays))[1] = 1000


def too_many_cells(arrays: Arrays) -> None:
    first_page(arrays, counted_leaf(arrays))[2] = 10**6


def no_cells(arrays: Arrays) -> None:
    first_page(arrays, counted_leaf(arrays))[2] = 0


def counted_label_too_large(arrays: Arrays) -> None:
    first_page(arrays, counted_leaf(arrays))[5] = 1000


def counted_number_that_is_none(arrays: Arrays) -> None:
    first_page(arrays, counted_leaf(arrays))[6:8] = np.array([np.inf]).view(np.int32)


def miscounted_features(arrays: Arrays) -> None:
    arrays["forest.rows.counted"][counted_leaf(arrays)] -= 1


def miscounted_updates(arrays: Arrays) -> None:
    arrays["forest.rows.updates"][leaf_with_rows(arrays)] -= 1


def released_page_in_use(arrays: Arrays) -> None:
    arrays["forest.notes.vacant"][0] = arrays["forest.rows.page"][leaf_with_rows(arrays)]


def released_page_past_the_pool(arrays: Arrays) -> None:
    arrays["forest.notes.vacant"][0] = 10**6


def more_released_pages_than_there_are(arrays: Arrays) -> None:
    arrays["forest.counts"][SPARE_PAGES] += 10**6


def count_past_the_pages(arrays: Arrays) -> None:
    arrays["forest.counts"][PAGES] = 2**40


def more_words_than_are_read_at_once(arrays: Arrays) -> None:
    """As many rows without features and as many labels as there may be, but not both."""
    row, first = leaf_with_rows(arrays), int(arrays["forest.counts"][PAGES])
    n_labels = MOST_NOTES // 3 + arrays["forest.rows.weight"].shape[1]
    label = [0, *np.array([1.0]).view(np.int32)]
    words = np.array([-1] * MOST_NOTES + label * n_labels, np.int32)
    n_pages = -(-words.size // (PAGE - 1))
    added = np.zeros((n_pages, PAGE), np.int32)
    added[:, 0] = [*range(first + 1, first + n_pages), NONE]
    added[:, 1:] = np.resize(words, (n_pages, PAGE - 1))
    arrays["forest.notes.word"] = np.concatenate([arrays["forest.notes.word"][:first], added])
    arrays["forest.counts"][PAGES] += n_pages
    of_leaf = (first, first + n_pages - 1, words.size, words.size, 0, 0)
    for name, value in zip(NAMES, of_leaf, strict=True):
        arrays[f"forest.rows.{name}"][row] = value


FORGERIES = [
    more_words_than_are_read_at_once,
    page_past_the_pool,
    page_of_another_leaf,
    link_past_the_pool,
    link_to_itself,
    another_last_page,
    pages_without_words,
    fewer_words_than_none,
    more_raw_words_than_words,
    labels_without_a_row,
    row_past_the_notes,
    feature_too_large,
    feature_below_zero,
    value_of_a_feature_that_is_no_number,
    counted_feature_too_large,
    too_many_cells,
    no_cells,
    counted_label_too_large,
    counted_number_that_is_none,
    miscounted_features,
    miscounted_updates,
    released_page_in_use,
    released_page_past_the_pool,
    more_released_pages_than_there_are,
    count_past_the_pages,
]


@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_forged_notes_are_refused(
    forge: Callable[[Arrays], None], noted: Path, tmp_path: Path
) -> None:
    header, arrays = contents(noted)
    forge(arrays)
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), "forest.")


def test_an_unchanged_copy_is_not_refused_and_goes_on(noted: Path, tmp_path: Path) -> None:
    one = booster.load(rewritten(tmp_path / "copy.npz", *contents(noted)))
    other = booster.load(noted)
    assert_same(one, other)
    one.run(*rows_of_stream(60))
    other.run(*rows_of_stream(60))
    assert_same(one, other)


@pytest.mark.parametrize("name", ["raw", "counted", "updates"])
def test_notes_without_words_are_refused(name: str, noted: Path, tmp_path: Path) -> None:
    header, arrays = contents(noted)
    row = leaf_with_rows(arrays)
    for other in NAMES:
        arrays[f"forest.rows.{other}"][row] = NONE if other in ("page", "last") else 0
    arrays[f"forest.rows.{name}"][row] = 4
    path = rewritten(tmp_path / "bad.npz", header, arrays)
    assert_refused(path, f"forest.rows.{name}")


@pytest.mark.parametrize("parameters", [{"leaves": "bayes"}, {"observer": "gaussian"}])
def test_notes_of_trees_that_note_nothing_are_refused(
    parameters: dict[str, str], noted: Path, tmp_path: Path
) -> None:
    header, arrays = contents(noted)
    header["parameters"] |= parameters
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), "forest.")


NAMES = ("page", "last", "words", "raw", "counted", "updates")


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_forged_word_is_refused_or_does_no_harm(
    data: st.DataObject, noted: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    header, arrays = contents(noted)
    names = [*(f"forest.rows.{name}" for name in NAMES), "forest.notes.word", "forest.notes.vacant"]
    name = data.draw(st.sampled_from(names))
    place = data.draw(st.integers(0, arrays[name].size - 1))
    near = st.integers(-8, 40) | st.integers(0, int(arrays["forest.counts"].max()))
    arrays[name].reshape(-1)[place] = data.draw(near | st.sampled_from([-(2**31), 2**31 - 1, NONE]))
    path = rewritten(tmp_path_factory.getbasetemp() / "forged.npz", header, arrays)
    try:
        loaded = booster.load(path)
    except ValueError:
        return
    loaded.run(*rows_of_stream(60))
    forest = loaded._state().forest
    assert forest.counts[SPARE_PAGES] <= forest.counts[PAGES] <= len(forest.notes.word)

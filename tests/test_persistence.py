"""Saving and loading: a booster goes on bit for bit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import (
    CASES,
    N_FEATURES,
    N_LABELS,
    Case,
    arrays_of,
    assert_same,
    each,
    feedback,
    play,
    snapshot,
    stream,
)
from packages import found_in, installed

import booster
from booster import Booster, TreeRanges
from booster.kernels.state import NONE, PAGES
from booster.saving import FORMAT, HEADER, PENDING
from booster.tables import GAUSSIAN

every_booster = each(CASES)


def reloaded(saved: Booster, folder: Path) -> Booster:
    path = folder / "booster.npz"
    saved.save(path)
    return booster.load(path)


# Going on


def at_the_start(one: Booster) -> None:
    pass


def after_many_rounds(one: Booster) -> None:
    one.run(*stream(1200), loops=2)


def with_a_prediction_pending(one: Booster) -> None:
    X, Y = stream(150)
    play(one, X, Y)
    one.predict(X[17])


def with_only_a_prediction(one: Booster) -> None:
    one.predict(stream(1)[0][0])


MOMENTS = [
    pytest.param(at_the_start, marks=pytest.mark.slow),
    pytest.param(with_only_a_prediction, marks=pytest.mark.slow),
    with_a_prediction_pending,
    after_many_rounds,
]


@every_booster
@pytest.mark.parametrize("moment", MOMENTS, ids=lambda f: f.__name__)
def test_a_loaded_booster_goes_on_bit_for_bit(
    case: Case, moment: Callable[[Booster], None], tmp_path: Path
) -> None:
    X, Y = stream(120, seed=6)
    original = case.make()
    moment(original)
    before = snapshot(original)
    loaded = reloaded(original, tmp_path)
    assert type(loaded) is type(original)
    assert loaded.parameters == original.parameters
    assert (loaded.rounds, loaded.counts) == (original.rounds, original.counts)
    # Saving changes nothing, not even the pending prediction.
    assert snapshot(original) == before
    assert_same(loaded, original)

    if before["pending"] != b"none":
        for one in (loaded, original):
            one.update(feedback(one, one._work.order.copy(), Y[0]))
    assert play(loaded, X, Y) == play(original, X, Y)
    # Apart from each other: what one learns the other does not.
    loss = loaded.run(X, Y, loops=2).loss
    assert loaded.rounds > original.rounds
    assert loss.tolist() == original.run(X, Y, loops=2).loss.tolist()
    assert_same(loaded, original)
    np.testing.assert_array_equal(loaded.scores(X), original.scores(X))


@every_booster
def test_without_a_prediction_there_is_still_none(case: Case, tmp_path: Path) -> None:
    one = case.make()
    one.run(*stream(20))
    with pytest.raises(ValueError, match="no prediction is pending"):
        reloaded(one, tmp_path).update(np.zeros(N_LABELS if one.full else 3, int))


@every_booster
def test_frozen_trees_stay_frozen(case: Case, tmp_path: Path) -> None:
    X, Y = stream(1200)
    original = case.make(max_nodes=3)
    original.run(X, Y, loops=3)
    assert original._state().forest.frozen.all()
    loaded = reloaded(original, tmp_path)
    for one in (loaded, original):
        one.run(X, Y)
    assert_same(loaded, original)
    assert loaded._state().forest.tree_nodes.max() <= 3


@every_booster
def test_saving_again_and_again(case: Case, tmp_path: Path) -> None:
    X, Y = stream(120)
    straight, interrupted = case.make(), case.make()
    play(straight, X, Y)
    for first in range(0, len(X), 25):
        play(interrupted, X[first : first + 25], Y[first : first + 25])
        interrupted = reloaded(interrupted, tmp_path)
    assert_same(straight, interrupted)


@every_booster
def test_parameters_come_back(case: Case, tmp_path: Path) -> None:
    ranges = TreeRanges((0.1, 0.2), (0.05, 0.06), (2, 3), (1.5, 4.5))
    one = case.make(
        seed=2**70, weight_cap=0.25, max_nodes=9, n_covariates=2, trees=ranges, tie_threshold=0.3
    )
    loaded = reloaded(one, tmp_path)
    assert loaded.parameters == one.parameters
    for own, theirs in zip(loaded._forest.trees, one._forest.trees, strict=True):
        np.testing.assert_array_equal(own, theirs)


@every_booster
def test_parameters_of_numpy_types_can_be_saved(case: Case, tmp_path: Path) -> None:
    narrow = np.float32(0.125), np.float32(0.25)
    one = case.make(
        seed=np.int64(3),
        n_learners=np.int32(4),
        n_covariates=np.int64(2),
        max_nodes=np.int64(31),
        weight_cap=np.float32(0.5),
        tie_threshold=np.float32(0.25),
        trees=TreeRanges(split_confidence=narrow),
    )
    one.run(*stream(50))
    assert_same(reloaded(one, tmp_path), one)


def test_a_path_may_be_text_and_is_taken_as_it_is(tmp_path: Path) -> None:
    one = CASES[0].make()
    one.run(*stream(50))
    path = tmp_path / "without a suffix"
    one.save(str(path))
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    assert_same(booster.load(str(path)), one)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target.npz", tmp_path / "link.npz"
    link.symlink_to(target)
    one = CASES[0].make()
    one.save(link)
    assert link.is_symlink()
    assert_same(booster.load(target), one)


def test_what_could_not_be_loaded_is_not_saved(tmp_path: Path) -> None:
    class Mine(booster.TopOpt):
        pass

    with pytest.raises(ValueError, match=r"must be one of topopt, .*, but got .*Mine"):
        Mine(n_features=2, n_labels=3).save(tmp_path / "mine.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_booster_of_another_package_is_saved_by_its_name(tmp_path: Path) -> None:
    source = "from booster import TopAda\nclass Careful(TopAda):\n    pass\n"
    (tmp_path / "somebody_s.py").write_text(source, encoding="utf-8")
    points = {"topk_tune.algorithms": {"careful": "somebody_s:Careful"}}
    with found_in(tmp_path, installed(tmp_path / "site", "somebody-s", points)):
        one = booster.ALGORITHMS.load("careful")(n_features=N_FEATURES, n_labels=N_LABELS)
        one.run(*stream(50))
        other = reloaded(one, tmp_path)
        assert type(other) is type(one)
        assert_same(other, one)
    with pytest.raises(ValueError, match="unknown algorithm 'careful'"):
        booster.load(tmp_path / "booster.npz")


def test_a_new_file_replaces_the_old(tmp_path: Path) -> None:
    path = tmp_path / "booster.npz"
    large, small = CASES[0].make(n_learners=30), CASES[0].make()
    large.run(*stream(500))
    large.save(path)
    small.save(path)
    assert_same(booster.load(path), small)


def test_a_save_that_fails_keeps_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "booster.npz"
    one = CASES[0].make()
    one.save(path)
    saved = path.read_bytes()

    def full_disk(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    one.run(*stream(50))
    monkeypatch.setattr(np, "savez", full_disk)
    with pytest.raises(OSError, match="No space left"):
        one.save(path)
    assert path.read_bytes() == saved


# The file


@every_booster
def test_the_file_holds_arrays_and_text_only(case: Case, tmp_path: Path) -> None:
    one = case.make()
    with_a_prediction_pending(one)
    path = tmp_path / "booster.npz"
    one.save(path)
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    assert arrays.keys() == {HEADER, PENDING} | arrays_of(one._state()).keys()
    assert not any(array.dtype.hasobject for array in arrays.values())
    header = json.loads(str(arrays[HEADER]))
    assert header["format"] == FORMAT
    assert header["algorithm"] == case.algorithm.__name__.lower()
    assert header["rounds"] == one.rounds
    assert header["parameters"].keys() == one.parameters.keys()


# Of earlier versions


GOLDEN = Path(__file__).parent / "golden" / "0.1.0"
SCORES = {
    "topada": [0.016795, 0.016795, 1.248552, 0.016795, 0.10224],
    "fullopt": [0.375668, 0.354264, 0.954285, 0.25973, 1.056053],
}
"""Of the first row, as the version that wrote the file had them."""


def golden_rows() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)).astype(np.float32)
    return X, (X @ rng.normal(size=(4, 5)) > 0.3).astype(np.uint8)


@pytest.mark.parametrize("name", SCORES)
def test_a_booster_of_format_2_goes_on(name: str) -> None:
    X, Y = golden_rows()
    old = booster.load(GOLDEN / f"booster-2-{name}.npz")
    assert old.rounds == 120
    np.testing.assert_allclose(old.scores(X[:1])[0], SCORES[name], atol=1e-6)
    # What it was about to learn was shown by other random numbers.
    with pytest.raises(ValueError, match="no prediction is pending"):
        old.update([1, 0, 0] if name == "topada" else [1, 0, 0, 0, 0])
    assert old.run(X, Y, loops=3).loss[-1] < 0.1


@pytest.mark.parametrize("name", ["topada", "fullopt"])
def test_a_booster_of_format_3_goes_on_as_it_did(name: str) -> None:
    """With the losses and scores of the version that wrote it, which had only Gaussians."""
    X, Y = golden_rows()
    old = booster.load(GOLDEN / f"booster-3-{name}.npz")
    assert old.rounds == 120
    assert old.parameters["observer"] == GAUSSIAN
    if name == "topada":
        ranking = old._work.order.copy()
        assert ranking.tolist() == [3, 1, 2, 4, 0]  # the prediction that was pending, of row 7
        old.update(Y[7][ranking[:3]])
        losses = [0.13194444444444445, 0.10972222222222222, 0.1125]
        scores = [0.3360236133836904, 0.002537781367436441, 0.2517076656685457]
        splits = 50
    else:
        losses = [0.0, 0.0, 0.0]
        scores = [0.6332279526549214, 0.030769448449299436, 0.6323396310546137]
        splits = 113
    np.testing.assert_allclose(old.run(X, Y, loops=3).loss, losses, atol=1e-12)
    np.testing.assert_allclose(old.scores(X[:1])[0, :3], scores, rtol=1e-9)
    assert old.counts["splits"] == splits


def test_a_booster_of_format_4_goes_on_as_it_did() -> None:
    """Its leaves have blocks of cells, and those that it makes from now on have notes."""
    rng = np.random.default_rng(0)
    X = (rng.random((80, 12)) < 0.25).astype(np.float32)
    Y = (X @ rng.normal(size=(12, 5)) > 0.3).astype(np.uint8)
    old = booster.load(GOLDEN / "booster-4-binary.npz")
    assert old.rounds == 160
    assert (old._state().forest.rows.block != NONE).any()
    np.testing.assert_allclose(old.run(X, Y, loops=3).loss, [0.0, 0.0, 0.0], atol=1e-12)
    scores = [0.10811987802870812, 0.47011016804686434, 0.47011016804686434]
    np.testing.assert_allclose(old.scores(X[:1])[0, :3], scores, rtol=1e-9)
    assert (old.counts["split_attempts"], old.counts["splits"]) == (301, 91)
    assert old._state().forest.counts[PAGES] > 0

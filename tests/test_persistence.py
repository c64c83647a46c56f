"""Saving and loading: a booster goes on bit for bit, and any other file is refused."""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import CASES, N_LABELS, Case, arrays_of, assert_same, feedback, play, snapshot, stream
from hypothesis import example, given
from hypothesis import strategies as st

import booster
from booster import Booster, TreeRanges
from booster.kernels.state import FREE, LEAF, NODES, ROWS, SLOTS
from booster.persistence import FORMAT, HEADER, PENDING

every_booster = pytest.mark.parametrize("case", CASES, ids=str)


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
    X, Y = stream(300)
    play(one, X, Y)
    one.predict(X[17])


def with_only_a_prediction(one: Booster) -> None:
    one.predict(stream(1)[0][0])


MOMENTS = [at_the_start, with_only_a_prediction, with_a_prediction_pending, after_many_rounds]


@every_booster
@pytest.mark.parametrize("moment", MOMENTS, ids=lambda f: f.__name__)
def test_a_loaded_booster_goes_on_bit_for_bit(
    case: Case, moment: Callable[[Booster], None], tmp_path: Path
) -> None:
    X, Y = stream(300, seed=6)
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
    X, Y = stream(200)
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

    with pytest.raises(ValueError, match=r"must be one of TopOpt, .*, but got .*Mine"):
        Mine(n_features=2, n_labels=3).save(tmp_path / "mine.npz")
    assert list(tmp_path.iterdir()) == []


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


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with all that there may be in it; not to be changed."""
    one = CASES[0].make(n_learners=2)
    with_a_prediction_pending(one)
    path = tmp_path_factory.mktemp("saved") / "booster.npz"
    one.save(path)
    return path


def contents(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    with np.load(path, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    return json.loads(str(arrays.pop(HEADER))), arrays


def rewritten(path: Path, header: Any, arrays: dict[str, Any], **options: Any) -> Path:
    np.savez(path, **{HEADER: np.array(json.dumps(header))}, **arrays, **options)
    return path


def assert_refused(path: Path, reason: str = "") -> None:
    with pytest.raises(ValueError) as error:
        booster.load(path)
    message = str(error.value)
    assert message.startswith(f"{path} must be a saved booster, but "), message
    assert reason in message, message


def test_an_unchanged_copy_is_not_refused(saved: Path, tmp_path: Path) -> None:
    # The tests below change one thing each; this one shows that it is the change that matters.
    copied = rewritten(tmp_path / "copy.npz", *contents(saved))
    assert_same(booster.load(copied), booster.load(saved))


FOREIGN = {
    "empty": b"",
    "text": b"n_learners: 50\n",
    "binary": bytes(range(256)) * 8,
    "start of a zip": b"PK\x03\x04" + bytes(60),
    "start of an array": b"\x93NUMPY\x01\x00" + bytes(60),
    "pickle": pickle.dumps({"format": FORMAT}),
    "json": json.dumps({"format": FORMAT}).encode(),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_foreign_files_are_refused(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "foreign.npz"
    path.write_bytes(FOREIGN[kind])
    assert_refused(path)


def test_foreign_arrays_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "foreign.npz"
    np.savez(path, X=np.zeros((3, 2)), Y=np.zeros((3, 4)))
    assert_refused(path, HEADER)
    np.savez_compressed(path, header=np.zeros(3))
    assert_refused(path)
    with path.open("wb") as file:
        np.save(file, np.zeros(3))
    assert_refused(path)


def test_foreign_archives_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "foreign.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "not an array")
    assert_refused(path, HEADER)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(HEADER, json.dumps({"format": FORMAT}))
    assert_refused(path)
    with zipfile.ZipFile(path, "w"):
        pass
    assert_refused(path, HEADER)


def test_missing_files_and_folders_are_the_system_s_errors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"):
        booster.load(tmp_path / "absent.npz")
    with pytest.raises(OSError, match=tmp_path.name):
        booster.load(tmp_path)
    with pytest.raises(OSError, match="absent"):
        CASES[0].make().save(tmp_path / "absent" / "booster.npz")


def without(key: str) -> Callable[[dict[str, Any]], Any]:
    return lambda header: {name: value for name, value in header.items() if name != key}


def changed(**values: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda header: header | values


def with_parameter(**values: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda header: header | {"parameters": header["parameters"] | values}


BAD_HEADERS: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "other format": (changed(format="topk-tune booster 999"), "'topk-tune booster 999'"),
    "no format": (without("format"), "format"),
    "unknown algorithm": (changed(algorithm="os.system"), "os.system"),
    "no algorithm": (without("algorithm"), "algorithm"),
    "an algorithm that is none": (changed(algorithm=["topopt"]), ""),
    "no rounds": (without("rounds"), "rounds"),
    "rounds that are none": (changed(rounds="many"), "many"),
    "rounds before the first": (changed(rounds=-1), "-1"),
    "half a round": (changed(rounds=1.5), "1.5"),
    "no parameters": (without("parameters"), "parameters"),
    "parameters that are none": (changed(parameters=3), ""),
    "unknown parameter": (with_parameter(unheard_of=1), "unheard_of"),
    "bad parameter": (with_parameter(rho=2.0), "0 < rho < 1"),
    "bad tree ranges": (with_parameter(trees={"grace_period": [3, 1]}), "grace_period"),
    "unknown tree range": (with_parameter(trees={"unheard_of": [1, 3]}), "unheard_of"),
    "no tree ranges": (with_parameter(trees=None), ""),
    "other shape": (with_parameter(n_labels=N_LABELS + 1), ""),
    "other number of learners": (with_parameter(n_learners=5), ""),
    "a list": (lambda header: [header], ""),
    "a number": (lambda header: 1, ""),
    "nothing": (lambda header: None, ""),
}


@pytest.mark.parametrize("kind", BAD_HEADERS)
def test_bad_headers_are_refused(kind: str, saved: Path, tmp_path: Path) -> None:
    change, reason = BAD_HEADERS[kind]
    header, arrays = contents(saved)
    assert_refused(rewritten(tmp_path / "bad.npz", change(header), arrays), reason)


ARRAYS = sorted(arrays_of(CASES[0].make()._state()))


def wider(array: np.ndarray) -> np.ndarray:
    return np.repeat(array[..., np.newaxis], 2, axis=-1)


def of_another_type(array: np.ndarray) -> np.ndarray:
    return np.zeros(array.shape, "f2")


@pytest.mark.parametrize("name", ARRAYS)
def test_a_missing_array_is_refused(name: str, saved: Path, tmp_path: Path) -> None:
    header, arrays = contents(saved)
    del arrays[name]
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), name)


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("change", [wider, of_another_type], ids=lambda f: f.__name__)
def test_arrays_of_another_kind_are_refused(
    name: str, change: Callable[[np.ndarray], np.ndarray], saved: Path, tmp_path: Path
) -> None:
    header, arrays = contents(saved)
    arrays[name] = change(arrays[name])
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), name)


@pytest.mark.parametrize("name", [name for name in ARRAYS if name != "forest.frozen"])
def test_the_other_byte_order_is_refused(name: str, saved: Path, tmp_path: Path) -> None:
    header, arrays = contents(saved)
    arrays[name] = arrays[name].astype(arrays[name].dtype.newbyteorder())
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), name)


# A kernel checks no bounds. What it would read outside of an array must be refused by `load`,
# and the file has no pending prediction, so that a test that fails does not crash.


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file without a pending prediction, and with arrays of all kinds in use."""
    one = CASES[0].make(n_learners=2)
    X, Y = stream(300)
    play(one, X, Y)
    # How many slots are free goes up and down: go on until some are, and some are not.
    while not 0 < one._state().forest.counts[FREE] < one._state().forest.counts[SLOTS]:
        play(one, X[one.rounds - 300 :][:1], Y[one.rounds - 300 :][:1])
        assert one.rounds < 600
    assert one.counts["splits"] > 0
    path = tmp_path_factory.mktemp("idle") / "booster.npz"
    one.save(path)
    return path


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_are_too_short_are_refused(name: str, idle: Path, tmp_path: Path) -> None:
    header, arrays = contents(idle)
    arrays[name] = arrays[name][:1]
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), name)


FIXED = [
    *("forest.root", "forest.tree_nodes", "forest.frozen"),
    *("votes.alpha", "votes.log_nu", "votes.seen", "votes.relevant"),
]


@pytest.mark.parametrize("name", FIXED)
def test_arrays_for_more_learners_are_refused(name: str, idle: Path, tmp_path: Path) -> None:
    header, arrays = contents(idle)
    arrays[name] = np.append(arrays[name], arrays[name])
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), name)


@pytest.mark.parametrize("count", [NODES, ROWS, SLOTS, FREE])
@pytest.mark.parametrize("value", [-1, 2**40])
def test_counts_beyond_the_arrays_are_refused(
    count: int, value: int, idle: Path, tmp_path: Path
) -> None:
    header, arrays = contents(idle)
    arrays["forest.counts"][count] = value
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays))


INDICES = {
    "root": lambda arrays: arrays["forest.root"],
    "child": lambda arrays: arrays["forest.nodes"]["link"],
    "feature": lambda arrays: arrays["forest.nodes"]["feature"],
    "tree": lambda arrays: arrays["forest.rows.tree"],
    "slot": lambda arrays: arrays["forest.rows.slot"],
    "free": lambda arrays: arrays["forest.free"],
}


@pytest.mark.parametrize("kind", INDICES)
@pytest.mark.parametrize("value", [-5, 2**30])
def test_indices_beyond_the_arrays_are_refused(
    kind: str, value: int, idle: Path, tmp_path: Path
) -> None:
    header, arrays = contents(idle)
    INDICES[kind](arrays)[0] = value
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays))


def test_a_slot_with_two_owners_is_refused(idle: Path, tmp_path: Path) -> None:
    header, arrays = contents(idle)
    slots = arrays["forest.rows.slot"]
    slots[slots >= 0] = slots[slots >= 0][0]
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), "two owners")


def shared_root(arrays: dict[str, np.ndarray]) -> None:
    arrays["forest.root"][:] = arrays["forest.root"][0]


def shared_child(arrays: dict[str, np.ndarray]) -> None:
    nodes = arrays["forest.nodes"][: arrays["forest.counts"][NODES]]
    splits = np.flatnonzero(nodes["feature"] != LEAF)
    nodes["link"][splits[0]] = nodes["link"][splits[-1]]


def shared_row(arrays: dict[str, np.ndarray]) -> None:
    nodes = arrays["forest.nodes"][: arrays["forest.counts"][NODES]]
    leaves = np.flatnonzero(nodes["feature"] == LEAF)
    nodes["link"][leaves[0]] = nodes["link"][leaves[-1]]


def row_of_another_tree(arrays: dict[str, np.ndarray]) -> None:
    arrays["forest.rows.tree"][0] ^= 1  # there are two


def miscounted_nodes(arrays: dict[str, np.ndarray]) -> None:
    arrays["forest.tree_nodes"][0] -= 1


def exchanged_roots(arrays: dict[str, np.ndarray]) -> None:
    arrays["forest.root"][:] = arrays["forest.root"][::-1].copy()


@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (shared_root, "a node of forest.nodes has no owner, or more than one"),
        (shared_child, "a node of forest.nodes has no owner, or more than one"),
        (shared_row, "a row of forest.rows has no owner, or more than one"),
        (row_of_another_tree, "another tree"),
        (exchanged_roots, "another tree"),
        (miscounted_nodes, "forest.tree_nodes"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_trees_that_are_no_trees_are_refused(
    forge: Callable[[dict[str, np.ndarray]], None], reason: str, idle: Path, tmp_path: Path
) -> None:
    """One tree would split what another goes on to use, and write beyond the arrays."""
    header, arrays = contents(idle)
    forge(arrays)
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), reason)


MADE_OF = [
    *("forest.rows.total", "forest.rows.weight"),
    *("votes.alpha", "votes.log_nu", "votes.seen", "votes.relevant"),
]


@pytest.mark.parametrize("name", MADE_OF)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_scores_of_no_numbers_are_refused(
    name: str, value: float, idle: Path, tmp_path: Path
) -> None:
    header, arrays = contents(idle)
    arrays[name].reshape(-1)[0] = value
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), f"{name} finite must hold")


def test_the_order_of_axes_in_memory_does_not_matter(idle: Path, tmp_path: Path) -> None:
    header, arrays = contents(idle)
    turned = {name: np.asfortranarray(array) for name, array in arrays.items()}
    loaded = booster.load(rewritten(tmp_path / "turned.npz", header, turned))
    assert_same(loaded, booster.load(idle))
    assert all(array.flags.c_contiguous for array in arrays_of(loaded._state()).values())


@pytest.mark.parametrize("pending", [np.zeros(2, np.float32), np.full(5, np.nan, np.float32)])
def test_a_bad_pending_row_is_refused(pending: np.ndarray, saved: Path, tmp_path: Path) -> None:
    header, arrays = contents(saved)
    arrays[PENDING] = pending
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays))


class Trap:
    """Leaves a trace if it is ever unpickled."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.trace,)


@pytest.mark.parametrize("name", [HEADER, PENDING, "forest.root", "votes.alpha", "unheard_of"])
def test_nothing_in_a_file_is_executed(name: str, saved: Path, tmp_path: Path) -> None:
    trace, path = tmp_path / "trace", tmp_path / "trap.npz"
    header, arrays = contents(saved)
    trap = np.array([Trap(trace)], dtype=object)
    np.savez(path, **{HEADER: np.array(json.dumps(header))} | arrays | {name: trap})
    assert_refused(path)
    path.write_bytes(pickle.dumps(Trap(trace)))
    assert_refused(path)
    assert not trace.exists()
    # The trap does work, if someone steps into it.
    pickle.loads(pickle.dumps(Trap(trace)))
    assert trace.exists()


# Damage


def test_a_file_cut_short_is_refused(saved: Path, tmp_path: Path) -> None:
    whole = saved.read_bytes()
    path = tmp_path / "cut.npz"
    for length in [*range(0, len(whole), 997), *range(len(whole) - 40, len(whole))]:
        path.write_bytes(whole[:length])
        assert_refused(path)


@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
@example(place=0.0, bit=0)
def test_a_damaged_file_is_refused_or_does_not_matter(
    saved: Path, tmp_path_factory: pytest.TempPathFactory, place: float, bit: int
) -> None:
    whole = bytearray(saved.read_bytes())
    whole[int(place * len(whole))] ^= 1 << bit
    path = tmp_path_factory.getbasetemp() / "damaged.npz"
    path.write_bytes(whole)
    intact = booster.load(saved)
    try:
        loaded = booster.load(path)
    except ValueError as error:
        assert str(path) in str(error)
    else:
        # A zip holds dates and the like, which say nothing of the booster.
        assert_same(loaded, intact)


def directory_bytes(path: Path) -> range:
    """Where the archive lists its entries, which is where damage is most various."""
    whole = path.read_bytes()
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        return range(archive.start_dir, len(whole))


def test_damage_to_the_directory_of_the_archive(saved: Path, tmp_path: Path) -> None:
    whole = saved.read_bytes()
    path = tmp_path / "damaged.npz"
    intact = booster.load(saved)
    refused = 0
    for place in directory_bytes(saved):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        try:
            loaded = booster.load(path)
        except ValueError as error:
            assert str(path) in str(error)
            refused += 1
        else:
            assert_same(loaded, intact)
    assert refused > 100

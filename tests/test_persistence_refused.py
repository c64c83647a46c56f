"""Files that are no saved booster, or a damaged or forged one: all are refused."""

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
from cases import CASES, N_LABELS, arrays_of, assert_same, play, stream
from hypothesis import example, given
from hypothesis import strategies as st
from messages import raises

import booster
from booster.kernels.state import CELLS, ENTRIES, FREE, LEAF, NODES, NONE, PAGES, ROWS, SLOTS
from booster.saving import FORMAT, HEADER, PENDING


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with all that there may be in it; not to be changed."""
    one = CASES[0].make(n_learners=2)
    X, Y = stream(300)
    play(one, X, Y)
    one.predict(X[17])
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


def assert_refused(path: Path, *facts: str) -> None:
    with raises(ValueError, str(path), "saved booster", *facts):
        booster.load(path)


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
    with raises(FileNotFoundError, "absent.npz"):
        booster.load(tmp_path / "absent.npz")
    with raises(OSError, tmp_path.name):
        booster.load(tmp_path)
    with raises(OSError, "absent"):
        CASES[0].make().save(tmp_path / "absent" / "booster.npz")


def without(key: str) -> Callable[[dict[str, Any]], Any]:
    return lambda header: {name: value for name, value in header.items() if name != key}


def changed(**values: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda header: header | values


def with_parameter(**values: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda header: header | {"parameters": header["parameters"] | values}


BAD_HEADERS: dict[str, tuple[Callable[[dict[str, Any]], Any], *tuple[str, ...]]] = {
    "other format": (changed(format="topk-tune booster 999"), "'topk-tune booster 999'"),
    "no format": (without("format"), "format"),
    "unknown algorithm": (changed(algorithm="os.system"), "os.system"),
    "no algorithm": (without("algorithm"), "algorithm"),
    "an algorithm that is none": (changed(algorithm=["topopt"]), "algorithm", "topopt"),
    "an algorithm to be imported": (
        changed(algorithm="booster.top_opt:TopOpt"),
        "booster.top_opt:TopOpt",
    ),
    "a learner to be imported": (with_parameter(learner="os:system"), "learner", "os:system"),
    "no rounds": (without("rounds"), "rounds"),
    "rounds that are none": (changed(rounds="many"), "many"),
    "rounds before the first": (changed(rounds=-1), "-1"),
    "half a round": (changed(rounds=1.5), "1.5"),
    "no parameters": (without("parameters"), "parameters"),
    "parameters that are none": (changed(parameters=3),),
    "unknown parameter": (with_parameter(unheard_of=1), "unheard_of"),
    "bad parameter": (with_parameter(rho=2.0), "rho", "2.0"),
    "bad tree ranges": (with_parameter(trees={"grace_period": [3, 1]}), "grace_period"),
    "unknown tree range": (with_parameter(trees={"unheard_of": [1, 3]}), "unheard_of"),
    "no tree ranges": (with_parameter(trees=None),),
    "other shape": (with_parameter(n_labels=N_LABELS + 1),),
    "other number of learners": (with_parameter(n_learners=5),),
    "a list": (lambda header: [header],),
    "a number": (lambda header: 1,),
    "nothing": (lambda header: None,),
}


@pytest.mark.parametrize("kind", BAD_HEADERS)
def test_bad_headers_are_refused(kind: str, saved: Path, tmp_path: Path) -> None:
    change, *facts = BAD_HEADERS[kind]
    header, arrays = contents(saved)
    assert_refused(rewritten(tmp_path / "bad.npz", change(header), arrays), *facts)


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


@pytest.fixture(scope="module")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file without a pending prediction, and with blocks in use and released ones."""
    one = CASES[0].make(n_learners=2, observer="sparse", leaves="bayes", max_nodes=255)
    X, Y = stream(300)
    one.run(X * (np.abs(X) > 0.5), Y)
    forest = one._state().forest
    assert one.counts["splits"] > 0
    for pool, count in ((forest.entries, ENTRIES), (forest.cells, CELLS)):
        assert (pool.vacant != NONE).any()
        assert forest.counts[count] > 0
    assert 0 < forest.counts[FREE] < forest.counts[SLOTS]
    path = tmp_path_factory.mktemp("sparse") / "booster.npz"
    one.save(path)
    return path


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file without a pending prediction, and with leaves that have noted rows."""
    one = CASES[0].make(n_learners=2, observer="sparse")
    X, Y = stream(300)
    one.run(X * (np.abs(X) > 0.5), Y)
    assert one._state().forest.counts[PAGES] > 1
    path = tmp_path_factory.mktemp("noted") / "booster.npz"
    one.save(path)
    return path


POOLS = ("forest.entries.", "forest.cells.")
NOTES = ("forest.notes.",)


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_that_are_too_short_are_refused(
    name: str, idle: Path, sparse: Path, noted: Path, tmp_path: Path
) -> None:
    with_notes = noted if name.startswith(NOTES) else idle
    header, arrays = contents(sparse if name.startswith(POOLS) else with_notes)
    arrays[name] = arrays[name][: min(1, len(arrays[name]) - 1)]
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
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), "forest.rows.slot")


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
    ("forge", "fact"),
    [
        (shared_root, "forest.nodes"),
        (shared_child, "forest.nodes"),
        (shared_row, "forest.rows"),
        (row_of_another_tree, "another tree"),
        (exchanged_roots, "another tree"),
        (miscounted_nodes, "forest.tree_nodes"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_trees_that_are_no_trees_are_refused(
    forge: Callable[[dict[str, np.ndarray]], None], fact: str, idle: Path, tmp_path: Path
) -> None:
    """One tree would split what another goes on to use, and write beyond the arrays."""
    header, arrays = contents(idle)
    forge(arrays)
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), fact)


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
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), name, "finite")


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


@pytest.mark.slow
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

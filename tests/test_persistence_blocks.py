"""Saved boosters whose blocks were forged: kernels check no bounds, so `load` must refuse them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cases import assert_same, stream
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import says
from test_persistence_refused import assert_refused, contents, rewritten
from test_persistence_refused import sparse as sparse  # a fixture

import booster
from booster.kernels.state import (
    CELLS,
    EMPTY,
    ENTRIES,
    FREE,
    NONE,
    ROWS,
    SLOTS,
)

Arrays = dict[str, np.ndarray]

OWNERS = {"entries": "rows", "cells": "slots"}
COUNT = {"entries": ENTRIES, "cells": CELLS}
pools = pytest.mark.parametrize("pool", OWNERS)


def owner_in_use(arrays: Arrays, pool: str, most: bool = False) -> int:
    """An owner with a block: the first, or the one with most keys."""
    row = int(np.argmax(arrays["forest.rows.used"][: arrays["forest.counts"][ROWS]]))
    if pool == "entries":
        return row
    slots = slots_of(arrays, row)
    used = arrays["forest.slots.used"][slots]
    return int(slots[used.argmax() if most else 0])


def places_of(arrays: Arrays, pool: str, owner: int) -> range:
    kind = f"forest.{OWNERS[pool]}."
    block = int(arrays[f"{kind}block"][owner])
    return range(block, block + (1 << int(arrays[f"{kind}bits"][owner])))


def full_places(arrays: Arrays, pool: str, owner: int) -> list[int]:
    keys = arrays[f"forest.{pool}.key"]
    return [place for place in places_of(arrays, pool, owner) if keys[place] != EMPTY]


def slots_of(arrays: Arrays, row: int) -> np.ndarray:
    return arrays["forest.entries.value"][full_places(arrays, "entries", row), 0]


def block_past_the_pool(arrays: Arrays, pool: str) -> None:
    count = arrays["forest.counts"][COUNT[pool]]
    arrays[f"forest.{OWNERS[pool]}.block"][owner_in_use(arrays, pool)] = count - 1


def block_before_the_pool(arrays: Arrays, pool: str) -> None:
    arrays[f"forest.{OWNERS[pool]}.block"][owner_in_use(arrays, pool)] = -5


def block_too_large(arrays: Arrays, pool: str) -> None:
    arrays[f"forest.{OWNERS[pool]}.bits"][owner_in_use(arrays, pool)] = 30


def block_of_no_size(arrays: Arrays, pool: str) -> None:
    arrays[f"forest.{OWNERS[pool]}.bits"][owner_in_use(arrays, pool)] = -1


def block_of_size_beyond_any(arrays: Arrays, pool: str) -> None:
    arrays[f"forest.{OWNERS[pool]}.bits"][owner_in_use(arrays, pool)] = 70


def keys_too_large(arrays: Arrays, pool: str) -> None:
    place = full_places(arrays, pool, owner_in_use(arrays, pool))[0]
    arrays[f"forest.{pool}.key"][place] = 10**6


def keys_too_large_where_a_search_finds_them(arrays: Arrays, pool: str) -> None:
    owner = owner_in_use(arrays, pool)
    block, bits = (
        places_of(arrays, pool, owner)[0],
        int(arrays[f"forest.{OWNERS[pool]}.bits"][owner]),
    )
    place = full_places(arrays, pool, owner)[0]
    key = next(
        key
        for key in range(1000, 10**6)
        if (key * 2654435769 % 2**32) >> (32 - bits) == place - block
    )
    arrays[f"forest.{pool}.key"][place] = key


def keys_below_empty(arrays: Arrays, pool: str) -> None:
    place = full_places(arrays, pool, owner_in_use(arrays, pool))[0]
    arrays[f"forest.{pool}.key"][place] = -7


def the_same_key_twice(arrays: Arrays, pool: str) -> None:
    one, other = full_places(arrays, pool, owner_in_use(arrays, pool, most=True))[:2]
    arrays[f"forest.{pool}.key"][one] = arrays[f"forest.{pool}.key"][other]


def key_where_no_search_finds_it(arrays: Arrays, pool: str) -> None:
    owner = owner_in_use(arrays, pool)
    keys = arrays[f"forest.{pool}.key"]
    full = full_places(arrays, pool, owner)
    empty = [p for p in places_of(arrays, pool, owner) if keys[p] == EMPTY]
    # Somewhere behind an empty place, which ends every search.
    for place in full:
        for other in empty:
            moved = keys.copy()
            moved[other], moved[place] = moved[place], EMPTY
            behind = [p for p in empty if p < other]
            if behind:
                keys[:] = moved
                return
    raise AssertionError("the file has no such block")


def full_block(arrays: Arrays, pool: str) -> None:
    """A search for any other key would never end."""
    owner = owner_in_use(arrays, pool)
    places = places_of(arrays, pool, owner)
    arrays[f"forest.{pool}.key"][list(places)] = np.arange(len(places))
    arrays[f"forest.{OWNERS[pool]}.used"][owner] = len(places)


def miscounted_keys(arrays: Arrays, pool: str) -> None:
    arrays[f"forest.{OWNERS[pool]}.used"][owner_in_use(arrays, pool)] -= 1


def keys_in_no_block(arrays: Arrays, pool: str) -> None:
    arrays[f"forest.{OWNERS[pool]}.block"][owner_in_use(arrays, pool)] = NONE


def released_block_in_use(arrays: Arrays, pool: str) -> None:
    owner = owner_in_use(arrays, pool)
    bits = int(arrays[f"forest.{OWNERS[pool]}.bits"][owner])
    arrays[f"forest.{pool}.vacant"][bits] = places_of(arrays, pool, owner)[0]


def some_vacant(arrays: Arrays, pool: str) -> tuple[int, int]:
    vacant = arrays[f"forest.{pool}.vacant"]
    bits = int(np.flatnonzero(vacant != NONE)[0])
    return bits, int(vacant[bits])


def vacant_circle(arrays: Arrays, pool: str) -> None:
    _, block = some_vacant(arrays, pool)
    arrays[f"forest.{pool}.key"][block] = block


def vacant_past_the_pool(arrays: Arrays, pool: str) -> None:
    bits, _ = some_vacant(arrays, pool)
    arrays[f"forest.{pool}.vacant"][bits] = 2**30


def vacant_before_the_pool(arrays: Arrays, pool: str) -> None:
    _, block = some_vacant(arrays, pool)
    arrays[f"forest.{pool}.key"][block] = -3


def vacant_of_two_sizes(arrays: Arrays, pool: str) -> None:
    bits, block = some_vacant(arrays, pool)
    arrays[f"forest.{pool}.vacant"][bits - 1 or bits + 1] = block


def count_past_the_pool(arrays: Arrays, pool: str) -> None:
    arrays["forest.counts"][COUNT[pool]] = 2**40


def count_below_zero(arrays: Arrays, pool: str) -> None:
    arrays["forest.counts"][COUNT[pool]] = -1


def count_too_small(arrays: Arrays, pool: str) -> None:
    arrays["forest.counts"][COUNT[pool]] = 2


FORGERIES = [
    block_past_the_pool,
    block_before_the_pool,
    block_too_large,
    block_of_no_size,
    block_of_size_beyond_any,
    keys_too_large,
    keys_too_large_where_a_search_finds_them,
    keys_below_empty,
    the_same_key_twice,
    key_where_no_search_finds_it,
    full_block,
    miscounted_keys,
    keys_in_no_block,
    released_block_in_use,
    vacant_circle,
    vacant_past_the_pool,
    vacant_before_the_pool,
    vacant_of_two_sizes,
    count_past_the_pool,
    count_below_zero,
    count_too_small,
]


@pools
@pytest.mark.parametrize("forge", FORGERIES, ids=lambda forge: forge.__name__)
def test_forged_blocks_are_refused(
    forge: Callable[[Arrays, str], None], pool: str, sparse: Path, tmp_path: Path
) -> None:
    header, arrays = contents(sparse)
    forge(arrays, pool)
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), "forest.")


def test_an_unchanged_copy_is_not_refused(sparse: Path, tmp_path: Path) -> None:
    copied = rewritten(tmp_path / "copy.npz", *contents(sparse))
    assert_same(booster.load(copied), booster.load(sparse))


@pytest.mark.parametrize("value", [-1, 10**6])
def test_entries_that_lead_to_no_slot_are_refused(value: int, sparse: Path, tmp_path: Path) -> None:
    header, arrays = contents(sparse)
    place = full_places(arrays, "entries", owner_in_use(arrays, "entries"))[0]
    arrays["forest.entries.value"][place, 0] = value
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), "forest.entries.value")


def test_slots_in_use_without_a_block_are_refused(sparse: Path, tmp_path: Path) -> None:
    header, arrays = contents(sparse)
    slot = owner_in_use(arrays, "cells")
    arrays["forest.slots.block"][slot], arrays["forest.slots.used"][slot] = NONE, 0
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), "forest.slots.block")


def test_slots_with_two_owners_are_refused(sparse: Path, tmp_path: Path) -> None:
    header, arrays = contents(sparse)
    value = arrays["forest.entries.value"]
    one, other = full_places(arrays, "entries", owner_in_use(arrays, "entries"))[:2]
    value[one] = value[other]
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays))


def test_a_free_slot_in_use_is_refused(sparse: Path, tmp_path: Path) -> None:
    header, arrays = contents(sparse)
    assert arrays["forest.counts"][FREE] > 0
    arrays["forest.free"][0] = slots_of(arrays, owner_in_use(arrays, "entries"))[0]
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), "two owners")


@pytest.mark.parametrize("name", ["rows.observed", "rows.bayes", "cells.value"])
def test_observations_that_are_no_numbers_are_refused(
    name: str, sparse: Path, tmp_path: Path
) -> None:
    header, arrays = contents(sparse)
    arrays[f"forest.{name}"][:] = np.nan
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), f"forest.{name}")


def test_more_features_than_a_tree_has_are_refused(sparse: Path, tmp_path: Path) -> None:
    header, arrays = contents(sparse)
    header["parameters"]["n_covariates"] = 2
    assert arrays["forest.rows.used"].max() > 2
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), "forest.rows.used")


@pytest.mark.parametrize(
    "parameters", [{"observer": "gaussian"}, {"leaves": "weights"}, {"observer": "binary"}]
)
def test_arrays_of_another_observer_are_refused(
    parameters: dict[str, str], sparse: Path, tmp_path: Path
) -> None:
    header, arrays = contents(sparse)
    if parameters.get("observer") == "gaussian":
        parameters = parameters | {"leaves": "weights"}
    header["parameters"] |= parameters
    assert_refused(rewritten(tmp_path / "bad.npz", header, arrays), "forest.")


INTEGERS = [
    *(f"forest.{owner}.{name}" for owner in OWNERS.values() for name in ("block", "bits", "used")),
    *(f"forest.{pool}.{name}" for pool in OWNERS for name in ("key", "vacant")),
    *("forest.entries.value", "forest.free", "forest.counts"),
]


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(data=st.data())
def test_any_forged_index_is_refused_or_does_no_harm(
    data: st.DataObject, sparse: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Pure Python would raise an IndexError where a kernel reads what is not its own."""
    header, arrays = contents(sparse)
    name = data.draw(st.sampled_from(INTEGERS))
    place = data.draw(st.integers(0, arrays[name].size - 1))
    near = st.integers(-2, 40) | st.integers(0, int(arrays["forest.counts"].max()))
    arrays[name].reshape(-1)[place] = data.draw(near | st.sampled_from([-(2**31), 2**31 - 1]))
    path = rewritten(tmp_path_factory.getbasetemp() / "forged.npz", header, arrays)
    try:
        loaded = booster.load(path)
    except ValueError:
        return
    X, Y = stream(60, seed=4)
    try:
        loaded.run(X * (np.abs(X) > 0.5), Y)
    except ValueError as error:  # counts of another class can be made to be negative in sum
        says(error, "must be finite")
    forest = loaded._state().forest
    assert forest.counts[SLOTS] <= len(forest.free)
    for pool, count in COUNT.items():
        assert forest.counts[count] <= len(getattr(forest, pool).key)

"""Blocks beside dictionaries: any sequence of insertions, look-ups and releases."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from booster.kernels.blocks import bits_for, find, insert, look_up, release_block, room_for
from booster.kernels.state import BLOCK_SIZES, EMPTY, ENTRIES, N_COUNTS, NONE, Pool

N_OWNERS = 4
keys = st.integers(0, 40) | st.integers(0, 2**31 - 1) | st.integers(0, 9).map(lambda k: k << 26)


class Owners(NamedTuple):
    block: np.ndarray
    bits: np.ndarray
    used: np.ndarray


def owners(n: int = N_OWNERS) -> Owners:
    return Owners(np.full(n, NONE, np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32))


def pool(size: int) -> Pool:
    """A pool that says nothing about the places that are not used yet."""
    vacant = np.full(BLOCK_SIZES, NONE, np.int32)
    return Pool(np.full(size, 77, np.int32), np.full((size, 2), 77.0), vacant)


@given(st.integers(1, 10**6))
def test_a_block_is_the_smallest_with_a_quarter_of_its_places_empty(n: int) -> None:
    bits = int(bits_for(n))
    assert n <= 0.75 * 2**bits
    assert bits == 1 or n > 0.75 * 2 ** (bits - 1)


class Blocks(RuleBasedStateMachine):
    """Owners whose keys lead to values, and dictionaries of the same."""

    def __init__(self) -> None:
        super().__init__()
        self.owners, self.pool = owners(), pool(8192)
        self.counts = np.zeros(N_COUNTS, np.int64)
        self.twins: list[dict[int, tuple[float, float]]] = [{} for _ in range(N_OWNERS)]
        self.steps = 0

    @rule(i=st.integers(0, N_OWNERS - 1), some=st.lists(keys, unique=True, max_size=12))
    def insert(self, i: int, some: list[int]) -> None:
        new = [key for key in some if key not in self.twins[i]]
        room = int(room_for(self.owners, i, len(new)))
        before = int(self.counts[ENTRIES])
        for key in new:
            self.steps += 1
            place = insert(self.owners, i, self.pool, self.counts, ENTRIES, key)
            self.twins[i][key] = value = (float(self.steps), -float(key))
            self.pool.value[place] = value
        assert int(self.counts[ENTRIES]) - before <= room

    @rule(i=st.integers(0, N_OWNERS - 1))
    def release(self, i: int) -> None:
        release_block(self.owners, i, self.pool)
        self.owners.used[i] = 0
        self.twins[i] = {}

    @rule(i=st.integers(0, N_OWNERS - 1), key=keys)
    def look_up(self, i: int, key: int) -> None:
        place = look_up(self.owners, i, self.pool, key)
        if key in self.twins[i]:
            assert tuple(self.pool.value[place]) == self.twins[i][key]
        else:
            assert place == NONE

    @invariant()
    def all_are_found(self) -> None:
        for i, twin in enumerate(self.twins):
            assert self.owners.used[i] == len(twin)
            for key, value in twin.items():
                place = look_up(self.owners, i, self.pool, key)
                assert (self.pool.key[place], *self.pool.value[place]) == (key, *value)

    @invariant()
    def every_place_has_one_owner(self) -> None:
        held: list[int] = []
        for i in range(N_OWNERS):
            if self.owners.block[i] != NONE:
                held += places(self.owners.block[i], self.owners.bits[i])
        for bits, block in enumerate(self.pool.vacant.tolist()):
            while block != NONE:
                held += places(block, bits)
                block = int(self.pool.key[block])
        assert sorted(held) == list(range(self.counts[ENTRIES]))

    @invariant()
    def a_search_ends(self) -> None:
        for i in range(N_OWNERS):
            if self.owners.block[i] != NONE:
                own = self.pool.key[places(self.owners.block[i], self.owners.bits[i])]
                assert 4 * (own == EMPTY).sum() >= own.size


def places(block: Any, bits: Any) -> list[int]:
    return list(range(int(block), int(block) + (1 << int(bits))))


Blocks.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestBlocks = Blocks.TestCase


@given(st.lists(keys, unique=True, min_size=1, max_size=300))
def test_released_blocks_are_used_again(some: list[int]) -> None:
    held, space = owners(), pool(4096)
    counts = np.zeros(N_COUNTS, np.int64)
    for turn in range(4):
        for key in some:
            insert(held, turn, space, counts, ENTRIES, key)
        if turn == 0:
            most = int(counts[ENTRIES])
        release_block(held, turn, space)
    assert counts[ENTRIES] == most


def test_neighbouring_keys_are_spread() -> None:
    """As features of a row often are: no long walks through a block."""
    held, space = owners(1), pool(8192)
    counts = np.zeros(N_COUNTS, np.int64)
    for key in range(1000, 1700):
        insert(held, 0, space, counts, ENTRIES, key)
    block, bits = int(held.block[0]), int(held.bits[0])
    walks = []
    for key in range(1000, 1700):
        home = key if key < 1 << bits else (key * 2654435769 % 2**32) >> (32 - bits)
        walks.append((find(space.key, block, bits, key) - block - home) % (1 << bits))
    assert np.mean(walks) < 1.0


def test_a_block_with_a_place_for_every_key_is_a_plain_array() -> None:
    held, space = owners(1), pool(64)
    counts = np.zeros(N_COUNTS, np.int64)
    for key in (11, 3, 9, 0, 7, 5, 2):
        insert(held, 0, space, counts, ENTRIES, key)
    block, size = int(held.block[0]), 1 << int(held.bits[0])
    assert size == 16
    filled = [place for place in range(size) if space.key[block + place] != EMPTY]
    assert filled == [0, 2, 3, 5, 7, 9, 11]
    assert all(space.key[block + place] == place for place in filled)

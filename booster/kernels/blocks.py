"""Blocks: small hash tables from whole numbers to values, many of them in one pool.

They hold what leaves observe of features that were not zero, so memory and time follow these. The
size of a block is a power of two. It is replaced by a larger one when three quarters of its places
are used, and released blocks are used again. An owner has three arrays: `block` is the first
place of its block, or NONE; `bits` is the binary logarithm of its size; `used` counts its keys.

A key that is less than the size is its own place, so a block with a place for every key is a plain
array. Others are spread, and take the next place that is free. The values of empty places are zero.
"""

from __future__ import annotations

import numpy as np

from booster.kernels.compiling import exact
from booster.kernels.state import EMPTY, NONE

SPREAD = np.int64(2654435769)
"""2^32 / golden ratio: neighbouring keys are spread over the block. It fits in no int32."""


@exact
def bits_for(n):
    """Return the binary logarithm of the size of a block for n keys."""
    bits = 1
    while 3 << bits < 4 * n:
        bits += 1
    return bits


@exact
def find(keys, block, bits, key):
    """Return the place of a key in a block, or the empty place where it belongs."""
    last = (1 << bits) - 1
    at = key if key <= last else ((key * SPREAD) & 0xFFFFFFFF) >> (32 - bits)
    while keys[block + at] != EMPTY and keys[block + at] != key:
        at = (at + 1) & last
    return block + at


@exact
def look_up(owner, i, pool, key):
    """Return the place of a key of owner i, or NONE."""
    if owner.block[i] == NONE:
        return NONE
    at = find(pool.key, owner.block[i], owner.bits[i], key)
    return at if pool.key[at] != EMPTY else NONE


@exact
def insert(owner, i, pool, counts, which, key):
    """Return a place for a new key of owner i; its values are zero."""
    n = owner.used[i] + 1
    if owner.block[i] == NONE or 4 * n > 3 << owner.bits[i]:
        _enlarge(owner, i, pool, counts, which, n)
    at = find(pool.key, owner.block[i], owner.bits[i], key)
    pool.key[at] = key
    owner.used[i] = n
    return at


@exact
def _enlarge(owner, i, pool, counts, which, n):
    """Give owner i a block for n keys, with the keys that it has."""
    bits = bits_for(n)
    block = _take(pool, counts, which, bits)
    old = owner.block[i]
    if old != NONE:
        for place in range(old, old + (1 << owner.bits[i])):
            if pool.key[place] != EMPTY:
                to = find(pool.key, block, bits, pool.key[place])
                pool.key[to] = pool.key[place]
                for v in range(pool.value.shape[1]):
                    pool.value[to, v] = pool.value[place, v]
        release_block(owner, i, pool)
    owner.block[i] = block
    owner.bits[i] = bits


@exact
def _take(pool, counts, which, bits):
    """Return an empty block: a released one if there is any of this size."""
    block = pool.vacant[bits]
    if block != NONE:
        pool.vacant[bits] = pool.key[block]
    else:
        block = counts[which]
        counts[which] += 1 << bits
    for place in range(block, block + (1 << bits)):
        pool.key[place] = EMPTY
        for v in range(pool.value.shape[1]):
            pool.value[place, v] = 0
    return block


@exact
def release_block(owner, i, pool):
    """Release the block of owner i, if it has one."""
    block = owner.block[i]
    if block != NONE:
        pool.key[block] = pool.vacant[owner.bits[i]]
        pool.vacant[owner.bits[i]] = block
        owner.block[i] = NONE


@exact
def room_for(owner, i, n):
    """Return the most new places that n new keys of owner i can take, block after block."""
    if n == 0:
        return 0
    used, bits = owner.used[i], -1
    if owner.block[i] != NONE:
        bits = owner.bits[i]
    if bits >= 0 and 4 * (used + n) <= 3 << bits:
        return 0
    return 2 << bits_for(used + n)  # each block on the way is half of the next

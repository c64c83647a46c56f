"""SplitMix64 in whole numbers of any size, cut to 64 bits by hand."""

from __future__ import annotations

import struct
from collections.abc import Sequence

BITS = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & BITS
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & BITS
    return z ^ (z >> 31)


def digest(x: Sequence[float]) -> int:
    """Of a row of float32: the bits of each feature, times an odd number of its own.

    A zero has no bits, whatever its sign: sparse rows do not have it.
    """
    bits = [int.from_bytes(struct.pack("<f", f or 0.0), "little") for f in x]
    return mix(sum(b * (2 * i + 1) * GOLDEN for i, b in enumerate(bits)) & BITS)


class Draws:
    """The generator from a given state.

    >>> draws = Draws(1234567)
    >>> [draws.bits() for _ in range(3)]
    [6457827717110365317, 3203168211198807973, 9817491932198370423]
    """

    def __init__(self, state: int) -> None:
        self.state = state

    @classmethod
    def of_round(cls, key: int, t: int, x: Sequence[float]) -> Draws:
        return cls(mix(key ^ mix(t * GOLDEN & BITS) ^ digest(x)))

    def bits(self) -> int:
        self.state = (self.state + GOLDEN) & BITS
        return mix(self.state)

    def uniform(self) -> float:
        """In [0, 1), with all 53 bits of a float."""
        return (self.bits() >> 11) / 2**53

    def below(self, n: int) -> int:
        return min(int(self.uniform() * n), n - 1)

"""Rows in memory that the processes of this machine share, so that workers make no copies.

The memory belongs to a file without a name, which ends with the processes that have it open.
"""

from __future__ import annotations

import mmap
import pickle
from dataclasses import dataclass

from topk_tune.training.trial import TrialRows

_ALIGNED = 64
"""Arrays begin at multiples of this: a cache line, and more than any type needs."""


@dataclass(frozen=True)
class Place:
    """Where the arrays are, for a process that has inherited the file.

    Parameters
    ----------
    descriptor
        The file.
    outline
        The pickled rows without their arrays.
    spans
        The first byte and the length of each array in the file.
    """

    descriptor: int
    outline: bytes
    spans: tuple[tuple[int, int], ...]

    def rows(self) -> TrialRows:
        """Return the rows as read-only arrays in the shared memory, dense and sparse alike."""
        memory = memoryview(mmap.mmap(self.descriptor, 0, access=mmap.ACCESS_READ))
        parts = [memory[first : first + length] for first, length in self.spans]
        rows: TrialRows = pickle.loads(self.outline, buffers=parts)
        return rows


def share(rows: TrialRows, descriptor: int) -> Place:
    """Write the rows to a file of `nameless_file`, which processes may have inherited before."""
    arrays: list[pickle.PickleBuffer] = []
    outline = pickle.dumps(rows, protocol=5, buffer_callback=arrays.append)
    spans, end = [], 0
    with open(descriptor, "wb", closefd=False) as file:
        for array in arrays:
            with array.raw() as content:
                end = -(-end // _ALIGNED) * _ALIGNED
                file.seek(end)
                file.write(content)
                spans.append((end, content.nbytes))
                end += content.nbytes
    return Place(descriptor, outline, tuple(spans))

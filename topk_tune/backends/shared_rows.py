"""Rows in memory that the processes of this machine share, so that workers make no copies.

The memory belongs to a file without a name, which the kernel frees with the last process that has
it open. Nothing is left behind by processes that are killed.
"""

from __future__ import annotations

import mmap
import os
import pickle
import tempfile
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


def share(rows: TrialRows) -> Place:
    """Write the rows to shared memory; `close` the descriptor when no process will be started."""
    arrays: list[pickle.PickleBuffer] = []
    outline = pickle.dumps(rows, protocol=5, buffer_callback=arrays.append)
    descriptor = _nameless_file()
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


def close(place: Place) -> None:
    """Let the memory go, as far as this process is concerned."""
    os.close(place.descriptor)


def _nameless_file() -> int:
    # In memory where the system has such files: a disk may be slow or full.
    if hasattr(os, "memfd_create"):
        return os.memfd_create("topk-tune rows")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())

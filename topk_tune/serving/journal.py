"""A journal: what is written and synced before it is answered."""

import os
from collections.abc import Sequence
from pathlib import Path

from topk_tune.serving.durable import durable
from topk_tune.serving.lines import line_of

FORMAT = 1


class Journal:
    """An existing journal, to add lines to.

    Parameters
    ----------
    path
        The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
        self.size = os.fstat(self._file).st_size

    @classmethod
    def begin(
        cls, path: Path, rounds: int, used: Sequence[tuple[str, int]], open_: bytes
    ) -> "Journal":
        """Begin a journal after some rounds, with the ids used last and the open rankings."""
        with durable(path) as file:
            file.write(line_of({"journal": FORMAT, "rounds": rounds, "used": used}))
            file.write(open_)
        return cls(path)

    def write(self, lines: bytes) -> None:
        """Add lines: all of them, or none if the disk does not take them."""
        left = memoryview(lines)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError:
            os.ftruncate(self._file, self.size)
            raise
        self.size += len(lines)

    def sync(self) -> None:
        """Return when all lines are on the disk."""
        os.fsync(self._file)

    def is_at(self, path: Path) -> bool:
        """Whether a path leads to this file, which another one may have replaced."""
        return os.path.samestat(os.fstat(self._file), path.stat())

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

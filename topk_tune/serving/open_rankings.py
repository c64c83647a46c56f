"""The rankings that were shown and wait for feedback: a bounded table."""

from collections import OrderedDict
from collections.abc import Iterable

MOST = 10_000
MOST_BYTES = 2**28
MOST_USED = 1_000
"""How many ids are remembered as used; an older one is as unknown as one that never was."""


class OpenRankings:
    """Lines of a journal by id. When there are too many, the oldest are dropped.

    An id is open, then taken while its feedback is written, then used.

    Parameters
    ----------
    most, most_bytes
        The largest number of open rankings, and of the bytes of their lines.
    """

    def __init__(self, most: int = MOST, most_bytes: int = MOST_BYTES) -> None:
        self.most = most
        self.most_bytes = most_bytes
        self.dropped = 0
        self._open: OrderedDict[str, bytes] = OrderedDict()
        self._taken: dict[str, bytes] = {}
        self._used: OrderedDict[str, int] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._open)

    def add(self, id_: str, line: bytes) -> None:
        """Open a ranking; the oldest are dropped for it if necessary."""
        self._open[id_] = line
        self._bytes += len(line)
        self.dropped += self._drop()

    def take(self, id_: str) -> bytes | None:
        """Take an open ranking, whose feedback has come; None if it is not open."""
        line = self._open.pop(id_, None)
        if line is not None:
            self._bytes -= len(line)
            self._taken[id_] = line
        return line

    def is_taken(self, id_: str) -> bool:
        """Whether the feedback of an id is about to be learned."""
        return id_ in self._taken

    def give_back(self, id_: str) -> None:
        """Open a ranking again, whose feedback could not be written."""
        self.add(id_, self._taken.pop(id_))

    def use(self, id_: str, learned: int) -> None:
        """Note that the feedback of a taken ranking was learned, as this round."""
        self._taken.pop(id_, None)
        self._used[id_] = learned
        while len(self._used) > MOST_USED:
            self._used.popitem(last=False)

    def learned(self, id_: str) -> int | None:
        """The round in which the feedback of an id was learned, as long as it is remembered."""
        return self._used.get(id_)

    def restart(self, used: Iterable[tuple[str, int]]) -> None:
        """Forget everything but these ids, which were used, oldest first."""
        self._open.clear()
        self._taken.clear()
        self._used.clear()
        self._bytes = 0
        for id_, learned in used:
            self.use(id_, learned)

    def limit(self, most: int, most_bytes: int = MOST_BYTES) -> None:
        """Set the largest numbers; what is over them was dropped before, so it is not counted."""
        self.most, self.most_bytes = most, most_bytes
        self._drop()

    @property
    def used(self) -> list[tuple[str, int]]:
        """The ids that are remembered as used, oldest first."""
        return list(self._used.items())

    @property
    def lines(self) -> bytes:
        """The lines of all that are open or taken, oldest first."""
        return b"".join([*self._taken.values(), *self._open.values()])

    def _drop(self) -> int:
        """Drop the oldest while there are too many; returns how many were dropped."""
        before = len(self)
        while len(self) > self.most or (self._bytes > self.most_bytes and len(self) > 1):
            _, line = self._open.popitem(last=False)
            self._bytes -= len(line)
        return before - len(self)

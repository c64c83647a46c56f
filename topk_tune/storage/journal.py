"""Optuna's journal file: several operations in one write, and what its lines say.

That there is a line for each operation, what it holds and where the lock lies is known of some
versions of Optuna only.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from optuna.storages.journal import JournalFileBackend

from booster.private_parts import Library

OPTUNA = Library("optuna", "5.0", "5.1")

_FIRST = 5
"""The lines among which the facts are that a study is made with."""


class BatchedJournal(JournalFileBackend):
    """A journal file that writes and syncs all operations inside `together` at once.

    A finished trial takes about 25 operations. With a sync for each, the disk would be the slowest
    part of a study of short trials. Written together, they are also atomic.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path
        self._torn = False
        self._held: list[dict[str, Any]] | None = None

    @contextmanager
    def together(self) -> Iterator[None]:
        """Delay operations until the end of the block; if one raises, none is written."""
        self._held = []
        try:
            yield
            held = self._held
        finally:
            self._held = None
        self._write(held)

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Write operations, or delay them inside `together`."""
        if self._held is not None:
            self._held.extend(logs)
        else:
            self._write(logs)

    def _write(self, logs: list[dict[str, Any]]) -> None:
        if self._torn:
            mend(self._path)
        self._torn = True
        try:
            super().append_logs(logs)
        except RuntimeError as error:  # the lock is gone, perhaps with the folder
            raise OSError(f"the journal {self._path} was moved or removed: {error}") from error
        self._torn = False


def mend(path: Path) -> None:
    """Remove what an interrupted write has left. Only the sole driver of a study may call it.

    This is a partial last line after a full disk or a power failure: Optuna would append to it
    and could no longer read the file. And it is the lock of a driver that was killed: Optuna would
    wait for it for half a minute.
    """
    if not path.exists():
        return
    path.with_name(f"{path.name}.lock").unlink(missing_ok=True)
    with path.open("rb+") as file:
        content = file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            file.truncate(whole)


def has_note(path: Path, key: str) -> bool:
    """Whether a journal has some fact about a study as a whole among its first lines."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return any(key in _notes(line) for line in islice(file, _FIRST))


def check_note(path: Path, key: str) -> None:
    """Raise a MissingPartError if a fact that was just written cannot be found."""
    if not has_note(path, key):
        raise OPTUNA.missing(f"facts about a study among the first {_FIRST} lines of a journal")


def _notes(line: bytes) -> dict[str, Any]:
    """The facts about a study that an operation sets; none if it is torn, or another one."""
    try:
        notes = json.loads(line)["user_attr"]
    except (ValueError, TypeError, KeyError):
        return {}
    return notes if isinstance(notes, dict) else {}

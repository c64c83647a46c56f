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
    """A journal file in which the operations inside `together` are written and synced at once.

    A finished trial is some 25 operations; a sync for each would make the disk the slowest part
    of a study of short trials. It also makes them all or nothing.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self._path = path
        self._torn = False
        self._held: list[dict[str, Any]] | None = None

    @contextmanager
    def together(self) -> Iterator[None]:
        """Hold operations back until the end; if one raises, none is written."""
        self._held = []
        try:
            yield
            held = self._held
        finally:
            self._held = None
        self._write(held)

    def append_logs(self, logs: list[dict[str, Any]]) -> None:
        """Write operations, or hold them back."""
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
        except RuntimeError as error:  # the lock is gone, and with it perhaps the folder
            raise OSError(f"the journal {self._path} was moved or removed: {error}") from error
        self._torn = False


def mend(path: Path) -> None:
    """Clear away what a write leaves that did not come to its end.

    A torn last line (the disk was full, the power failed): Optuna would append to it, and then
    be unable to read the file. A lock (the driver was killed): Optuna would wait for it for half
    a minute. Call it only as the study's sole driver.
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

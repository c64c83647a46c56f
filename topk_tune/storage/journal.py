"""Optuna's journal file, with several operations in one write."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from optuna.storages.journal import JournalFileBackend


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

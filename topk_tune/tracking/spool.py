"""The spool: a file of JSON lines between a study and the process that sends them to MLflow."""

import json
import logging
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from topk_tune.tracking import entries

logger = logging.getLogger("topk_tune.tracking")

NAME = "spool.jsonl"


class Spool:
    """The end of the spool that a study appends to.

    A full disk does not stop it: what cannot be written is held in memory and tried again with
    the next line. There is no sync, since a trial that is lost with the power is in the study's
    own storage, and is appended again when the study is resumed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self._held = b""
        self._warned = False

    def append(self, entry: entries.Entry) -> None:
        """Add a line."""
        line = json.dumps(entries.content(entry), separators=(",", ":"))
        self._held += line.encode() + b"\n"
        self.flush()

    def flush(self) -> bool:
        """Write what is held back; whether all of it is written."""
        try:
            if self._file is None:
                self._file = _opened(self._path)
            while self._held:
                self._held = self._held[os.write(self._file, self._held) :]
        except OSError as error:
            self._complain(error)
            self.close()
        return not self._held

    def close(self) -> None:
        """Let go of the file; the next line opens it again."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _complain(self, error: OSError) -> None:
        if not self._warned:
            self._warned = True
            reason = error.strerror or str(error)
            logger.warning(
                "tracking: cannot write %s (%s); the study goes on, trying again", NAME, reason
            )


def _opened(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    size = os.fstat(file).st_size
    # A line that a killed process left unfinished must not swallow the next one.
    if size and os.pread(file, 1, size - 1) != b"\n":
        os.write(file, b"\n")
    return file


@dataclass(frozen=True)
class Line:
    """An entry, and the place in the file where the next one begins."""

    entry: entries.Entry
    end: int


def read(path: Path, start: int = 0) -> Iterator[Line]:
    """The whole lines from a place on; what is no JSON, such as a torn line, is left out."""
    if not path.exists():
        return
    with path.open("rb") as file:
        file.seek(start)
        for raw in file:
            if not raw.endswith(b"\n"):
                return
            start += len(raw)
            try:
                yield Line(entries.read(json.loads(raw)), start)
            except ValueError:
                continue

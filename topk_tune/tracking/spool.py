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
    """The spool as a study writes it.

    A full disk does not stop it: lines that cannot be written are kept in memory and written with
    the next one. There is no sync: after a power failure, a lost trial is in the study's storage
    and is appended again when the study is resumed.
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
        """Write the lines in memory; returns whether all of them are written."""
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
        """Close the file; the next line opens it again."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _complain(self, error: OSError) -> None:
        if not self._warned:
            self._warned = True
            reason = error.strerror or str(error)
            logger.warning(
                "tracking: cannot write %s (%s); the study continues and will retry", NAME, reason
            )


def _opened(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
    size = os.fstat(file).st_size
    # A partial line of a killed process must not merge with the next one.
    if size and os.pread(file, 1, size - 1) != b"\n":
        os.write(file, b"\n")
    return file


@dataclass(frozen=True)
class Line:
    """An entry, and the offset of the next one in the file."""

    entry: entries.Entry
    end: int


def read(path: Path, start: int = 0) -> Iterator[Line]:
    """The complete lines from an offset on, without invalid JSON such as partial lines."""
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

"""The lines of a journal: a checksum and JSON each, so that damage is seen."""

import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

logger = logging.getLogger("topk_tune.serving")

_CHECKSUM = 8


def line_of(content: dict[str, Any]) -> bytes:
    """The line of an entry.

    >>> line_of({"a": 1})
    b'561bacaf {"a":1}\\n'
    """
    text = json.dumps(content, separators=(",", ":"), allow_nan=False).encode()
    return b"%08x %s\n" % (crc32(text), text)


def entry_of(line: bytes) -> dict[str, Any]:
    """The entry of a line; a ValueError if it is damaged."""
    text = line[_CHECKSUM + 1 : -1]
    if line[-1:] != b"\n" or line[: _CHECKSUM + 1] != b"%08x " % crc32(text):
        raise ValueError("its checksum does not fit")
    found: dict[str, Any] = json.loads(text)
    return found


def read_lines(path: Path) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """Yield number, line and entry of a journal whose end was mended; refuse any damage."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            try:
                yield number, line, entry_of(line)
            except ValueError as error:
                raise ValueError(
                    f"{path}:{number}: a journal must be as it was written, but this line is "
                    f"damaged: {error}"
                ) from None


def mend(path: Path) -> None:
    """Cut off a last line without an end: its write was interrupted, so nobody was answered."""
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        whole = _end_of_lines(file, size)
        if whole < size:
            logger.warning("%s: cut off %s bytes of a line without an end", path, size - whole)
            file.truncate(whole)
            os.fsync(file.fileno())


def _end_of_lines(file: Any, size: int, block: int = 2**16) -> int:
    """The place after the last end of a line."""
    end = size
    while end > 0:
        start = max(0, end - block)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return int(start + found + 1)
        end = start
    return 0

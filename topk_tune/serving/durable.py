"""Files that are whole or absent, also after a power failure."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PARTIAL = ".partial"


@contextmanager
def durable(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write it whole: it gets its name when all of it is on the disk."""
    partial = path.with_name(path.name + PARTIAL)
    try:
        with partial.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)

"""Data sets kept on disk, one `.npz` file each."""

import logging
import shutil
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from topk_tune.data.archive import write_archive
from topk_tune.data.csr_arrays import from_arrays
from topk_tune.data.dataset import ARRAYS, Dataset
from topk_tune.data.errors import DataError
from topk_tune.data.numbered import Numbered

_log = logging.getLogger(__name__)

# The errors of numpy and zipfile for a truncated or damaged file.
_DAMAGE = (zipfile.BadZipFile, ValueError, KeyError, EOFError, NotImplementedError)


def folder() -> Path:
    """The folder of the cache, which may not exist yet."""
    from platformdirs import user_cache_path

    return user_cache_path("topk-tune") / "data"


def file_of(name: str) -> Path:
    """The cached file of a data set."""
    return folder() / f"{name}.npz"


def read(name: str, fingerprint: str) -> Dataset | None:
    """Read a data set; None if it is missing or damaged."""
    path = file_of(name)
    try:
        # Opened here, because numpy leaves a damaged file open.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            data = numbered(name, {array: from_arrays(array, stored) for array in ARRAYS})
    except (FileNotFoundError, *_DAMAGE):
        return None
    except OSError as error:
        raise DataError(f"The cached file {path} cannot be read: {error}") from error
    return data if data.fingerprint == fingerprint else None


def numbered(name: str, arrays: Mapping[str, Any]) -> Dataset:
    """Make a data set of arrays and name its columns by their numbers."""
    features = Numbered("feature_", range(1, arrays["X_train"].shape[1] + 1))
    labels = Numbered("label_", range(1, arrays["Y_train"].shape[1] + 1))
    return Dataset(name=name, **arrays, feature_names=features, label_names=labels)


def write(data: Dataset, scratch: Path) -> None:
    """Store a data set. It is moved when complete, so a partial one is never read."""
    path = file_of(data.name)
    unfinished = scratch / path.name
    write_archive(data, unfinished)
    unfinished.replace(path)


def _turn(path: Path) -> AbstractContextManager[object]:
    """Take the lock, and log a message if it has to wait."""
    from filelock import FileLock, Timeout

    lock = FileLock(path)
    try:
        return lock.acquire(blocking=False)
    except Timeout:
        _log.info("Waiting for another process that fills the cache")
        return lock.acquire()


@contextmanager
def filling() -> Iterator[Path]:
    """Let one process at a time fill the cache; yields a folder for its unfinished files."""
    place = folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
        with _turn(place / ".lock"):
            # These were left by a process that was killed: a running one would hold the lock.
            for left in place.glob("unfinished-*"):
                shutil.rmtree(left, ignore_errors=True)
            with tempfile.TemporaryDirectory(prefix="unfinished-", dir=place) as scratch:
                yield Path(scratch)
    except OSError as error:
        reason = error.strerror or str(error)
        raise DataError(f"The cache folder {place} cannot be written: {reason}") from error

"""The local files in the command of a job: packed here, unpacked on the head."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from topk_tune.data.catalog import names_files
from topk_tune.data.formats import READERS, ending
from topk_tune.data.readers.parts import files_of
from topk_tune.spaces.reading import names_file
from topk_tune.tracking.config import FILE as TRACKING

FOLDER = "parcel"
"""The folder of the packed files, below the working folder of a job."""

FILES = "files"
"""The folder of the unpacked files on the head; names include a hash of the content."""

_LARGEST = 400_000_000
"""The most bytes that a job may have: Ray keeps them in the memory of the head."""

_NAMES_FILES: dict[str, Callable[[str], bool]] = {
    "--dataset": names_files,
    "--space": names_file,
    "--config": lambda value: True,
}
"""The options that may have files, and functions that check whether a value is one."""


def pack(arguments: Sequence[str], folder: Path) -> list[str]:
    """Copy the files of a command and mlflow.yaml into a folder; returns the command to run there.

    Names of data sets and spaces are not changed. Absolute paths that do not exist here are not
    changed either: they may be on the head.
    """
    named = list(_named(arguments))
    _check_size(file for _, _, path in named if path for file in _parts(path))
    tracking = Path(TRACKING)
    if tracking.is_file():
        _put(tracking, folder / FOLDER / TRACKING)
    return [
        word if path is None else f"{option}{_pack(path, folder / FOLDER / FILES)}"
        for word, option, path in named
    ]


def unpack(folder: Path, home: Path) -> None:
    """Move the files of a job to their folder on the head; existing files are not changed."""
    if not (folder / FOLDER).is_dir():
        return
    for file in sorted(path for path in (folder / FOLDER).rglob("*") if path.is_file()):
        kept = home / file.relative_to(folder / FOLDER)
        if file.name == TRACKING or not kept.exists():
            _put(file, kept)


def _check_size(files: Iterable[Path]) -> None:
    size = sum(file.stat().st_size for file in files)
    if size > _LARGEST:
        raise ValueError(
            f"the files of a job must have at most {_LARGEST / 1e6:.0f} MB, but got "
            f"{size / 1e6:.0f} MB: copy them to the head and use their absolute path there"
        )


def _named(arguments: Sequence[str]) -> Iterator[tuple[str, str, Path | None]]:
    """Each word of a command; for a local file, its prefix and its path."""
    before = ""
    for word in arguments:
        option, equals, value = word.partition("=")
        if before in _NAMES_FILES:
            yield word, "", _here(before, word)
        elif option in _NAMES_FILES and equals:
            yield word, f"{option}=", _here(option, value)
        else:
            yield word, "", None
        before = word


def _here(option: str, value: str) -> Path | None:
    """The local file or folder of an option, if it has one."""
    path = Path(value)
    if not _NAMES_FILES[option](value):
        return None
    if path.exists():
        return path
    if path.is_absolute():
        return None
    raise FileNotFoundError(f"{option} must be a local file, but there is no {path}")


def _pack(path: Path, folder: Path) -> str:
    """Copy a file or folder under a name with its hash; returns its name on the head."""
    files = _parts(path)
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    name = Path(os.path.abspath(path)).name  # the name of a link itself, not of its target
    place = folder / digest.hexdigest()[:16]
    for file in files:
        _put(file, place / name / file.name if path.is_dir() else place / file.name)
    return os.path.join(FILES, place.name, name)


def _parts(path: Path) -> list[Path]:
    """A file, or the files of a data set, including those that list its labels."""
    return files_of(path) if path.is_dir() or ending(path) in READERS else [path]


def _put(file: Path, target: Path) -> None:
    """Copy a file atomically."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.copyfile(file, half)
    half.replace(target)

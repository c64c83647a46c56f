"""The files of this computer that the command of a job names: packed here, unpacked on the head."""

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
"""What the packed files lie in, below the folder that a job starts in."""

FILES = "files"
"""Where the unpacked ones stay on the head, each under a name that tells its content."""

_LARGEST = 400_000_000
"""Bytes that may travel with a job: Ray keeps them in the memory of the head."""

_NAMES_FILES: dict[str, Callable[[str], bool]] = {
    "--dataset": names_files,
    "--space": names_file,
    "--config": lambda value: True,
}
"""The options that may name files, and whether a value does."""


def pack(arguments: Sequence[str], folder: Path) -> list[str]:
    """Copy what a command names, and mlflow.yaml, into a folder; returns the command to run there.

    Names of data sets and spaces stay as they are, and so do absolute paths that are not here:
    they may be on the head.
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
    """Move what came with a job to where it stays; what is there already stays as it is."""
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
            f"{size / 1e6:.0f} MB: copy them to the head and name their absolute path there"
        )


def _named(arguments: Sequence[str]) -> Iterator[tuple[str, str, Path | None]]:
    """Each word of a command; for a file of this computer, what precedes its name, and the file."""
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
    """The file or folder of this computer that an option names, if it does."""
    path = Path(value)
    if not _NAMES_FILES[option](value):
        return None
    if path.exists():
        return path
    if path.is_absolute():
        return None
    raise FileNotFoundError(f"{option} must name a file of this computer, but there is no {path}")


def _pack(path: Path, folder: Path) -> str:
    """Copy a file or folder under a name that tells its content; returns its name on the head."""
    files = _parts(path)
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.name}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    name = Path(os.path.abspath(path)).name  # of a link itself, as those of its files are
    place = folder / digest.hexdigest()[:16]
    for file in files:
        _put(file, place / name / file.name if path.is_dir() else place / file.name)
    return os.path.join(FILES, place.name, name)


def _parts(path: Path) -> list[Path]:
    """A file, or those of a data set; with some formats there are others that name its labels."""
    return files_of(path) if path.is_dir() or ending(path) in READERS else [path]


def _put(file: Path, target: Path) -> None:
    """Copy a file so that whoever reads the target sees all of it or none."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(f"{target.name}.{os.getpid()}")
    shutil.copyfile(file, half)
    half.replace(target)

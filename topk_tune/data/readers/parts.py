"""Finds the training and the test part of a data set in a folder."""

from pathlib import Path
from typing import NamedTuple

from topk_tune.data.formats import LABELS_BESIDE, READERS, ending, endings
from topk_tune.data.readers.errors import refused

_PARTS = ("train", "test")
_RULE = "a folder must have NAME-train.SUFFIX and NAME-test.SUFFIX, or a single data file"


class _Named(NamedTuple):
    """The parts of a file name: NAME and SUFFIX in lower case, and train, test or neither."""

    name: str
    suffix: str
    part: str


def find_parts(path: Path) -> list[Path]:
    """Find a training and a test file in a folder, or one file to be split."""
    if not path.exists():
        raise FileNotFoundError(f"there is no file or folder {path}")
    if path.is_file():
        if ending(path) not in READERS:
            rule = f"the name of a data file must end in one of {endings()}"
            raise refused(path, None, rule, path.suffix or "no ending")
        return [path]
    files = {_take_apart(file): file for file in sorted(path.iterdir()) if _is_data(file)}
    pairs = [
        [file, files[named._replace(part="test")]]
        for named, file in files.items()
        if named.part == "train" and named._replace(part="test") in files
    ]
    if len(pairs) == 1:
        return pairs[0]
    if pairs or len(files) != 1 or next(iter(files)).part:
        found = ", ".join(file.name for file in files.values())
        raise refused(path, None, _RULE, found or f"no file that ends in {endings()}")
    return list(files.values())


def files_of(path: Path) -> list[Path]:
    """All files that a data set is read from, those that may name its labels too."""
    files = find_parts(path)
    if LABELS_BESIDE not in READERS[ending(files[0])].traits:
        return files
    return [*files, *sorted(files[0].parent.glob("*.xml"))]


def without_part(stem: str) -> str:
    """Remove `train` or `test`, and the separator before it, from the end of a name.

    >>> without_part("yeast-train"), without_part("test"), without_part("protest")
    ('yeast', '', 'protest')
    """
    for part in _PARTS:
        if stem.lower() == part:
            return ""
        if stem.lower().endswith(tuple(mark + part for mark in "-_.")):
            return stem[: -len(part) - 1]
    return stem


def _take_apart(file: Path) -> _Named:
    name = without_part(file.stem)
    part = file.stem[len(name) :].lower().lstrip("-_.")
    return _Named(name.lower(), file.suffix.lower(), part)


def _is_data(file: Path) -> bool:
    return file.is_file() and ending(file) in READERS and not file.name.startswith(".")

"""Data sets by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from booster.plugins import unknown
from topk_tune.data import cache
from topk_tune.data.dataset import Dataset
from topk_tune.data.document_rows import documents, parse_documents
from topk_tune.data.errors import DataError
from topk_tune.data.files import read_files
from topk_tune.data.generators import GENERATORS
from topk_tune.data.index import Progress
from topk_tune.data.logs.dataset import read_log
from topk_tune.data.logs.file import is_log
from topk_tune.data.m_reduced import load_m_reduced
from topk_tune.data.mulan import load_mulan
from topk_tune.data.openml import load_openml
from topk_tune.data.split import DEFAULT_TEST
from topk_tune.data.streams import parse_synthetic, synthetic
from topk_tune.data.yeast import load_yeast


@dataclass(frozen=True)
class Entry:
    """A published data set: where it comes from, how large it is, how to load it."""

    title: str
    origin: str
    n_train: int
    n_test: int
    n_features: int
    n_labels: int
    load: Callable[[Progress | None], Dataset]
    # The cached file, for data sets that are downloaded.
    kept_as: str | None = None

    def at_hand(self) -> bool:
        """Whether it loads without a download."""
        return self.kept_as is None or cache.file_of(self.kept_as).exists()


_ARCHIVE = "package index"

_MADE: dict[str, Callable[[str, str], Dataset]] = {
    "synthetic": lambda name, split: synthetic(**parse_synthetic(name), split=split),
    "documents": lambda name, split: documents(**parse_documents(name), split=split),
}

# In the order of the paper's Table 6.
PAPER: dict[str, Entry] = {
    "emotions": Entry(
        "Emotions", _ARCHIVE, 391, 202, 72, 6, partial(load_mulan, "emotions"), "emotions"
    ),
    "scene": Entry("Scene", _ARCHIVE, 1211, 1196, 294, 6, partial(load_mulan, "scene"), "scene"),
    "yeast": Entry("Yeast", "river", 1500, 917, 103, 14, lambda progress: load_yeast()),
    "mediamill": Entry(
        "Mediamill", _ARCHIVE, 30993, 12914, 120, 101, partial(load_mulan, "mediamill"), "mediamill"
    ),
    "m_reduced": Entry(
        "M-reduced", "rows of mediamill", 1500, 500, 120, 101, load_m_reduced, "mediamill"
    ),
}

# Documents and their tags, which have sparse rows.
OTHERS: dict[str, Entry] = {
    "bibtex": Entry(
        "Bibtex", _ARCHIVE, 4880, 2515, 1836, 159, partial(load_mulan, "bibtex"), "bibtex"
    ),
    "enron": Entry("Enron", _ARCHIVE, 1123, 579, 1001, 53, partial(load_mulan, "enron"), "enron"),
}


def published() -> dict[str, Entry]:
    """The published data sets by name: those of the paper, and others."""
    return {**PAPER, **OTHERS}


def names() -> list[str]:
    """The names of the data sets."""
    return sorted([*published(), *_MADE, *GENERATORS])


def load(
    name: str,
    *,
    labels: str | int | Sequence[str] | None = None,
    split: str | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Load a data set: one of `names()`, `openml:NUMBER`, or a file or folder of your own.

    Parameters
    ----------
    name
        The name, such as "yeast" or "synthetic:rows=5000,m=20", or the path.
    labels
        The label columns of a file, if the file does not define them.
    split
        The rule that selects test rows, for data sets without a published test part.
    progress
        Called during a download with the bytes received and the total.

    Examples
    --------
    >>> load("yeast").X_train.shape
    (1500, 103)
    """
    if name in published():
        refuse_options(name, labels=labels, split=split)
        return published()[name].load(progress)
    kind = name.partition(":")[0]
    if kind in _MADE:
        refuse_options(name, labels=labels)
        return _MADE[kind](name, split or DEFAULT_TEST)
    if kind in GENERATORS:
        refuse_options(name, labels=labels)
        return GENERATORS[kind](name, split or DEFAULT_TEST)
    if kind == "openml":
        refuse_options(name, labels=labels)
        return load_openml(name, split or DEFAULT_TEST)
    if is_path(name):
        return own_files(name, labels, split)
    raise ValueError(_unknown(name))


def own_files(path: str, labels: str | int | Sequence[str] | None, split: str | None) -> Dataset:
    """Read files of the user, or a log; refuse them if there is nothing to rank in them."""
    if is_log(path):
        refuse_options(path, labels=labels)
        return read_log(path, split)
    data = read_files(path, labels=labels, split=split)
    if data.n_labels < 2:
        found = ", ".join(map(repr, data.label_names)) or "none"
        rule = "there must be at least 2 labels, because boosters rank labels"
        raise DataError(f"{path}: {rule}, but got {found}")
    return data


def names_files(name: str) -> bool:
    """Whether `load` would read a file or folder of the user."""
    return not _is_ours(name) and is_path(name)


def check_known(name: str) -> str:
    """Return the name of a data set; a ValueError if `load` does not know such a name."""
    if not (_is_ours(name) or is_path(name)):
        raise ValueError(_unknown(name))
    return name


def _is_ours(name: str) -> bool:
    kind = name.partition(":")[0]
    return name in published() or kind in (*_MADE, "openml", *GENERATORS)


def absolute(name: str) -> str:
    """The name of a data set from any folder: a file or folder of the user by its absolute path.

    >>> absolute("yeast")
    'yeast'
    """
    return os.path.abspath(name) if names_files(name) else name


def is_path(name: str) -> bool:
    """Whether a name is a path: it has a separator or a suffix, or it exists."""
    separators = {os.sep, os.altsep or os.sep}
    return any(s in name for s in separators) or bool(Path(name).suffix) or Path(name).exists()


def refuse_options(name: str, **given: object) -> None:
    """Raise a ValueError if an option is set that the data set defines itself."""
    for option, value in given.items():
        if value is not None:
            raise ValueError(f"{option} cannot be set for {name}, which defines it: got {value!r}")


def _unknown(name: str) -> str:
    return unknown("data set", name, names(), ", openml:NUMBER, or the path of a file or folder")

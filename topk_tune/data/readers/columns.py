"""Which columns of a file are labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from topk_tune.data.readers.errors import quoted, refused

# A prefix, a number of columns at the end, or names; None for the default of the format.
Labels = str | int | Sequence[str] | None

DEFAULT_PREFIX = "label"


def parse_labels(labels: Labels) -> Labels:
    """Parse a text from the command line: a number, names separated by commas, or a prefix.

    >>> parse_labels("6"), parse_labels("sad,angry"), parse_labels("mood_")
    (6, ['sad', 'angry'], 'mood_')
    """
    if not isinstance(labels, str):
        return labels
    if labels.isascii() and labels.isdigit():
        return int(labels[:9])
    return labels.split(",") if "," in labels else labels


@dataclass(frozen=True)
class Columns:
    """The names of all columns of a file, and the indices of its features and labels."""

    names: tuple[str, ...]
    features: NDArray[np.intp]
    labels: NDArray[np.intp]

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the features, in the order of the file."""
        return tuple(self.names[i] for i in self.features)

    @property
    def label_names(self) -> tuple[str, ...]:
        """The names of the labels, in the order of the file."""
        return tuple(self.names[i] for i in self.labels)


def choose(path: Path, place: int | str | None, names: Sequence[str], labels: Labels) -> Columns:
    """Separate labels from features; `place` is where the file lists its columns.

    >>> choose(Path("a.csv"), 1, ["x", "label_a", "label_b"], None).label_names
    ('label_a', 'label_b')
    >>> choose(Path("a.csv"), 1, ["x", "y", "z"], 1).label_names
    ('z',)
    """
    check_names(path, place, names)
    wanted = set(_label_names(path, place, names, labels))
    chosen = np.array([name in wanted for name in names])
    if chosen.all():
        raise refused(path, place, "a file must have at least one feature", "labels only")
    return Columns(tuple(names), np.flatnonzero(~chosen), np.flatnonzero(chosen))


def check_names(path: Path, place: int | str | None, names: Sequence[str]) -> None:
    """Refuse columns without a name, or with the name of another."""
    seen = set()
    for number, name in enumerate(names, start=1):
        if not name:
            raise refused(path, place, "a column must have a name", f"none for column {number}")
        if name in seen:
            raise refused(path, place, "column names must be distinct", f"{quoted(name)} twice")
        seen.add(name)


def _label_names(
    path: Path, place: int | str | None, names: Sequence[str], labels: Labels
) -> Sequence[str]:
    if isinstance(labels, int):
        if not 1 <= labels < len(names):
            rule = f"the number of labels must be between 1 and {len(names) - 1}"
            raise refused(path, place, rule, str(labels))
        return names[-labels:]
    if isinstance(labels, str) or labels is None:
        if labels is None:
            return _with_prefix(path, place, names, DEFAULT_PREFIX, " unless --labels names others")
        return _with_prefix(path, place, names, labels)
    return _named(path, place, names, labels)


def _with_prefix(
    path: Path, place: int | str | None, names: Sequence[str], prefix: str, advice: str = ""
) -> Sequence[str]:
    found = [name for name in names if name.startswith(prefix)]
    if not found:
        rule = f"the name of a label column must start with {quoted(prefix)}{advice}"
        raise refused(path, place, rule, f"only {_listed(names)}")
    return found


def _named(
    path: Path, place: int | str | None, names: Sequence[str], labels: Sequence[str]
) -> Sequence[str]:
    if not labels:
        raise refused(path, place, "a file must have at least one label", "an empty list of names")
    known = set(names)
    for label in labels:
        if label not in known:
            rule = f"every label must be one of the columns {_listed(names)}"
            raise refused(path, place, rule, quoted(label))
    return labels


def _listed(names: Sequence[str]) -> str:
    some = ", ".join(quoted(name) for name in names[-5:])
    return some if len(names) <= 5 else f"..., {some}"

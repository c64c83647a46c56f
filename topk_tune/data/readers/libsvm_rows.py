"""A line of multilabel libsvm text."""

import re
from collections.abc import Iterator
from operator import lt
from pathlib import Path
from typing import NamedTuple

from topk_tune.data.readers.errors import quoted, refused
from topk_tune.data.readers.lines import Line, read_lines
from topk_tune.data.readers.numbers import is_number, number, rule_for
from topk_tune.data.readers.table import FEATURE_RULE

# A larger id is more likely a typing error than a wide data set. Labels are dense arrays; every
# booster has an array of one number per feature.
MAX_LABEL = 1_000_000
MAX_FEATURE = 100_000_000
_ID = re.compile("[0-9]+")
_PLAIN = re.compile(
    r"(?P<labels>(?:[0-9]{1,9}(?:,[0-9]{1,9})*)?)"
    r"(?P<pairs>(?:[ \t]+[0-9]{1,9}:[0-9eE+\-.]+)*)[ \t]*"
)
# Numbers from here on round to infinity: half a step above the largest float32.
_OVERFLOW = float.fromhex("0x1.ffffffp127")
_BLANKS = re.compile("[ \t]+")


class Row(NamedTuple):
    """The label ids of a row, and its feature ids with their values."""

    labels: list[int]
    features: list[int]
    values: list[float]


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the rows of a file, without comment lines and blank lines at the end."""
    blank: Line | None = None
    for line in read_lines(path):
        text = line.text.partition("#")[0]
        if not text.strip(" \t"):
            if text == line.text:
                blank = blank or line
            continue
        if blank is not None:
            # Some programs skip such a line, others read a row of zeros without labels.
            rule = "blank lines are allowed at the end only (write 1:0 for a row of zeros)"
            raise refused(path, blank.number, rule, "a row after it")
        yield _row(path, line.number, text)


def _row(path: Path, line: int, text: str) -> Row:
    plain = _PLAIN.fullmatch(text)
    row = _plain_row(plain) if plain else None
    return row or _careful_row(path, line, text)


def _plain_row(match: re.Match[str]) -> Row | None:
    """Read a row of legal characters quickly; None if it needs the slow reader."""
    labels = [int(label) for label in match["labels"].split(",")] if match["labels"] else []
    words = match["pairs"].replace(":", " ").split()
    features = [int(word) for word in words[::2]]
    try:
        values = [float(word) for word in words[1::2]]
    except ValueError:
        return None
    ids_good = max(labels, default=0) <= MAX_LABEL and max(features[-1:], default=0) <= MAX_FEATURE
    rising = all(map(lt, features, features[1:])) and len(set(labels)) == len(labels)
    finite = min(values, default=0) > -_OVERFLOW and max(values, default=0) < _OVERFLOW
    return Row(labels, features, values) if ids_good and rising and finite else None


def _careful_row(path: Path, line: int, text: str) -> Row:
    first, *pairs = _BLANKS.split(text.rstrip(" \t"))
    if ":" in first:
        first, pairs = "", [first, *pairs]
    labels = [_id(path, line, label, MAX_LABEL) for label in first.split(",")] if first else []
    if len(set(labels)) < len(labels):
        raise refused(path, line, "the labels of a row must be distinct", quoted(first))
    features, values = [], []
    for pair in pairs:
        index, colon, value = pair.partition(":")
        if not colon:
            raise refused(path, line, "a feature must be ID:VALUE", quoted(pair))
        features.append(_id(path, line, index, MAX_FEATURE))
        values.append(_value(path, line, value))
        if len(features) > 1 and features[-2] >= features[-1]:
            got = f"{features[-1]} after {features[-2]}"
            raise refused(path, line, "the feature ids of a row must increase", got)
    return Row(labels, features, values)


def _id(path: Path, line: int, text: str, most: int) -> int:
    # The length is checked first: int() refuses thousands of digits.
    if not _ID.fullmatch(text) or len(text) > 9 or int(text) > most:
        rule = f"an id must be a whole number between 0 and {most:,}"
        raise refused(path, line, rule, quoted(text))
    return int(text)


def _value(path: Path, line: int, text: str) -> float:
    if not is_number(text):
        raise refused(path, line, rule_for(text), quoted(text))
    value = number(text)
    if not -_OVERFLOW < value < _OVERFLOW:
        raise refused(path, line, FEATURE_RULE, quoted(text))
    return value

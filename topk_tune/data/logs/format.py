"""The format of a log: its header, its columns and their types.

A row is a round. Its features are `features`, or `indices` and `values` of those that are not zero.
What was shown is `shown`, in the order of places, and what was told is `bits`. How likely that was
is one of `CHOICES`. Other columns are ignored.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topk_tune.data.readers.errors import quoted, refused

if TYPE_CHECKING:
    import pyarrow as pa

KEY = "topk_tune_log"
"""The key of the header: in the metadata of Parquet, or in the first line of JSON Lines."""

FORMAT = 1

DENSE = ("features",)
SPARSE = ("indices", "values")
TOLD = ("shown", "bits")
PAIRS = ("pairs",)
SCHEME = ("scheme", "rate", "ranking")
PROPENSITIES = ("propensities",)

CHOICES = (PAIRS, SCHEME, PROPENSITIES)
"""What a log knows of its policy: the probability of each pair of labels shown, in the order
(0, 1), (0, 2), .. of their places; or the exploration scheme, its rate and the ranking before
exploration, at least the part that would have been shown; or the probability of each label, whose
products stand for pairs. The first that is there counts."""


@dataclass(frozen=True)
class Header:
    """What all rows of a log have in common."""

    n_features: int
    labels: Sequence[str]

    @property
    def n_labels(self) -> int:
        """The number of labels."""
        return len(self.labels)

    def text(self) -> str:
        """Return the header as it is written."""
        parts = {"format": FORMAT, "n_features": self.n_features, "labels": list(self.labels)}
        return json.dumps(parts)


def read_header(path: Path, found: Any) -> Header:
    """Return the header of a file, of its JSON; raise a `DataError` if it breaks a rule."""
    rule = f"{KEY} must be an object with format, n_features and labels"
    if not isinstance(found, dict) or not {"format", "n_features", "labels"} <= found.keys():
        raise refused(path, None, rule, quoted(json.dumps(found)))
    number, n_features, labels = found["format"], found["n_features"], found["labels"]
    if number != FORMAT:
        raise refused(path, None, f"the format of a log must be {FORMAT}", quoted(repr(number)))
    if not isinstance(n_features, int) or isinstance(n_features, bool) or n_features < 1:
        raise refused(path, None, "n_features must be at least 1", quoted(repr(n_features)))
    names = labels if isinstance(labels, list) else []
    if len(names) < 2 or not all(isinstance(each, str) for each in names):
        raise refused(path, None, "labels must be 2 or more names", quoted(repr(labels)))
    if len(set(names)) < len(names):
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise refused(path, None, "labels must have different names", f"{quoted(twice)} twice")
    return Header(n_features, tuple(names))


def types() -> dict[str, pa.DataType]:
    """Return the type of each column."""
    import pyarrow as pa

    whole, single, double = pa.list_(pa.int32()), pa.list_(pa.float32()), pa.list_(pa.float64())
    return {
        "features": single,
        "indices": whole,
        "values": single,
        "shown": whole,
        "bits": pa.list_(pa.int8()),
        "pairs": double,
        "scheme": pa.string(),
        "rate": pa.float64(),
        "ranking": whole,
        "propensities": double,
    }


def needed_columns(path: Path, names: Sequence[str]) -> list[str]:
    """Return the columns that are read of those that a file has."""
    missing = [name for name in TOLD if name not in names]
    if missing:
        raise refused(path, None, f"a log must have the column {missing[0]!r}", ", ".join(names))
    form = next((each for each in (DENSE, SPARSE) if set(each) <= set(names)), None)
    if form is None:
        rule = "a log must have the column 'features', or 'indices' and 'values'"
        raise refused(path, None, rule, ", ".join(names))
    known = next((each for each in CHOICES if set(each) <= set(names)), None)
    if known is None:
        rule = (
            "a log must say how likely its policy was to show what it showed, by 'pairs', by "
            "'scheme', 'rate' and 'ranking', or by 'propensities'"
        )
        raise refused(path, None, rule, ", ".join(names))
    return [*form, *TOLD, *known]

"""Formats of data files, each by the ending of its files' names.

Nothing heavy is imported here, so that whoever only lists endings need not wait. A package adds a
format by an entry point of the group `topk_tune.readers` that is called as the ending:

    [project.entry-points."topk_tune.readers"]
    jsonl = "songrank.reader:read_jsonl"

Its target is a function `read(path, labels)` that returns a `topk_tune.data.readers.Table`.
"""

from pathlib import Path

from booster.plugins import Plugin, Table

TOGETHER = "together"
"""The trait of readers that take a list of all parts of a data set, and return one of tables."""

LABELS_BESIDE = "labels beside"
"""The trait of formats whose labels may be named by an XML file in the same folder."""

_READERS = "topk_tune.data.readers"
_CSV = f"{_READERS}.csv_table:read_csv", "a header, then values separated by `,`, `;` or tab"
_LIBSVM = f"{_READERS}.libsvm:read_libsvm", "multilabel libsvm text", frozenset({TOGETHER})

READERS = Table(
    "reader",
    [
        Plugin(
            "arff",
            f"{_READERS}.arff:read_arff",
            "Mulan ARFF, with an XML file that names the labels",
            frozenset({LABELS_BESIDE}),
        ),
        Plugin("csv", *_CSV),
        Plugin("tsv", *_CSV),
        Plugin("parquet", f"{_READERS}.parquet:read_parquets", "Parquet", frozenset({TOGETHER})),
        Plugin("npz", f"{_READERS}.npz:read_archives", "NumPy archive", frozenset({TOGETHER})),
        Plugin("svm", *_LIBSVM),
        Plugin("libsvm", *_LIBSVM),
    ],
    group="topk_tune.readers",
    paths=False,
)


def ending(path: Path) -> str:
    """What tells the format of a file.

    >>> ending(Path("songs.CSV"))
    'csv'
    """
    return path.suffix.lower().removeprefix(".")


def endings() -> str:
    """All endings, as a sentence lists them."""
    return ", ".join(f".{name}" for name in READERS)

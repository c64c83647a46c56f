"""Readers of multilabel data files, one module per format.

Every reader takes a path and returns a `Table`, or raises a `DataError` that names the file, the
line, the rule and the value. Readers never guess: invalid input is refused, not repaired.
"""

from topk_tune.data.errors import DataError
from topk_tune.data.readers.arff import read_arff
from topk_tune.data.readers.csv_table import read_csv
from topk_tune.data.readers.libsvm import read_libsvm
from topk_tune.data.readers.npz import read_npz
from topk_tune.data.readers.parquet import read_parquet
from topk_tune.data.readers.table import Table

__all__ = [
    "DataError",
    "Table",
    "read_arff",
    "read_csv",
    "read_libsvm",
    "read_npz",
    "read_parquet",
]

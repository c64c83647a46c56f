"""Readers of multilabel data files, one module per format.

Every reader takes a path and returns a `Table`, or raises a `DataError` that names the file, the
line, the rule and the value. Readers never guess: invalid input is refused, not repaired.

Readers of other packages (see `topk_tune.data.formats`) find here what they need: `read_lines`
reads text, `choose` tells labels from features, `refused` makes the errors, `quoted` shortens what
they quote, and `table_of` makes a table that keeps to the rules of all formats.
"""

from topk_tune.data.errors import DataError
from topk_tune.data.readers.arff import read_arff
from topk_tune.data.readers.columns import Columns, Labels, choose
from topk_tune.data.readers.csv_table import read_csv
from topk_tune.data.readers.errors import quoted, refused
from topk_tune.data.readers.libsvm import read_libsvm
from topk_tune.data.readers.lines import Line, read_lines
from topk_tune.data.readers.npz import read_npz
from topk_tune.data.readers.parquet import read_parquet
from topk_tune.data.readers.table import Table, table_of

__all__ = [
    "Columns",
    "DataError",
    "Labels",
    "Line",
    "Table",
    "choose",
    "quoted",
    "read_arff",
    "read_csv",
    "read_libsvm",
    "read_lines",
    "read_npz",
    "read_parquet",
    "refused",
    "table_of",
]

"""Fast reading of CSV files of plain numbers."""

from pathlib import Path

import numpy as np

from topk_tune.data.readers.errors import BadCellError
from topk_tune.data.readers.numbers import PLAIN_CHARACTERS
from topk_tune.data.readers.table import Filler

_SURVEY_BYTES = 2**20
# pyarrow reads 32 such blocks ahead: 16 MiB in addition to the arrays, for any file size.
_BLOCK_BYTES = 2**19


def survey(path: Path, start: int, separator: str = ",") -> tuple[bool, int]:
    """Whether all bytes from `start` are plain, and the number of line ends there.

    Plain bytes are those of decimal numbers, the separator and LF or CRLF. A file without other
    bytes has no quotes, no "nan" and no encoding errors, so readers cannot disagree about it.
    """
    legal = f"{PLAIN_CHARACTERS}{separator}\r\n".encode()
    plain, newlines, last = True, 0, b""
    with path.open("rb") as file:
        file.seek(start)
        while chunk := file.read(_SURVEY_BYTES):
            newlines += chunk.count(b"\n")
            # A CR at the end of a chunk is checked together with the next chunk.
            text, last = last + chunk, chunk[-1:] if chunk.endswith(b"\r") else b""
            ends = text.removesuffix(b"\r") if last else text
            lone = ends.count(b"\r") != ends.count(b"\r\n")
            plain = plain and not lone and not chunk.translate(None, legal)
    return plain and not last, newlines


def fill_fast(filler: Filler, path: Path, start: int, columns: range, separator: str = ",") -> bool:
    """Add the rows from byte `start`; False if the next row needs the slow reader.

    Columns before those of the range are not read.
    """
    import pyarrow as pa
    from pyarrow import csv as pa_csv

    names = [str(column) for column in range(columns.stop)]
    used = [str(column) for column in columns]
    # As float64, so that a number is rounded in the same two steps as by Python and NumPy.
    convert = pa_csv.ConvertOptions(
        column_types=dict.fromkeys(used, pa.float64()), include_columns=used, null_values=[]
    )
    read = pa_csv.ReadOptions(column_names=names, block_size=_BLOCK_BYTES, use_threads=False)
    parse = pa_csv.ParseOptions(delimiter=separator, quote_char=False, double_quote=False)
    with pa.OSFile(str(path)) as file:
        file.seek(start)
        try:
            for batch in pa_csv.open_csv(file, read, parse, convert):
                block = np.empty((len(batch), len(columns)))
                for column in range(len(columns)):
                    block[:, column] = np.from_dlpack(batch.column(column))
                filler.put(block)
        except (pa.ArrowInvalid, BadCellError):
            return False
    return True

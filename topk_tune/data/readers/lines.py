"""Text files, line by line, with the checks of all text formats."""

import codecs
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

from topk_tune.data.readers.errors import refused

# A file without line ends must not be read into memory as one line.
MAX_LINE_BYTES = 2**26


class Line(NamedTuple):
    """A line without its end, its number from 1, and the offset of the next byte."""

    number: int
    text: str
    end: int


def read_lines(path: Path) -> Iterator[Line]:
    """Yield the lines of a UTF-8 file, ended by LF or CRLF, without a byte order mark."""
    end = 0
    with path.open("rb") as file:
        for number in count(1):
            raw = file.readline(MAX_LINE_BYTES + 1)
            if not raw:
                return
            end += len(raw)
            yield Line(number, _decode(path, number, raw), end)


def _decode(path: Path, number: int, raw: bytes) -> str:
    if len(raw) > MAX_LINE_BYTES:
        rule = f"a line must have at most {MAX_LINE_BYTES:,} bytes"
        raise refused(path, number, rule, "a longer one")
    body = raw.removesuffix(b"\r\n") if raw.endswith(b"\r\n") else raw.removesuffix(b"\n")
    if number == 1:
        body = body.removeprefix(codecs.BOM_UTF8)
    if b"\0" in body:
        place = f"a NUL at byte {body.index(0) + 1} of the line"
        raise refused(path, number, "text must not contain NUL", place)
    if b"\r" in body:
        place = f"a lone CR at byte {body.index(13) + 1} of the line"
        raise refused(path, number, "lines must end in LF or CRLF", place)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"byte 0x{body[error.start]:02x} at byte {error.start + 1} of the line"
        raise refused(path, number, "text must be UTF-8", place) from None

"""Replaces characters that a terminal cannot show."""

import codecs
import io
import sys

_SPELT = {"±": "+/-", "…": "."}  # one column wide, as in truncated cells of tables
_NAME = "topk-tune-spelt"

# Control characters, which move the cursor, ring the bell or begin an escape code.
_CONTROLS = {i: f"\\x{i:02x}" for i in (*range(32), *range(127, 160)) if chr(i) not in "\n\t"}


def visible(text: str) -> str:
    """The text with control characters escaped, for file names and errors.

    >>> visible("my\\x1b[2Jdata.csv")
    'my\\\\x1b[2Jdata.csv'
    """
    return text.translate(_CONTROLS)


def spell_out() -> None:
    """Replace characters that the encoding of a stream lacks, instead of raising an error."""
    codecs.register_error(_NAME, _spelt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_NAME)


def _spelt(error: UnicodeError) -> tuple[str, int]:
    """The replacement for characters that an encoding lacks.

    >>> codecs.register_error(_NAME, _spelt)
    >>> "0.3 ± 0.1 ✓".encode("ascii", _NAME)
    b'0.3 +/- 0.1 \\\\u2713'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    spelt = [_SPELT.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lacking]
    return "".join(spelt), error.end

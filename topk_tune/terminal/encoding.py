"""Characters that a terminal lacks, spelt with those that every terminal has."""

import codecs
import io
import sys

_SPELT = {"±": "+/-", "…": "."}  # the dots in one column, as they are where a table cuts text off
_NAME = "topk-tune-spelt"

# What moves the cursor, rings, or begins a code that a terminal obeys.
_CONTROLS = {i: f"\\x{i:02x}" for i in (*range(32), *range(127, 160)) if chr(i) not in "\n\t"}


def visible(text: str) -> str:
    """Text that a terminal shows rather than obeys, whatever a file or an error is called.

    >>> visible("my\\x1b[2Jdata.csv")
    'my\\\\x1b[2Jdata.csv'
    """
    return text.translate(_CONTROLS)


def spell_out() -> None:
    """Let no character end the program that writes it to a terminal of another encoding."""
    codecs.register_error(_NAME, _spelt)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_NAME)


def _spelt(error: UnicodeError) -> tuple[str, int]:
    """What to write instead of what an encoding lacks.

    >>> codecs.register_error(_NAME, _spelt)
    >>> "0.3 ± 0.1 ✓".encode("ascii", _NAME)
    b'0.3 +/- 0.1 \\\\u2713'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    spelt = [_SPELT.get(c) or c.encode("ascii", "backslashreplace").decode() for c in lacking]
    return "".join(spelt), error.end

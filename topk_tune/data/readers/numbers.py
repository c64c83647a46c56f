"""Numbers in text files."""

import re
from collections.abc import Sequence

from topk_tune.data.readers.errors import BadCellError

# With these characters, Python's float() accepts decimal numbers only: no "nan", no "1_000", no
# digits of other scripts. One match for a whole line is cheaper than one for each value.
PLAIN_CHARACTERS = "0123456789eE+-. \t"
_PLAIN = re.compile(f"[{re.escape(PLAIN_CHARACTERS)}]*")
_PLAIN_LINE = re.compile(f"[{re.escape(PLAIN_CHARACTERS)},]*")


def is_plain_line(text: str) -> bool:
    """Whether a line has only the characters of decimal numbers, and commas."""
    return _PLAIN_LINE.fullmatch(text) is not None


def number(text: str) -> float:
    """Read a decimal number, which may have spaces around it; a ValueError if it is none.

    >>> number(" -1.5e3")
    -1500.0
    """
    if not _PLAIN.fullmatch(text):
        raise ValueError(text)
    return float(text)


def numbers(texts: Sequence[str]) -> list[float]:
    """Read a row of decimal numbers; a `BadCellError` for the first that is invalid."""
    if _PLAIN.fullmatch("".join(texts)):
        try:
            return list(map(float, texts))
        except ValueError:
            pass
    column = next(column for column, text in enumerate(texts) if not is_number(text))
    raise BadCellError(0, column, rule_for(texts[column]))


def is_number(text: str) -> bool:
    """Whether `number` would read a text."""
    try:
        number(text)
    except ValueError:
        return False
    return True


def rule_for(text: str) -> str:
    """The rule that an invalid number breaks."""
    missing = text.strip(" \t") in ("", "?")
    return "a value must not be missing" if missing else "a value must be a decimal number"

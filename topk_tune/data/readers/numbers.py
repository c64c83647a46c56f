"""What a number is in a text file."""

import re
from collections.abc import Sequence

from topk_tune.data.readers.errors import BadCellError

# Within these characters Python's float() knows decimal numbers and nothing else: no "nan", no
# "1_000", no digits of other scripts. One match for a whole line is cheaper than one for a value.
PLAIN_CHARACTERS = "0123456789eE+-. \t"
_PLAIN = re.compile(f"[{re.escape(PLAIN_CHARACTERS)}]*")
_PLAIN_LINE = re.compile(f"[{re.escape(PLAIN_CHARACTERS)},]*")


def is_plain_line(text: str) -> bool:
    """Whether a line has only the characters of decimal numbers, and commas."""
    return _PLAIN_LINE.fullmatch(text) is not None


def number(text: str) -> float:
    """Read a decimal number, with blanks around it allowed; anything else is a ValueError.

    >>> number(" -1.5e3")
    -1500.0
    """
    if not _PLAIN.fullmatch(text):
        raise ValueError(text)
    return float(text)


def numbers(texts: Sequence[str]) -> list[float]:
    """Read a row of decimal numbers; the first text that is none is a `BadCellError`."""
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
    """Return the rule that a text breaks that is not a number."""
    missing = text.strip(" \t") in ("", "?")
    return "a value must not be missing" if missing else "a value must be a decimal number"

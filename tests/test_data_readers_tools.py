"""What the tests of several readers share: odd spellings of numbers, and damage to files."""

import numpy as np
from hypothesis import strategies as st

FLOATS = st.floats(width=32, allow_nan=False, allow_infinity=False).map(np.float32)
BITS = st.integers(0, 1)
ENDS = st.sampled_from([b"\n", b"\r\n"])

_JUNK = [
    *(b'"', b"'", b"\\", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b",", b";", b"\n", b" ", b"\t"),
    *(b"nan", b"inf", b"?", b"{", b"}", b"%", b"#", b":", b"1e400", b"4e38", b"1_0", b"0x1", b"-"),
    *("\u0661".encode(), "\u2028".encode(), b"@data", b"999999999999", b"2", b"0", b"1.0"),
]


@st.composite
def spelled(draw: st.DrawFn, value: np.float32) -> str:
    """A legal spelling of a number: exact, if odd."""
    text = repr(float(value))
    if draw(st.booleans()):
        text = text.replace("e", "E")
    if not text.startswith("-") and draw(st.booleans()):
        text = "+" + text
    if text.endswith(".0") and draw(st.booleans()):
        text = text[:-1]
    if text.startswith("0.") and len(text) > 2 and draw(st.booleans()):
        text = text[1:]
    return text


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """A file with bytes flipped or put in, and lines cut, dropped, doubled or swapped."""
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content)))
        lines = content.splitlines(keepends=True)
        match draw(st.integers(0, 5)):
            case 0:
                content = content[:at] + draw(st.binary(min_size=1, max_size=1)) + content[at + 1 :]
            case 1:
                content = content[:at] + draw(st.sampled_from(_JUNK)) + content[at:]
            case 2:
                content = content[:at]
            case 3:
                content = content[:at] + content[at + draw(st.integers(1, 9)) :]
            case 4 if lines:
                order = draw(st.lists(st.integers(0, len(lines) - 1), max_size=len(lines) + 1))
                content = b"".join(lines[i] for i in order)
            case 5 if lines:
                i, j = draw(st.tuples(*[st.integers(0, len(lines) - 1)] * 2))
                lines[i], lines[j] = lines[j], lines[i]
                content = b"".join(lines)
    return content

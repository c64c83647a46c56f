"""The tokens of an ARFF line: values, quoted values and punctuation."""

import re
from pathlib import Path
from typing import NamedTuple

from topk_tune.data.readers.errors import quoted, refused
from topk_tune.data.readers.lines import Line

_TOKEN = re.compile(
    r"""[ \t]*(?:
        (?P<quoted> '(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" )
      | (?P<mark>   [,{}] )
      | (?P<comment> %.* )
      | (?P<word>   [^ \t,{}'"%]+ )
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"', "%": "%"}


class Token(NamedTuple):
    """A token; `kind` is "word", "quoted" or "mark"."""

    kind: str
    text: str

    @property
    def is_value(self) -> bool:
        """Whether it is a name or a value."""
        return self.kind != "mark"


def tokens(path: Path, line: Line) -> list[Token]:
    r"""Split a line into tokens. Comments are dropped and escapes in quotes are resolved.

    >>> tokens(Path("a.arff"), Line(1, r"@attribute 'it\'s' {0, 1} % why", 0))[1].text
    "it's"
    """
    found, position, end = [], 0, len(line.text.rstrip(" \t"))
    while position < end:
        match = _TOKEN.match(line.text, position)
        if match is None:
            rule = "a quoted value must end on its line"
            raise refused(path, line.number, rule, quoted(line.text[position:]))
        kind, position = str(match.lastgroup), match.end()
        if kind == "comment":
            break
        text = match[kind]
        found.append(Token(kind, _unquote(path, line, text) if kind == "quoted" else text))
    return found


def _unquote(path: Path, line: Line, text: str) -> str:
    def resolve(match: re.Match[str]) -> str:
        code = match[1]
        if len(code) == 5:
            return chr(int(code[1:], 16))
        if code not in _ESCAPED:
            rule = r"an escape must be one of \n \r \t \\ \' \" \% \uXXXX"
            raise refused(path, line.number, rule, quoted(match[0]))
        return _ESCAPED[code]

    return _ESCAPE.sub(resolve, text[1:-1])

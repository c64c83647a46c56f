"""The rows of an ARFF file, dense and sparse."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from topk_tune.data.readers.arff_header import Attribute
from topk_tune.data.readers.arff_tokens import Token, tokens
from topk_tune.data.readers.errors import quoted, refused
from topk_tune.data.readers.lines import Line
from topk_tune.data.readers.numbers import is_plain_line, number, rule_for

_COMMA = Token("mark", ",")
_BRACES = re.compile(r"[ \t]*\{([^{}]*)\}[ \t]*")
_Converter = Callable[[str], float]


def row_lines(lines: Iterator[Line]) -> Iterator[Line]:
    """Skip blank lines and comments."""
    return (line for line in lines if line.text.lstrip(" \t")[:1] not in ("", "%"))


class RowParser:
    """Converts the lines after `@data` to a value for each attribute."""

    def __init__(self, path: Path, attributes: Sequence[Attribute]) -> None:
        """Prepare to read the rows of a file with these attributes."""
        self._path, self._attributes = path, attributes
        self._omitted = [attribute.omitted for attribute in attributes]
        self._plain = [_plain_converter(attribute) for attribute in attributes]
        self._careful = [_careful_converter(attribute) for attribute in attributes]

    def values(self, line: Line) -> list[float]:
        """Read a dense row, or a sparse one in braces."""
        if is_plain_line(line.text):
            return self._dense(line, line.text.split(","), self._plain)
        if line.text.lstrip(" \t").startswith("{"):
            values = list(self._omitted)
            for column, value in self.entries(line):
                values[column] = value
            return values
        words = tokens(self._path, line)
        if len(words) % 2 == 0 or any(word != _COMMA for word in words[1::2]):
            self._malformed(line)
        texts = [self._text(line, word) for word in words[::2]]
        return self._dense(line, texts, self._careful)

    def entries(self, line: Line) -> Iterator[tuple[int, float]]:
        """Read a sparse row: the columns that it does not omit, in order, with their values."""
        last = -1
        for pair in self._pairs(line):
            if len(pair) != 2:
                self._malformed(line)
            last = self._index(line, pair[0], last)
            yield last, self._value(line, last, pair[1])

    def _dense(self, line: Line, texts: list[str], converters: list[_Converter]) -> list[float]:
        if len(texts) != len(self._attributes):
            rule = f"a row must have {len(self._attributes)} values, one per attribute"
            raise refused(self._path, line.number, rule, str(len(texts)))
        try:
            return [convert(text) for convert, text in zip(converters, texts, strict=True)]
        except (KeyError, ValueError):
            return [self._value(line, column, text) for column, text in enumerate(texts)]

    def _pairs(self, line: Line) -> list[list[str]]:
        braces = _BRACES.fullmatch(line.text)
        if braces and is_plain_line(braces[1]):
            pairs = braces[1].split(",") if braces[1].strip(" \t") else []
            return [pair.split() for pair in pairs]
        words = tokens(self._path, line)
        body = words[1:-1]
        closed = words[-1] == Token("mark", "}") and len(words) > 1
        separated = all(word == _COMMA for word in body[2::3])
        if not closed or not separated or (body and len(body) % 3 != 2):
            self._malformed(line)
        indices, values = body[::3], body[1::3]
        if any(word.kind != "word" for word in indices):
            self._malformed(line)
        both = zip(indices, values, strict=True)
        return [[index.text, self._text(line, value)] for index, value in both]

    def _index(self, line: Line, text: str, last: int) -> int:
        digits = text.isascii() and text.isdigit() and len(text) < 10
        if not (digits and last < int(text) < len(self._omitted)):
            rule = f"sparse indices must increase and be between 0 and {len(self._omitted) - 1}"
            after = f" after {last}" if last >= 0 else ""
            raise refused(self._path, line.number, rule, quoted(text) + after)
        return int(text)

    def _text(self, line: Line, word: Token) -> str:
        if word.kind == "mark":
            self._malformed(line)
        if word == Token("word", "?"):  # in quotes it would be an ordinary value
            raise refused(self._path, line.number, "a value must not be missing", "?")
        return word.text

    def _value(self, line: Line, column: int, text: str) -> float:
        try:
            return self._careful[column](text)
        except KeyError:
            rule = f"a value must be one of {', '.join(list(self._codes(column))[:10])}"
        except ValueError:
            rule = rule_for(text)
        got = f"{quoted(text)} for {quoted(self._attributes[column].name)}"
        raise refused(self._path, line.number, rule, got)

    def _codes(self, column: int) -> dict[str, float]:
        return self._attributes[column].codes or {}

    def _malformed(self, line: Line) -> NoReturn:
        rule = "a row must be VALUE,VALUE,... or {INDEX VALUE,INDEX VALUE,...}"
        raise refused(self._path, line.number, rule, quoted(line.text))


def _plain_converter(attribute: Attribute) -> _Converter:
    """A converter for lines whose characters were checked already."""
    return float if attribute.codes is None else attribute.codes.__getitem__


def _careful_converter(attribute: Attribute) -> _Converter:
    codes = attribute.codes
    if codes is None:
        return number
    # Spaces around a quoted value are part of it; around a plain value they are not.
    return lambda text: codes[text] if text in codes else codes[text.strip(" \t")]

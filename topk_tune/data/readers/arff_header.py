"""The declarations of an ARFF file."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from topk_tune.data.readers.arff_tokens import Token, tokens
from topk_tune.data.readers.errors import quoted, refused
from topk_tune.data.readers.lines import Line
from topk_tune.data.readers.numbers import is_number, number

_NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True)
class Attribute:
    """A column: its name, its line, and the codes of its values if it is nominal."""

    name: str
    line: int
    codes: dict[str, float] | None

    @property
    def omitted(self) -> float:
        """Its value in a sparse row that omits it: 0, or the first declared value."""
        return 0.0 if self.codes is None else next(iter(self.codes.values()))


def read_header(path: Path, lines: Iterator[Line]) -> list[Attribute]:
    """Read the declarations and the `@data` line; the remaining lines are rows."""
    attributes: list[Attribute] = []
    relation = False
    for line in lines:
        words = tokens(path, line)
        if not words:
            continue
        keyword = words[0].text.lower() if words[0].kind == "word" else ""
        if keyword == "@relation" and not relation and len(words) > 1:
            relation = True
        elif keyword == "@attribute" and relation:
            attributes.append(_attribute(path, line, words[1:]))
        elif keyword == "@data" and attributes and len(words) == 1:
            return attributes
        else:
            rule = "a header must be @relation NAME, then @attribute NAME TYPE lines, then @data"
            raise refused(path, line.number, rule, quoted(line.text))
    raise refused(path, None, "an ARFF file must have a @data line", "none")


def _attribute(path: Path, line: Line, words: list[Token]) -> Attribute:
    if len(words) < 2 or not words[0].is_value:
        rule = "an attribute must have a name and a type"
        raise refused(path, line.number, rule, quoted(line.text))
    name, kind = words[0].text, words[1:]
    if len(kind) == 1 and kind[0].kind == "word" and kind[0].text.lower() in _NUMERIC:
        return Attribute(name, line.number, None)
    if kind[0] == Token("mark", "{") and kind[-1] == Token("mark", "}"):
        return Attribute(name, line.number, _codes(path, line, kind[1:-1]))
    rule = f"the type of an attribute must be {', '.join(_NUMERIC)} or {{values}}"
    _refuse(path, line, rule, kind)


def _codes(path: Path, line: Line, words: list[Token]) -> dict[str, float]:
    """The codes of nominal values: their positions, or the values if all are numbers."""
    values = [word.text for word in words[::2]]
    separated = len(words) % 2 == 1 and all(word == Token("mark", ",") for word in words[1::2])
    if not separated or not all(word.is_value for word in words[::2]):
        _refuse(path, line, "values must be separated by commas in { }", words)
    if len(set(values)) < len(values):
        _refuse(path, line, "the values of an attribute must be distinct", words)
    if all(map(is_number, values)):
        return {value: number(value) for value in values}
    return {value: float(code) for code, value in enumerate(values)}


def _refuse(path: Path, line: Line, rule: str, words: list[Token]) -> NoReturn:
    raise refused(path, line.number, rule, quoted(" ".join(word.text for word in words)))

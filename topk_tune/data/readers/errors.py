"""Errors of readers."""

from pathlib import Path

from topk_tune.data.errors import DataError

_SHOWN = 60


class BadCellError(Exception):
    """A value in a block of rows breaks a rule; the reader adds the file and the line."""

    def __init__(self, row: int, column: int, rule: str) -> None:
        """Take the position in the block, counted from 0."""
        super().__init__(row, column, rule)
        self.row, self.column, self.rule = row, column, rule


def refused(path: Path, place: int | str | None, rule: str, got: str) -> DataError:
    """An error with the file, the line or another place in it, the rule and the value.

    >>> print(refused(Path("a.csv"), 3, "a label must be 0 or 1", "'2'"))
    a.csv:3: a label must be 0 or 1, but got '2'
    """
    where = f"{path}" if place is None else f"{path}:{place}"
    return DataError(f"{where}: {rule}, but got {got}")


def quoted(text: str) -> str:
    """Quote a piece of a file, shortened to fit on a line.

    >>> quoted("abc" * 100)
    "'abcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabcabc...'"
    """
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")

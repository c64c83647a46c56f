"""One frame of the live view of a study, at most as wide as the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

_GAPS = (2, 1)
"""Spaces between columns; the smaller gap is used if it makes room for another column."""
_KEPT = ("who", "what", "value", "loop")
"""Columns that are always shown; others are dropped from the last one on."""
_LEFT = ("who", "what", "host")


@dataclass(frozen=True)
class Line:
    """A line of the table: the best trial, a worker or a finished trial.

    Parameters
    ----------
    cells
        The cells by column.
    style
        The style of the line.
    """

    cells: dict[str, str] = field(default_factory=dict)
    style: str = ""


@dataclass(frozen=True)
class Frame:
    """The content of the live view at a moment.

    Parameters
    ----------
    done, total
        The numbers of finished trials and of all trials; None if unknown.
    counts, time
        Both as texts.
    columns
        The columns of the table, in order.
    lines
        The lines of the table; None for an empty line.
    metric
        The metric in the column "value".
    note, note_style
        The latest error or reason to wait, and its style.
    """

    done: int
    total: int | None
    counts: str
    time: str
    columns: Sequence[str]
    lines: Sequence[Line | None]
    metric: str = "value"
    note: str = ""
    note_style: str = "red"

    def drawn(self, width: int) -> RenderableType:
        """The frame for a terminal of this width."""
        parts: list[RenderableType] = [self._bar(), cut(self.counts), Text(), self._table(width)]
        if self.note:
            parts += [Text(), cut(self.note, self.note_style)]
        return Group(*parts)

    def _bar(self) -> RenderableType:
        grid = Table.grid(padding=(0, 1), expand=True)
        grid.add_column(ratio=1)
        grid.add_column(no_wrap=True)
        of = "" if self.total is None else f"/{self.total}"
        bar = ProgressBar(
            total=self.total, completed=self.done, pulse=self.total is None, complete_style="green"
        )
        grid.add_row(bar, f"{self.done}{of} trials, {self.time}")
        return grid

    def _table(self, width: int) -> RenderableType:
        columns, gap = self._fitting(width)
        table = Table.grid(padding=(0, gap, 0, 0))
        for name in columns:
            table.add_column(justify="left" if name in _LEFT else "right", no_wrap=True)
        table.add_row(*(self._title(name) for name in columns), style="dim")
        for line in self.lines:
            cells, style = (line.cells, line.style) if line else ({}, "")
            table.add_row(*(cells.get(name, "") for name in columns), style=style)
        return table

    def _fitting(self, width: int) -> tuple[list[str], int]:
        """The columns that fit, and the gap between them: a wrapped line would break the view."""
        columns, widths = list(self.columns), {name: self._width(name) for name in self.columns}
        droppable = [name for name in columns if name not in _KEPT]
        while True:
            for gap in _GAPS:
                if sum(widths[name] + gap for name in columns) - gap <= width:
                    return columns, gap
            if not droppable:
                return columns, _GAPS[-1]
            columns.remove(droppable.pop())

    def _title(self, name: str) -> str:
        return {"who": "", "what": "", "value": self.metric}.get(name, name)

    def _width(self, name: str) -> int:
        texts = [line.cells.get(name, "") for line in self.lines if line]
        return max(map(cell_len, [self._title(name), *texts]))


def cut(text: str, style: str = "") -> Text:
    """Text that is cropped to one line."""
    # Without an ellipsis: not every terminal has one that is one column wide.
    return Text(" ".join(text.split()), style, no_wrap=True, overflow="crop")

"""One frame of the live view of a study, at most as wide as the terminal."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from topk_tune.terminal.best_block import Best

_LEAST_HEIGHT = 24
"""The lines of the smallest terminal that is still in use."""
_AROUND = 2
"""Lines for the titles of the table, and for the cursor below the view."""
_WORKERS = 8
"""The most workers; those of a cluster would not fit on a screen."""
_ENDED = 3
"""The least finished trials that workers leave room for."""
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
    searched
        The parameters, which are columns too if all of them fit.
    best, workers, ended
        The best trial, the lines of workers, and those of finished trials.
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
    searched: Sequence[str]
    best: Best | None
    workers: Sequence[Line]
    ended: Sequence[Line]
    metric: str = "value"
    note: str = ""
    note_style: str = "red"

    def drawn(self, width: int, height: int = _LEAST_HEIGHT) -> RenderableType:
        """The frame for a terminal of this size."""
        above: list[RenderableType] = [self._bar(), cut(self.counts), Text()]
        below = [Text(), cut(self.note, self.note_style)] if self.note else []
        first = [Line(self.best.cells, self.best.style), None] if self.best else []
        wide = [*self.columns, *self.searched]
        if self._needed(wide, [*first, *self.workers, *self.ended]) <= width:
            return Group(*above, self._table(wide, first, width), *below)
        if self.best:
            above += [*self.best.block(self.metric, width), Text()]
        room = max(height, _LEAST_HEIGHT) - len(above) - len(below) - _AROUND
        return Group(*above, self._table(self.columns, [], width, room), *below)

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

    def _table(
        self, wanted: Sequence[str], first: Sequence[Line | None], width: int, room: int = 99
    ) -> RenderableType:
        workers = _some(self.workers, min(max(room - _ENDED - 2, 1), _WORKERS))
        ended = self.ended[-max(room - len(workers) - 1, 1) :]
        gap = [None] if workers and ended else []
        lines = [*first, *workers, *gap, *ended]
        columns = self._fitting(wanted, lines, width)
        table = Table.grid(padding=(0, _gap(self._needed(columns, lines), columns, width), 0, 0))
        for name in columns:
            table.add_column(justify="left" if name in _LEFT else "right", no_wrap=True)
        if lines:
            table.add_row(*(self._title(name) for name in columns), style="dim")
        for line in lines:
            cells, style = (line.cells, line.style) if line else ({}, "")
            table.add_row(*(cells.get(name, "") for name in columns), style=style)
        return table

    def _fitting(
        self, wanted: Sequence[str], lines: Sequence[Line | None], width: int
    ) -> list[str]:
        """The columns that fit: a wrapped line would break the view."""
        columns = list(wanted)
        droppable = [name for name in columns if name not in _KEPT]
        while droppable and self._needed(columns, lines) > width:
            columns.remove(droppable.pop())
        return columns

    def _needed(self, columns: Sequence[str], lines: Sequence[Line | None]) -> int:
        """The least width of a table."""
        return sum(self._width(name, lines) + 1 for name in columns) - 1

    def _title(self, name: str) -> str:
        return {"who": "", "what": "", "value": self.metric}.get(name, name)

    def _width(self, name: str, lines: Sequence[Line | None]) -> int:
        texts = [line.cells.get(name, "") for line in lines if line]
        return max(map(cell_len, [self._title(name), *texts]))


def _some(lines: Sequence[Line], most: int) -> list[Line]:
    """The first lines, and the number of the others."""
    rest = len(lines) - most
    more = [Line({"who": f"{rest} more"}, lines[0].style)] if rest > 0 else []
    return [*lines[:most], *more]


def _gap(needed: int, columns: Sequence[str], width: int) -> int:
    """The spaces between columns: two if they have room."""
    return 2 if needed + len(columns) - 1 <= width else 1


def cut(text: str, style: str = "") -> Text:
    """Text that is cropped to one line."""
    # Without an ellipsis: not every terminal has one that is one column wide.
    return Text(" ".join(text.split()), style, no_wrap=True, overflow="crop")

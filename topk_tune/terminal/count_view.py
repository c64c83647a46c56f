"""The view of trainings that are counted: a bar on a terminal, a line now and then elsewhere."""

from collections.abc import Iterable

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from topk_tune.engine import events
from topk_tune.terminal.encoding import visible
from topk_tune.terminal.layout import cut
from topk_tune.terminal.notes import Note

_LINES = 10
"""The most lines about progress where there is no terminal."""


class CountView(Progress):
    """Shows a progress bar, and below it the reason to wait.

    Parameters
    ----------
    console
        Where to show it.
    what
        The title of the bar.
    units
        What is counted.
    """

    def __init__(self, console: Console, what: str, units: str = "trainings") -> None:
        self._note = Note()  # first, because a bar is drawn as soon as it is made
        self._what, self._units = what, units
        self._said = -1
        super().__init__(
            *(TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self.add_task(what, total=None)

    def __call__(self, done: int, total: int) -> None:
        """Update the bar by the finished and total number."""
        self.update(self._task, completed=done, total=total)
        tenth = done * _LINES // max(total, 1)
        if self.disable and tenth > self._said:
            self._said = tenth
            self.console.print(f"{self._what}: {done} of {total} {self._units}")

    def observe(self, notice: events.Notice) -> None:
        """Show the reason to wait."""
        for said in self._note.observe(notice, shown=not self.disable):
            self.console.print(visible(said), soft_wrap=True)

    def get_renderables(self) -> Iterable[RenderableType]:
        """The bar, and the note if there is one."""
        yield from super().get_renderables()
        if text := self._note.text:
            yield cut(text, Note.STYLE)

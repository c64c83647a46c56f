"""Lines and tables on the terminal; `study_views` and `training_views` say more with it."""

import io
import logging
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console as RichConsole
from rich.table import Table

from topk_tune.terminal.encoding import visible
from topk_tune.terminal.folding import folded


class Console:
    """Prints for people on a terminal, and results for programs.

    Attributes
    ----------
    out
        The console of rich, for progress bars and live views.
    began
        When the command began, by the monotonic clock.
    """

    def __init__(self) -> None:
        """Write to the current standard streams."""
        # Markup is off, so that an interval such as "(0, 1]" is printed unchanged.
        self.out = RichConsole(markup=False, highlight=False, emoji=False)
        self._err = RichConsole(markup=False, highlight=False, emoji=False, stderr=True)
        self.set_up()

    def set_up(self) -> None:
        """Begin a command: print everything but details, to standard output."""
        self.out.stderr = False
        self.began = time.monotonic()
        self._level = logging.INFO
        self.log_file: Path | None = None
        self.out.quiet = self.debug = False

    def adjust(
        self,
        *,
        quiet: bool = False,
        verbose: bool = False,
        log_file: Path | None = None,
        debug: bool = False,
    ) -> None:
        """Set the verbosity and the log file, where given; the rest stays as it was set up."""
        self.out.quiet |= quiet
        self.debug |= debug
        self._level = logging.DEBUG if verbose else self._level
        self.log_file = log_file or self.log_file

    @property
    def width(self) -> int:
        """The width of the terminal in characters."""
        return self.out.width

    def say(self, message: str) -> None:
        """Print a line without wrapping it."""
        self.out.print(visible(message), soft_wrap=True)

    def wrapped(self, message: str, indent: int = 0) -> None:
        """Print text with line breaks between its words, and an indent from the second line on."""
        for line in folded(visible(message), self.width, indent):
            self.out.print(line, soft_wrap=True)

    def error(self, message: str) -> None:
        """Print an error to standard error."""
        self._err.print(visible(f"Error: {message}"), soft_wrap=True)

    def step_aside(self) -> None:
        """Print to standard error from now on: standard output is for a program."""
        self.out.stderr = True

    def put(self, text: str) -> None:
        """Write a result for a file or a program: unchanged, in UTF-8, even if quiet."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        sys.stdout.write(text)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> None:
        """Print a table with its first `left` columns left-aligned and the others right-aligned."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        for i, column in enumerate(columns):
            table.add_column(column, justify="left" if i < left else "right", no_wrap=True)
        for row in rows:
            table.add_row(*map(visible, row))
        # As wide as its cells, so that a pipe or a narrow terminal does not truncate numbers.
        endless = self.out.options.update(max_width=10_000)
        table.width = self.out.measure(table, options=endless).maximum
        self.out.print(table, soft_wrap=True)

    @contextmanager
    def following(self, *names: str) -> Iterator[None]:
        """Show log records from INFO up, or from DEBUG up if verbose."""
        loggers, handler = [logging.getLogger(name) for name in names], _Handler(self)
        levels = [logger.level for logger in loggers]
        for logger in loggers:
            logger.addHandler(handler)
            logger.setLevel(self._level)
        try:
            yield
        finally:
            for logger, level in zip(loggers, levels, strict=True):
                logger.removeHandler(handler)
                logger.setLevel(level)


class _Handler(logging.Handler):
    """Passes log records to the console, so that they do not break the progress bar."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.wrapped(record.getMessage(), indent=6)

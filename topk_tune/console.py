"""All that the terminal shows."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console as RichConsole
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:  # these import numba and numpy, for which `topk-tune version` need not wait
    from topk_tune.data import Dataset
    from topk_tune.trial import TrialConfig, TrialResult


class Console:
    """Prints for people on a terminal, and the same lines without a bar anywhere else."""

    def __init__(self) -> None:
        """Write to the standard streams of the moment."""
        # Markup is off: an interval such as "(0, 1]" in a message must come out as it is.
        self._out = RichConsole(markup=False, highlight=False, emoji=False)
        self._err = RichConsole(markup=False, highlight=False, emoji=False, stderr=True)

    def say(self, message: str) -> None:
        """Print a line, never broken at the width of the terminal."""
        self._out.print(message, soft_wrap=True)

    def error(self, message: str) -> None:
        """Print what went wrong, to standard error."""
        self._err.print(f"Error: {message}", soft_wrap=True)

    def trial_starts(self, config: "TrialConfig", data: "Dataset", seed: int) -> None:
        """Print what is about to be trained, on what."""
        parameters = ", ".join(f"{name} {value}" for name, value in config.parameters.items())
        self.say(
            f"{config.algorithm} on {data.name}: {len(data.X_train):,} training rows, "
            f"{len(data.X_test):,} test rows, {data.n_features} features, {data.n_labels} labels"
        )
        self.say(f"loops {config.loops}, {parameters}, seed {seed}")

    @contextmanager
    def loops(self, total: int) -> Iterator[Callable[[int, float], None]]:
        """Show a bar while loops run; yields what is to be called after each with its loss."""
        columns = (TextColumn("training"), BarColumn(), TimeRemainingColumn())
        terminal = self._out.is_terminal
        with Progress(*columns, console=self._out, transient=True, disable=not terminal) as bar:
            task = bar.add_task("training", total=total)

            def report(loop: int, loss: float) -> None:
                self.say(f"loop {loop:>{len(str(total))}}/{total}: weighted rank loss {loss:.4f}")
                bar.update(task, completed=loop)

            yield report

    def trial_ends(self, result: "TrialResult") -> None:
        """Print the loss on the test rows and the speed."""
        speed = result.rounds / max(result.seconds, 1e-9)
        self.say(
            f"test: weighted rank loss {result.test_loss:.4f} (predict each row, then learn it)"
        )
        self.say(
            f"{result.rounds:,} rounds in {result.seconds:.1f} s: {speed:,.0f} rounds a second"
        )

    @contextmanager
    def following(self, logger_name: str) -> Iterator[None]:
        """Show what a logger says, from INFO up."""
        logger, handler = logging.getLogger(logger_name), _Handler(self)
        level = logger.level
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)


class _Handler(logging.Handler):
    """Passes log records on to the console, so that they do not tear the progress bar."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.say(record.getMessage())

"""How a running study looks: a live view on a terminal, plain lines anywhere else."""

import time
from collections import deque
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from topk_tune.backends.base import WorkerView
    from topk_tune.events import Notice, TrialEnded
    from topk_tune.records import TrialRecord

_LAST = 6
"""Finished trials that the live view shows."""


class StudyView:
    """Shows a study while it runs.

    Parameters
    ----------
    console
        Where.
    quiet
        Whether to show nothing.
    """

    def __init__(self, console: Console, quiet: bool = False) -> None:
        self._console = console
        self._quiet = quiet
        self._live: Live | None = None
        self._counts = {"complete": 0, "pruned": 0, "failed": 0}
        self._total: int | None = None
        self._best: TrialRecord | None = None
        self._last: deque[TrialRecord] = deque(maxlen=_LAST)
        self._workers: list[WorkerView] = []
        self._loops: dict[int, str] = {}
        self._configs: dict[int, str] = {}
        self._earlier = 0
        self._began = time.monotonic()

    def __enter__(self) -> "StudyView":
        if self._console.is_terminal and not self._quiet:
            self._live = Live(
                get_renderable=self._render, console=self._console, refresh_per_second=4
            )
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def observe(self, notice: "Notice") -> None:
        """Take a notice of the study into the view."""
        from topk_tune import events

        match notice:
            case events.StudyStarted(_, trials, earlier):
                self._total = trials
                self._earlier = len(earlier)
                for record in earlier:
                    self._count(record)
            case events.TrialStarted(number, config, _):
                self._configs[number] = shown(config)
                self._loops[number] = "starting"
            case events.LoopDone(number, repeat, report):
                self._loops[number] = f"seed {repeat + 1}, loop {report.loop}: {report.loss:.4f}"
            case events.WorkersSeen(workers):
                self._workers = list(workers)
            case events.TrialEnded(record):
                self._end(notice)

    def _end(self, notice: "TrialEnded") -> None:
        record, before = notice.record, self._best
        self._count(record)
        self._last.append(record)
        if self._live is None and not self._quiet:
            better = " *best so far*" if self._best is not before else ""
            self._console.print(f"{line(record)}{better}", soft_wrap=True)

    def _count(self, record: "TrialRecord") -> None:
        self._counts[record.state] += 1
        if record.state == "complete" and record.loss is not None:
            best = self._best.loss if self._best else None
            if best is None or record.loss < best:
                self._best = record

    def _render(self) -> RenderableType:
        parts: list[RenderableType] = [self._bar()]
        if self._best is not None:
            parts.append(Text(f"best so far: {line(self._best)}", style="bold", overflow="fold"))
        parts.append(self._workers_table())
        parts += [Text(line(record), style="dim", overflow="ellipsis") for record in self._last]
        return Group(*parts)

    def _bar(self) -> RenderableType:
        done = sum(self._counts.values())
        table = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=self._total or max(done, 1), completed=done, width=30)
        of = f"/{self._total}" if self._total else ""
        counts = f"{self._counts['pruned']} pruned, {self._counts['failed']} failed"
        table.add_row(bar, f"{done}{of} trials", counts, self._time_left(done))
        return table

    def _time_left(self, done: int) -> str:
        new, elapsed = done - self._earlier, time.monotonic() - self._began
        if not new or self._total is None:
            return f"{duration(elapsed)} so far"
        return f"{duration(elapsed / new * (self._total - done))} left"

    def _workers_table(self) -> RenderableType:
        table = Table.grid(padding=(0, 1))
        for worker in self._workers:
            if worker.task is None:
                table.add_row(worker.name, worker.host, "idle")
            else:
                what = f"trial {worker.task}: {self._loops.get(worker.task, '')}"
                table.add_row(worker.name, worker.host, what, self._configs.get(worker.task, ""))
        return table


def line(record: "TrialRecord") -> str:
    """A finished trial in one line."""
    if record.state == "failed":
        return f"trial {record.number} failed: {record.error}"
    if record.loss is None:
        return f"trial {record.number} {record.state}"
    spread = "" if record.spread is None else f" ± {record.spread:.4f}"
    reused = " (reused)" if record.reused else ""
    return (
        f"trial {record.number} {record.state}: {record.loss:.4f}{spread} after "
        f"{record.best_loop} loops, {record.seconds:.1f} s{reused}  {shown(record.config)}"
    )


def shown(config: Mapping[str, Any]) -> str:
    """A configuration in one line."""
    return ", ".join(
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}"
        for name, value in config.items()
    )


def duration(seconds: float) -> str:
    """A time in words."""
    seconds = int(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"

"""The view of a running study: live on a terminal, plain lines anywhere else."""

import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from topk_tune.backends.base import WorkerView
from topk_tune.engine import events
from topk_tune.records.trials import TrialRecord, ranked
from topk_tune.records.wording import duration, trial_line, value_text
from topk_tune.terminal.encoding import visible
from topk_tune.terminal.layout import Frame, Line, cut
from topk_tune.training.objective import Objective

_LAST = 6
"""The number of finished trials in the live view."""
_WORKERS = 8
"""The number of workers in the live view; those of a cluster would not fit on a screen."""

_WAITING = "yellow"
_STYLES = {"complete": "", "pruned": "dim", "failed": "red"}


class StudyView:
    """Shows a study while it runs.

    Parameters
    ----------
    console
        Where to show it.
    searched
        The parameters that differ between trials.
    quiet
        Whether to show nothing.
    objective
        The objective of the study.
    """

    def __init__(
        self,
        console: Console,
        searched: Sequence[str] = (),
        quiet: bool = False,
        objective: Objective | None = None,
    ) -> None:
        self._console = console
        self._objective = objective or Objective()
        self._searched = list(searched)
        self._quiet = quiet
        self._live: Live | None = None
        self._counts = {"complete": 0, "pruned": 0, "failed": 0}
        self._total: int | None = None
        self._best: TrialRecord | None = None
        self._last: deque[TrialRecord] = deque(maxlen=_LAST)
        self._error = ""
        self._waiting = ""
        self._workers: list[WorkerView] = []
        self._running: dict[int, dict[str, str]] = {}
        self._loops: dict[int, int] = {}
        self._earlier = 0
        self._began = time.monotonic()

    def __enter__(self) -> "StudyView":
        terminal = self._console.is_terminal and not self._console.is_dumb_terminal
        if terminal and not self._quiet:
            self._live = Live(self, console=self._console, refresh_per_second=4)
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

    def observe(self, notice: events.Notice) -> None:
        """Update the view by a notice of the study."""
        match notice:
            case events.StudyStarted(_, trials, earlier):
                self._total = trials
                self._earlier = len(earlier)
                for record in earlier:
                    self._count(record)
            case events.TrialStarted(number, config, _):
                self._loops[number] = config["loops"]
                self._running[number] = {**self._parameters(config), "loop": "starts"}
            case events.LoopDone(number, repeat, report):
                seed = f"seed {repeat + 1}, " if repeat else ""
                now = f"{seed}{report.loop}/{self._loops[number]}"
                value = self._objective.value(report.metrics)
                news = {"loop": now, "value": f"{value:.4f}"}
                self._running[number] = {**self._running[number], **news}
            case events.WorkersSeen(workers):
                self._workers = list(workers)
            case events.TrialEnded(record):
                self._end(notice)
            case events.Waiting(reason, advice):
                self._wait(reason, advice)
            case events.StudyEnded():
                self._workers = []
                self._waiting = ""

    def _wait(self, reason: str | None, advice: str | None) -> None:
        self._waiting = visible(reason or "")
        said = advice or (reason if self._live is None else None)
        if said and not self._quiet:
            self._console.print(visible(said), soft_wrap=True)

    def _end(self, notice: events.TrialEnded) -> None:
        record, before = notice.record, self._best
        self._count(record)
        self._last.append(record)
        self._running.pop(record.number, None)
        self._loops.pop(record.number, None)
        if record.error is not None:
            self._error = visible(trial_line(record))
        if self._live is None and not self._quiet:
            better = " *best so far*" if self._best is not before else ""
            self._console.print(visible(f"{trial_line(record)}{better}"), soft_wrap=True)

    def _count(self, record: TrialRecord) -> None:
        self._counts[record.state] += 1
        if record.state == "complete" and record.value is not None:
            self._best = ranked([record, *filter(None, [self._best])])[0]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the current view."""
        done = sum(self._counts.values())
        lines = list(self._lines())
        hosts = ["host"] if len({worker.host for worker in self._workers}) > 1 else []
        spread = ["spread"] if any(line and "spread" in line.cells for line in lines) else []
        frame = Frame(
            done=done,
            total=self._total,
            counts=", ".join(f"{count} {state}" for state, count in self._counts.items()),
            time=self._time(done),
            columns=["who", "what", "value", *spread, "loop", "time", *hosts, *self._searched],
            lines=lines,
            metric=self._objective.words,
            note=self._waiting or self._error,
            note_style=_WAITING if self._waiting else "red",
        )
        yield frame.drawn(options.max_width)

    def _lines(self) -> Iterator[Line | None]:
        if self._best is not None:
            yield self._finished("best", f"trial {self._best.number}", self._best, "bold green")
            yield None
        for worker in self._workers[:_WORKERS]:
            running = self._running.get(-1 if worker.task is None else worker.task)
            what = "idle" if running is None else f"trial {worker.task}"
            cells = {"who": worker.name, "what": what, "host": worker.host}
            yield Line({**cells, **(running or {})}, "cyan")
        if len(self._workers) > _WORKERS:
            yield Line({"who": f"{len(self._workers) - _WORKERS} more"}, "cyan")
        if self._workers:
            yield None
        for record in list(self._last):  # a copy, because another thread draws it
            name, state = f"trial {record.number}", record.state
            yield self._finished(name, state, record, _STYLES[state])

    def _finished(self, who: str, what: str, record: TrialRecord, style: str) -> Line:
        cells = {"who": who, "what": what, **self._parameters(record.config)}
        if record.value is not None:
            cells["value"] = f"{record.value:.4f}"
            cells["loop"] = f"{record.best_loop}/{record.config['loops']}"
            cells["time"] = "reused" if record.reused else f"{record.seconds:.1f} s"
        if record.spread is not None:
            cells["spread"] = f"{record.spread:.4f}"
        return Line(cells, style)

    def _parameters(self, config: Mapping[str, Any]) -> dict[str, str]:
        return {name: value_text(config[name]) for name in self._searched if name in config}

    def _time(self, done: int) -> str:
        new, elapsed = done - self._earlier, time.monotonic() - self._began
        if not new or self._total is None:
            return f"{duration(elapsed)} so far"
        return f"{duration(elapsed / new * max(self._total - done, 0))} left"


class CountView(Progress):
    """Shows a progress bar, and below it the reason to wait.

    Parameters
    ----------
    console
        Where to show it. Without a terminal, only lines about waiting are printed.
    what
        The title of the bar.
    """

    def __init__(self, console: Console, what: str) -> None:
        self._note = ""  # first, because a bar is drawn as soon as it is made
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

    def observe(self, notice: events.Notice) -> None:
        """Show the reason to wait."""
        if isinstance(notice, events.Waiting):
            self._note = visible(notice.reason or "")
            said = notice.advice or (notice.reason if self.disable else None)
            if said:
                self.console.print(visible(said), soft_wrap=True)

    def get_renderables(self) -> Iterable[RenderableType]:
        """The bar, and the note if there is one."""
        yield from super().get_renderables()
        if self._note:
            yield cut(self._note, _WAITING)

"""The view of a running study: live on a terminal, plain lines anywhere else."""

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live

from topk_tune.backends.base import WorkerView
from topk_tune.engine import events
from topk_tune.records.trials import TrialRecord, ranked
from topk_tune.records.wording import duration, outcome_line, value_text
from topk_tune.terminal.best_block import Best
from topk_tune.terminal.encoding import visible
from topk_tune.terminal.folding import folded
from topk_tune.terminal.layout import Frame, Line
from topk_tune.terminal.notes import Note
from topk_tune.terminal.time_left import TimeLeft
from topk_tune.training.objective import Objective

_LAST = 6
"""The number of finished trials in the live view."""
_INDENT = 4

_STYLES = {"complete": "", "paused": "dim", "pruned": "dim", "failed": "red"}


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
        self._paused: set[int] = set()
        self._total: int | None = None
        self._best: TrialRecord | None = None
        self._last: deque[TrialRecord] = deque(maxlen=_LAST)
        self._error = ""
        self._note = Note("preparing the study")
        self._workers: list[WorkerView] = []
        self._running: dict[int, dict[str, str]] = {}
        self._loops: dict[int, int] = {}
        self._left = TimeLeft()
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
        self._note = Note()
        if self._live is not None:
            self._live.stop()

    def observe(self, notice: events.Notice) -> None:
        """Update the view by a notice of the study."""
        match notice:
            case events.StudyStarted(_, trials, earlier):
                self._total = trials
                for record in earlier:
                    self._count(record)
            case events.TrialStarted(number, config, _):
                self._left.start(number)
                self._paused.discard(number)
                self._note = Note()
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
            case events.TrialPaused(record):
                self._pause(record)
            case events.TrialEnded(record):
                self._end(record)
            case events.Waiting() | events.Sending():
                for said in self._note.observe(notice, shown=self._live is not None):
                    self._print(said)
            case events.StudyEnded():
                self._workers = []
                self._note = Note()

    def _pause(self, record: TrialRecord) -> None:
        before = self._best
        self._left.pause(record.number)
        self._paused.add(record.number)
        self._improve(record)
        self._show(record, before)

    def _end(self, record: TrialRecord) -> None:
        before = self._best
        self._count(record)
        self._left.end(record.number, reused=bool(record.reused))
        self._loops.pop(record.number, None)
        if record.error is not None:
            self._error = visible(outcome_line(record))
        if record.number not in self._paused:  # else it was shown when it paused
            self._show(record, before)
        self._paused.discard(record.number)

    def _show(self, record: TrialRecord, before: TrialRecord | None) -> None:
        """Show a trial that has ended or paused, and whether it is better than all before."""
        self._last.append(record)
        self._running.pop(record.number, None)
        if self._live is None:
            self._say_ended(record, better=self._best is not before)

    def _say_ended(self, record: TrialRecord, better: bool) -> None:
        """Print a line about a trial, and the parameters of the best so far."""
        self._print(f"{outcome_line(record)}{' *best so far*' if better else ''}")
        if better:
            pairs = self._parameters(record.config).items()
            self._print(", ".join(f"{name} {value}" for name, value in pairs), _INDENT)

    def _print(self, text: str, indent: int = 0) -> None:
        if not self._quiet:
            # Not where a path could be: what is copied from there must be whole.
            lines = folded(" " * indent + visible(text), self._console.width, indent)
            self._console.print("\n".join(lines) if indent else visible(text), soft_wrap=True)

    def _count(self, record: TrialRecord) -> None:
        self._counts[record.state] += 1
        self._improve(record)

    def _improve(self, record: TrialRecord) -> None:
        self._best = next(iter(ranked([record, *filter(None, [self._best])])), None)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the current view."""
        counts = {**self._counts, **({"paused": len(self._paused)} if self._paused else {})}
        done = sum(counts.values())
        hosts = ["host"] if len({worker.host for worker in self._workers}) > 1 else []
        last = list(self._last)  # a copy, because another thread draws it
        spread = ["spread"] if any(r.spread is not None for r in [*last, *self._found()]) else []
        note = self._note.text
        frame = Frame(
            done=done,
            total=self._total,
            counts=", ".join(f"{count} {state}" for state, count in counts.items()),
            time=self._time(done),
            columns=["who", "what", "value", *spread, "loop", "time", *hosts],
            searched=self._searched,
            best=next(map(self._best_part, self._found()), None),
            workers=list(self._worker_lines()),
            ended=[self._finished(f"trial {r.number}", r.state, r, _STYLES[r.state]) for r in last],
            metric=self._objective.words,
            note=note or self._error,
            note_style=Note.STYLE if note else "red",
        )
        yield frame.drawn(options.max_width, console.height)

    def _found(self) -> list[TrialRecord]:
        return [] if self._best is None else [self._best]

    def _best_part(self, record: TrialRecord) -> Best:
        line = self._finished("best", f"trial {record.number}", record, "")
        return Best(line.cells, self._parameters(record.config))

    def _worker_lines(self) -> Iterator[Line]:
        for worker in self._workers:
            running = self._running.get(-1 if worker.task is None else worker.task)
            what = "idle" if running is None else f"trial {worker.task}"
            cells = {"who": worker.name, "what": what, "host": worker.host}
            yield Line({**cells, **(running or {})}, "cyan")

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
        so_far = f"{duration(time.monotonic() - self._began)} so far"
        if self._total is None or self._total <= done:
            return so_far
        return self._left.text(self._total - done) or so_far

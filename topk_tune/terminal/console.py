"""All output to the terminal."""

import io
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console as RichConsole
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from topk_tune.terminal.encoding import visible

if TYPE_CHECKING:  # these import numba and numpy, for which `topk-tune version` need not wait
    from topk_tune.data import Dataset
    from topk_tune.records.trials import Confirmation
    from topk_tune.study.confirmed_figures import Figures
    from topk_tune.study.context import Context
    from topk_tune.study.dry_run import DryRun
    from topk_tune.study.study import Study
    from topk_tune.terminal.live import CountView, StudyView
    from topk_tune.training.baselines import Baseline
    from topk_tune.training.trial import LoopReport, TrialConfig


class Console:
    """Prints with progress bars on a terminal, and plain lines anywhere else."""

    def __init__(self) -> None:
        """Write to the current standard streams."""
        # Markup is off, so that an interval such as "(0, 1]" is printed unchanged.
        self._out = RichConsole(markup=False, highlight=False, emoji=False)
        self._err = RichConsole(markup=False, highlight=False, emoji=False, stderr=True)
        self.set_up()

    def set_up(
        self,
        *,
        quiet: bool = False,
        verbose: bool = False,
        log_file: Path | None = None,
        debug: bool = False,
    ) -> None:
        """Set the verbosity and the log file."""
        self._out.quiet = quiet
        self._out.stderr = False
        self._level = logging.DEBUG if verbose else logging.INFO
        self.log_file = log_file
        self.debug = debug

    @property
    def width(self) -> int:
        """The width of the terminal in characters."""
        return self._out.width

    def say(self, message: str) -> None:
        """Print a line without wrapping it."""
        self._out.print(visible(message), soft_wrap=True)

    def error(self, message: str) -> None:
        """Print an error to standard error."""
        self._err.print(visible(f"Error: {message}"), soft_wrap=True)

    def step_aside(self) -> None:
        """Print to standard error from now on: standard output is for a program."""
        self._out.stderr = True

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
        endless = self._out.options.update(max_width=10_000)
        table.width = self._out.measure(table, options=endless).maximum
        self._out.print(table, soft_wrap=True)

    def trial_starts(self, config: "TrialConfig", data: "Dataset", seed: int) -> None:
        """Print the configuration and the data set before training."""
        parameters = ", ".join(f"{name} {value}" for name, value in config.parameters.items())
        self.say(
            f"{config.algorithm} on {data.name}: {len(data.X_train):,} training rows, "
            f"{len(data.X_test):,} test rows, {data.n_features} features, {data.n_labels} labels"
        )
        self.say(f"loops {config.loops}, {parameters}, seed {seed}")

    @contextmanager
    def loops(self, total: int) -> Iterator[Callable[["LoopReport"], None]]:
        """Show a progress bar over loops; yields a function to call after each."""
        columns = (TextColumn("training"), BarColumn(), TimeRemainingColumn())
        terminal = self._out.is_terminal
        with Progress(*columns, console=self._out, transient=True, disable=not terminal) as bar:
            task = bar.add_task("training", total=total)

            def report(now: "LoopReport") -> None:
                self.say(
                    f"loop {now.loop:>{len(str(total))}}/{total}: greedy loss "
                    f"{now.metrics['train_loss']:.4f} in training, "
                    f"{now.metrics['greedy_loss']:.4f} on the test rows; "
                    f"shown loss {now.metrics['shown_loss']:.4f} on the test rows"
                )
                bar.update(task, completed=now.loop)

            yield report

    def trial_ends(self, last: "LoopReport") -> None:
        """Print the losses on the test rows and the speed."""
        speed = last.rounds / max(last.seconds, 1e-9)
        self.say(
            f"test: weighted rank loss {last.metrics['shown_loss']:.4f} of what is shown, "
            f"{last.metrics['greedy_loss']:.4f} before exploration "
            "(predict each row, then learn it)"
        )
        self.say(
            f"{last.rounds:,} training rounds in {last.seconds:.1f} s: "
            f"{speed:,.0f} rounds per second"
        )

    def study(self, study: "Study", quiet: bool = False) -> "StudyView":
        """Print the settings of a study and return the view of its run."""
        from topk_tune.records.wording import objective_line
        from topk_tune.spaces import Fixed
        from topk_tune.terminal.live import StudyView

        settings = study.settings
        if quiet:
            return StudyView(self._out, quiet=True)
        self.say(
            f"study {settings.name}: {settings.dataset} ({settings.fingerprint[:12]}), "
            f"{settings.sampler} search, "
            f"{'no' if settings.pruner == 'none' else settings.pruner} pruning, "
            f"{settings.seeds} seed{'s' if settings.seeds > 1 else ''} per configuration"
        )
        self.say(f"the objective is the {objective_line(settings)}")
        self._places(study)
        searched = [n for n, p in study.space.parameters.items() if not isinstance(p, Fixed)]
        return StudyView(self._out, searched, self._out.quiet, settings.goal)

    def study_ends(self, study: "Study", reason: str) -> None:
        """Print why a study ended, its best trial, its location and the next commands."""
        from topk_tune.records.wording import objective_line, trial_line
        from topk_tune.study.context import kept

        name, best = study.settings.name, study.best()
        self.say(f"stopped: {reason}")
        if best is not None:
            self.say(f"best: {trial_line(best)}")
            self.say(f"      {objective_line(study.settings)}; not confirmed on fresh seeds yet")
        context = kept(study)
        self._beside(context.tuning)
        if study.settings.runtime_objective:
            self.say(f"the Pareto front of {study.settings.goal.words} and time:")
            for record in study.pareto():
                self.say(f"      {trial_line(record)}")
        self._places(study)
        self._caveats(context.caveats(study.space, best))
        where = study.store.location.option
        self.say(f"next: topk-tune confirm {name}{where}   (fresh seeds, then the test rows)")
        self.say(f"      topk-tune export {name}{where}    (the best configuration as YAML)")
        self.say(f"      topk-tune report {name}{where}    (everything on one HTML page)")
        if reason == "interrupted":
            self.say(f"      topk-tune resume {name}{where}    (continue where it stopped)")
        else:
            self.say(f"      topk-tune resume {name}{where} --trials +20")

    def _beside(self, baselines: "Sequence[Baseline]") -> None:
        """Print the baselines on the same rows."""
        if baselines:
            others = ", ".join(f"{each.name} {each.loss:.4f}" for each in baselines)
            self.say(f"baselines, weighted rank loss on the same rows: {others}")

    def _places(self, study: "Study") -> None:
        """Print where the parts of a study are stored."""
        there = study.store.location.host
        self.say(f"storage: {study.store.location.printable}{there}")
        self.say(f"log: {self.log_of(study)}{there}")

    def log_of(self, study: "Study") -> Path:
        """The log file of a study."""
        folder = study.store.location.folder(study.settings.name)
        return self.log_file or folder / "log.txt"

    def estimated(self, found: "DryRun") -> None:
        """Print what a study would do and how long it would take."""
        from topk_tune.records.wording import config_line, duration

        self.say("configuration, space, data and machines are valid; for example:")
        for config in found.samples:
            self.say(f"  {config_line(config)}")
        self.say(f"a loop took {found.loop_seconds:.2f} s with {config_line(found.timed)}")
        others = ", ".join(f"{each.name} {each.loss:.4f}" for each in found.baselines)
        self.say(f"baselines, weighted rank loss on the rows that measure: {others}")
        if found.seconds is None:
            self.say("no time estimate without a number of trials")
            return
        self.say(
            f"at most about {duration(found.seconds)} on {found.workers} workers, "
            f"{found.cpu_hours:.2f} CPU hours; pruning makes it shorter"
        )

    def studies(self, studies: "Sequence[Study]", where: str) -> None:
        """Print a table of studies."""
        if not studies:
            self.say(f"no study in {where} yet: topk-tune run")
            return
        rows = []
        for study in studies:
            records, best = study.records(), study.best()
            value = "" if best is None else f"{best.value:.4f}"
            done = sum(r.state in ("complete", "pruned", "failed") for r in records)
            settings = study.settings
            rows.append((settings.name, settings.dataset, settings.objective, str(done), value))
        self.table(("study", "data set", "objective", "trials", "best"), rows, left=3)

    def status(self, study: "Study", last: int, context: "Context") -> None:
        """Print the status of a study and its latest trials."""
        from topk_tune.records.wording import objective_line, trial_line

        records, best = study.records(), study.best()
        counts = Counter(record.state for record in records)
        self.say(f"study {study.settings.name} on {study.settings.dataset}: {_counted(counts)}")
        for record in records[-last:]:
            self.say(trial_line(record))
        if best is not None:
            self.say(f"best: {trial_line(best)}")
            self.say(f"      {objective_line(study.settings)}")
            self._beside(context.tuning)
        if not context.tuning:
            name, where = study.settings.name, study.store.location.option
            self.say(f"baselines are not computed yet: run topk-tune report {name}{where}")

    def confirmed(
        self, study: "Study", confirmed: "Sequence[Confirmation]", context: "Context"
    ) -> None:
        """Print confirmations as a table, best first, and the test results of the first."""
        from topk_tune.study.confirmed_figures import UNTESTED, ranking, tested

        if not confirmed:
            self.say("nothing confirmed yet")
            return
        self._figures(ranking(confirmed, study.settings))
        if confirmed[0].runs:
            self._figures(tested(confirmed[0], context.test))
        else:
            self.say(f"trial {confirmed[0].trial}: {UNTESTED}")
        self._caveats(context.caveats(study.space, study.best(), confirmed))

    def _figures(self, figures: "Figures") -> None:
        self.say(figures.title)
        self.table(figures.columns, [list(map(_figure, row)) for row in figures.rows])

    def _caveats(self, caveats: "Sequence[str]") -> None:
        for each in caveats:
            self.say(f"note: {each}")

    @contextmanager
    def counting(self, what: str) -> Iterator["CountView"]:
        """Show a progress bar; yields a function that takes the finished and total number."""
        from topk_tune.terminal.live import CountView

        with CountView(self._out, what) as view:
            yield view

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


def _figure(value: str | int | float | None) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return "" if value is None else str(value)


def _counted(counts: Mapping[Any, int]) -> str:
    """The numbers of trials by state as a text."""
    return ", ".join(f"{count} {state}" for state, count in counts.items()) or "no trials yet"


class _Handler(logging.Handler):
    """Passes log records to the console, so that they do not break the progress bar."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.say(record.getMessage())

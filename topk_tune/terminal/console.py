"""All that the terminal shows."""

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
    """Prints for people on a terminal, and the same lines without a bar anywhere else."""

    def __init__(self) -> None:
        """Write to the standard streams of the moment."""
        # Markup is off: an interval such as "(0, 1]" in a message must come out as it is.
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
        """How much to show, and where logs go."""
        self._out.quiet = quiet
        self._out.stderr = False
        self._level = logging.DEBUG if verbose else logging.INFO
        self.log_file = log_file
        self.debug = debug

    @property
    def width(self) -> int:
        """Characters that a line of the terminal holds."""
        return self._out.width

    def say(self, message: str) -> None:
        """Print a line, never broken at the width of the terminal."""
        self._out.print(visible(message), soft_wrap=True)

    def error(self, message: str) -> None:
        """Print what went wrong, to standard error."""
        self._err.print(visible(f"Error: {message}"), soft_wrap=True)

    def step_aside(self) -> None:
        """Say everything on standard error from now on: standard output is for a program."""
        self._out.stderr = True

    def put(self, text: str) -> None:
        """Write what was asked for, for a file or a program: as it is, in UTF-8, also if quiet."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
        sys.stdout.write(text)

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> None:
        """Print a table, its first `left` columns aligned to the left and the others as figures."""
        table = Table(box=None, pad_edge=False, header_style="bold")
        for i, column in enumerate(columns):
            table.add_column(column, justify="left" if i < left else "right", no_wrap=True)
        for row in rows:
            table.add_row(*map(visible, row))
        # As wide as its cells: a pipe or a narrow terminal must not cut figures off.
        endless = self._out.options.update(max_width=10_000)
        table.width = self._out.measure(table, options=endless).maximum
        self._out.print(table, soft_wrap=True)

    def trial_starts(self, config: "TrialConfig", data: "Dataset", seed: int) -> None:
        """Print what is about to be trained, on what."""
        parameters = ", ".join(f"{name} {value}" for name, value in config.parameters.items())
        self.say(
            f"{config.algorithm} on {data.name}: {len(data.X_train):,} training rows, "
            f"{len(data.X_test):,} test rows, {data.n_features} features, {data.n_labels} labels"
        )
        self.say(f"loops {config.loops}, {parameters}, seed {seed}")

    @contextmanager
    def loops(self, total: int) -> Iterator[Callable[["LoopReport"], None]]:
        """Show a bar while loops run; yields what is to be called after each."""
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
            f"{last.rounds:,} training rounds in {last.seconds:.1f} s: {speed:,.0f} rounds a second"
        )

    def study(self, study: "Study", quiet: bool = False) -> "StudyView":
        """The view of a study while it runs; says first what is about to run."""
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
            f"{settings.seeds} seed{'s' if settings.seeds > 1 else ''} a configuration"
        )
        self.say(f"the objective is the {objective_line(settings)}")
        self._places(study)
        searched = [n for n, p in study.space.parameters.items() if not isinstance(p, Fixed)]
        return StudyView(self._out, searched, self._out.quiet, settings.goal)

    def study_ends(self, study: "Study", reason: str) -> None:
        """Print why a study ended, its best trial, where it lies and what to do next."""
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
            self.say(f"      topk-tune resume {name}{where}    (go on where it stopped)")
        else:
            self.say(f"      topk-tune resume {name}{where} --trials +20")

    def _beside(self, baselines: "Sequence[Baseline]") -> None:
        """Print what others reach on the same rows."""
        if baselines:
            others = ", ".join(f"{each.name} {each.loss:.4f}" for each in baselines)
            self.say(f"beside it, weighted rank loss on the same rows: {others}")

    def _places(self, study: "Study") -> None:
        """Print where the parts of a study lie."""
        there = study.store.location.host
        self.say(f"storage: {study.store.location.printable}{there}")
        self.say(f"log: {self.log_of(study)}{there}")

    def log_of(self, study: "Study") -> Path:
        """The file that logs of a study go to."""
        folder = study.store.location.folder(study.settings.name)
        return self.log_file or folder / "log.txt"

    def estimated(self, found: "DryRun") -> None:
        """Print what a study would do, and how long it would take."""
        from topk_tune.records.wording import config_line, duration

        self.say("configuration, space, data and machines are in order; for example:")
        for config in found.samples:
            self.say(f"  {config_line(config)}")
        self.say(f"a loop took {found.loop_seconds:.2f} s with {config_line(found.timed)}")
        others = ", ".join(f"{each.name} {each.loss:.4f}" for each in found.baselines)
        self.say(f"to be beaten, weighted rank loss on the rows that measure: {others}")
        if found.seconds is None:
            self.say("without a number of trials there is no estimate")
            return
        self.say(
            f"at most about {duration(found.seconds)} on {found.workers} workers, "
            f"{found.cpu_hours:.2f} CPU hours; pruning makes it shorter"
        )

    def studies(self, studies: "Sequence[Study]", where: str) -> None:
        """List studies, a row each."""
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
        """Print how a study stands, with its latest trials."""
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
            self.say(f"baselines are not known: topk-tune report {name}{where} has them")

    def confirmed(
        self, study: "Study", confirmed: "Sequence[Confirmation]", context: "Context"
    ) -> None:
        """Print confirmations as a table, best first, and the tests of the first."""
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
        """Show a bar over pieces of work; yields what hears how many are done of how many."""
        from topk_tune.terminal.live import CountView

        with CountView(self._out, what) as view:
            yield view

    @contextmanager
    def following(self, *names: str) -> Iterator[None]:
        """Show what loggers say, from INFO up, or from DEBUG up if details are wanted."""
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
    """Numbers of trials by state, in words."""
    return ", ".join(f"{count} {state}" for state, count in counts.items()) or "no trial yet"


class _Handler(logging.Handler):
    """Passes log records on to the console, so that they do not tear the progress bar."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console

    def emit(self, record: logging.LogRecord) -> None:
        self._console.say(record.getMessage())

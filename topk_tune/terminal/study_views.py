"""What is said of studies: before, after, and when somebody asks how they stand."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from topk_tune.records.trials import Confirmation, TrialRecord
from topk_tune.records.wording import (
    between,
    config_line,
    objective_line,
    origins_line,
    outcome_line,
)
from topk_tune.spaces import Fixed
from topk_tune.study.confirmed_figures import UNTESTED, Figures, ranking, tested
from topk_tune.study.context import Context, kept
from topk_tune.study.dry_run import DryRun
from topk_tune.study.extension import Extension
from topk_tune.study.study import Study
from topk_tune.terminal.console import Console
from topk_tune.terminal.live import StudyView
from topk_tune.training.baselines import Baseline
from topk_tune.training.metrics import loss_of_baselines

_INDENT = 6
"""Spaces before what belongs to the line above."""
_LEAST_COLUMNS = 3


def study_starts(console: Console, study: Study, quiet: bool = False) -> StudyView:
    """Print the settings of a study and return the view of its run."""
    settings = study.settings
    if quiet:
        return StudyView(console.out, quiet=True)
    console.wrapped(
        f"study {settings.name}: {settings.data_name} ({settings.fingerprint[:12]}), "
        f"{settings.sampler} search, "
        f"{'no' if settings.pruner == 'none' else settings.pruner} pruning, "
        f"{settings.seeds} seed{'s' if settings.seeds > 1 else ''} per configuration"
    )
    console.wrapped(f"the objective is the {objective_line(settings)}")
    _fixed(console, study)
    if settings.origins:
        console.wrapped(f"starting with {origins_line(settings)}")
    _places(console, study)
    return StudyView(console.out, searched_names(study), console.out.quiet, settings.goal)


def searched_names(study: Study) -> list[str]:
    """The parameters of a study that differ between its trials."""
    return [n for n, p in study.space.parameters.items() if not isinstance(p, Fixed)]


def _fixed(console: Console, study: Study) -> None:
    """Print the values that all trials share, which lines about trials then leave out."""
    fixed = {n: p.value for n, p in study.space.parameters.items() if isinstance(p, Fixed)}
    if fixed:
        console.wrapped(f"all trials have {config_line(fixed)}")


def _trial(console: Console, study: Study, record: TrialRecord, title: str = "") -> None:
    """Print how a trial ended, and its parameters that are searched."""
    searched = searched_names(study)
    chosen = {name: record.config[name] for name in searched if name in record.config}
    console.wrapped(f"{title}{outcome_line(record)}", _INDENT)
    if chosen and record.state != "failed":
        console.wrapped(f"{'':{_INDENT}}{config_line(chosen)}", _INDENT)


def study_ends(console: Console, study: Study, reason: str) -> None:
    """Print why a study ended, its best trial, its location and the next commands."""
    name, best = study.settings.name, study.best()
    console.wrapped(f"stopped: {reason}", _INDENT)
    if best is not None:
        _trial(console, study, best, "best: ")
        told = f"{objective_line(study.settings)}; not confirmed on fresh seeds yet"
        console.wrapped(f"{'':{_INDENT}}{told}", _INDENT)
    context = kept(study)
    _beside(console, context.tuning, study.settings.objective)
    if study.settings.runtime_objective:
        console.say(f"the Pareto front of {study.settings.goal.words} and time:")
        for record in study.pareto():
            _trial(console, study, record)
    _places(console, study)
    _caveats(console, context.caveats(study.space, best))
    where = study.store.location.option
    console.say(f"next: topk-tune confirm {name}{where}   (fresh seeds, then the test rows)")
    console.say(f"      topk-tune export {name}{where}    (the best configuration as YAML)")
    console.say(f"      topk-tune report {name}{where}    (everything on one HTML page)")
    if reason == "interrupted":
        console.say(f"      topk-tune resume {name}{where}    (continue where it stopped)")
    else:
        console.say(f"      topk-tune resume {name}{where} {_more(study, reason)}")


def _more(study: Study, reason: str) -> str:
    """Return the option that lets a study search on; the limit that has ended it would again."""
    ahead = study.budget.get("settled")
    if ahead is None or f"another {ahead} trials" not in reason:
        return "--trials +20"
    return f"--settled {2 * ahead}"


def _beside(console: Console, baselines: Sequence[Baseline], objective: str) -> None:
    """Print the baselines on the same rows."""
    if baselines:
        others = ", ".join(f"{each.name} {each.loss:.4f}" for each in baselines)
        loss = loss_of_baselines(objective)
        console.wrapped(f"baselines, {loss} on the same rows: {others}", _INDENT)


def _places(console: Console, study: Study) -> None:
    """Print where the parts of a study are stored."""
    there = study.store.location.host
    console.say(f"storage: {study.store.location.printable}{there}")
    console.say(f"log: {log_of(console, study)}{there}")


def log_of(console: Console, study: Study) -> Path:
    """The log file of a study."""
    folder = study.store.location.folder(study.settings.name)
    return console.log_file or folder / "log.txt"


def show_estimate(console: Console, found: DryRun) -> None:
    """Print what a study would do and how long it would take."""
    console.say("configuration, space, data and machines are valid; for example:")
    for config in found.samples:
        console.wrapped(f"  {config_line(config)}", _INDENT)
    loops = [each.second for each in found.timed]
    console.wrapped(
        f"a loop of {len(loops)} configurations, from small to large, took {min(loops):.2f} to "
        f"{max(loops):.2f} s"
    )
    console.wrapped(
        f"a trial takes at most {found.memory / 1e9:.1f} GB of memory, without the rows"
    )
    others = ", ".join(f"{each.name} {each.loss:.4f}" for each in found.baselines)
    console.wrapped(f"baselines, loss on the rows that measure: {others}")
    if found.trials is None or found.total is None:
        console.say("no time estimate without a number of trials")
        return
    parts = {"start-up": found.start, "trials": found.trials, "report and tracking": found.end}
    told = ", ".join(f"{name} {between(*span)}" for name, span in parts.items())
    low, high = found.cpu_hours
    console.wrapped(
        f"{between(*found.total)} on {found.workers} workers ({told}), {low:.2f} to {high:.2f} CPU "
        "hours; the more trials are pruned, the shorter",
        _INDENT,
    )


def show_extension(console: Console, extension: Extension, loops: int) -> None:
    """Print which trials are carried on to more loops, and which are not."""
    console.wrapped(
        f"complete trials that are carried on to {loops} loops, as new trials: "
        f"{len(extension.carried)}. The loops that they have are trained again, with the same "
        "result.",
        _INDENT,
    )
    if extension.others:
        console.wrapped(
            f"complete trials that stay as they are: {len(extension.others)}. Their exploration "
            f"fades over all loops, so with {loops} they would be different from the start.",
            _INDENT,
        )


def show_studies(console: Console, studies: Sequence[Study], where: str) -> None:
    """Print a table of studies."""
    if not studies:
        console.say(f"no study in {where} yet: topk-tune run")
        return
    rows = []
    for study in studies:
        records, best = study.records(), study.best()
        value = "" if best is None else f"{best.value:.4f}"
        done = sum(r.state in ("complete", "pruned", "failed") for r in records)
        settings = study.settings
        rows.append((settings.name, settings.data_name, settings.objective, str(done), value))
    console.table(("study", "data set", "objective", "trials", "best"), rows, left=3)


def show_status(console: Console, study: Study, last: int, context: Context) -> None:
    """Print the status of a study and its latest trials."""
    records, best = study.records(), study.best()
    counts = Counter(record.state for record in records)
    console.say(f"study {study.settings.name} on {study.settings.data_name}: {_counted(counts)}")
    if study.ended is not None:
        console.wrapped(f"stopped: {study.ended}", _INDENT)
    for record in records[-last:]:
        console.wrapped(outcome_line(record), _INDENT)
    if best is not None:
        _trial(console, study, best, "best: ")
        console.wrapped(f"{'':{_INDENT}}{objective_line(study.settings)}", _INDENT)
        _beside(console, context.tuning, study.settings.objective)
    if not context.tuning:
        name, where = study.settings.name, study.store.location.option
        console.say(f"baselines are not computed yet: run topk-tune report {name}{where}")


def show_confirmed(
    console: Console, study: Study, confirmed: Sequence[Confirmation], context: Context
) -> None:
    """Print confirmations as a table, best first, and the test results of the first."""
    if not confirmed:
        console.say("nothing confirmed yet")
        return
    _ranking(console, study, confirmed)
    if confirmed[0].runs:
        _figures(console, tested(confirmed[0], context.test))
    else:
        console.say(f"trial {confirmed[0].trial}: {UNTESTED}")
    _caveats(console, context.caveats(study.space, study.best(), confirmed))


def _ranking(console: Console, study: Study, confirmed: Sequence[Confirmation]) -> None:
    """Print the ranking, and below it the configuration of the first, because lines are short."""
    figures = ranking(confirmed, study.settings)
    _figures(console, replace(figures, columns=figures.columns[:-1], rows=_shorter(figures.rows)))
    first, searched = confirmed[0], {"loops", *searched_names(study)}
    chosen = {name: value for name, value in first.config.items() if name in searched}
    console.wrapped(f"trial {first.trial}: {config_line(chosen)}", _INDENT)


def _shorter(rows: Sequence[list[Any]]) -> list[list[Any]]:
    return [row[:-1] for row in rows]


def _figures(console: Console, figures: Figures) -> None:
    """Print a table with as many of its pairs of mean and spread as the terminal has room for."""
    console.wrapped(figures.title)
    rows = [list(map(_figure, row)) for row in figures.rows]
    shown = len(figures.columns)
    while shown > _LEAST_COLUMNS and _wide(figures.columns, rows, shown) > console.width:
        shown -= 2
    console.table(figures.columns[:shown], [row[:shown] for row in rows])


def _wide(columns: Sequence[str], rows: Sequence[Sequence[str]], shown: int) -> int:
    """The width of a table of the first columns, with two spaces between them."""
    cells = list(zip(columns, *rows, strict=True))[:shown]
    return sum(max(map(cell_len, column)) + 2 for column in cells) - 2


def _caveats(console: Console, caveats: Sequence[str]) -> None:
    for each in caveats:
        console.wrapped(f"note: {each}", _INDENT)


def _figure(value: str | int | float | None) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return "" if value is None else str(value)


def _counted(counts: Mapping[Any, int]) -> str:
    """The numbers of trials by state as a text."""
    return ", ".join(f"{count} {state}" for state, count in counts.items()) or "no trials yet"

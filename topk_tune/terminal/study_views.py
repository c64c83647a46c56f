"""What is said of studies: before, after, and when somebody asks how they stand."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from topk_tune.records.trials import Confirmation
from topk_tune.records.wording import config_line, duration, objective_line, trial_line
from topk_tune.spaces import Fixed
from topk_tune.study.confirmed_figures import UNTESTED, Figures, ranking, tested
from topk_tune.study.context import Context, kept
from topk_tune.study.dry_run import DryRun
from topk_tune.study.study import Study
from topk_tune.terminal.console import Console
from topk_tune.terminal.live import StudyView
from topk_tune.training.baselines import Baseline


def study_starts(console: Console, study: Study, quiet: bool = False) -> StudyView:
    """Print the settings of a study and return the view of its run."""
    settings = study.settings
    if quiet:
        return StudyView(console.out, quiet=True)
    console.say(
        f"study {settings.name}: {settings.dataset} ({settings.fingerprint[:12]}), "
        f"{settings.sampler} search, "
        f"{'no' if settings.pruner == 'none' else settings.pruner} pruning, "
        f"{settings.seeds} seed{'s' if settings.seeds > 1 else ''} per configuration"
    )
    console.say(f"the objective is the {objective_line(settings)}")
    _places(console, study)
    searched = [n for n, p in study.space.parameters.items() if not isinstance(p, Fixed)]
    return StudyView(console.out, searched, console.out.quiet, settings.goal)


def study_ends(console: Console, study: Study, reason: str) -> None:
    """Print why a study ended, its best trial, its location and the next commands."""
    name, best = study.settings.name, study.best()
    console.say(f"stopped: {reason}")
    if best is not None:
        console.say(f"best: {trial_line(best)}")
        console.say(f"      {objective_line(study.settings)}; not confirmed on fresh seeds yet")
    context = kept(study)
    _beside(console, context.tuning)
    if study.settings.runtime_objective:
        console.say(f"the Pareto front of {study.settings.goal.words} and time:")
        for record in study.pareto():
            console.say(f"      {trial_line(record)}")
    _places(console, study)
    _caveats(console, context.caveats(study.space, best))
    where = study.store.location.option
    console.say(f"next: topk-tune confirm {name}{where}   (fresh seeds, then the test rows)")
    console.say(f"      topk-tune export {name}{where}    (the best configuration as YAML)")
    console.say(f"      topk-tune report {name}{where}    (everything on one HTML page)")
    if reason == "interrupted":
        console.say(f"      topk-tune resume {name}{where}    (continue where it stopped)")
    else:
        console.say(f"      topk-tune resume {name}{where} --trials +20")


def _beside(console: Console, baselines: Sequence[Baseline]) -> None:
    """Print the baselines on the same rows."""
    if baselines:
        others = ", ".join(f"{each.name} {each.loss:.4f}" for each in baselines)
        console.say(f"baselines, weighted rank loss on the same rows: {others}")


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
        console.say(f"  {config_line(config)}")
    console.say(f"a loop took {found.loop_seconds:.2f} s with {config_line(found.timed)}")
    console.say(f"a trial takes at most {found.memory / 1e9:.1f} GB of memory, without the rows")
    others = ", ".join(f"{each.name} {each.loss:.4f}" for each in found.baselines)
    console.say(f"baselines, weighted rank loss on the rows that measure: {others}")
    if found.seconds is None:
        console.say("no time estimate without a number of trials")
        return
    console.say(
        f"at most about {duration(found.seconds)} on {found.workers} workers, "
        f"{found.cpu_hours:.2f} CPU hours; pruning makes it shorter"
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
        rows.append((settings.name, settings.dataset, settings.objective, str(done), value))
    console.table(("study", "data set", "objective", "trials", "best"), rows, left=3)


def show_status(console: Console, study: Study, last: int, context: Context) -> None:
    """Print the status of a study and its latest trials."""
    records, best = study.records(), study.best()
    counts = Counter(record.state for record in records)
    console.say(f"study {study.settings.name} on {study.settings.dataset}: {_counted(counts)}")
    for record in records[-last:]:
        console.say(trial_line(record))
    if best is not None:
        console.say(f"best: {trial_line(best)}")
        console.say(f"      {objective_line(study.settings)}")
        _beside(console, context.tuning)
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
    _figures(console, ranking(confirmed, study.settings))
    if confirmed[0].runs:
        _figures(console, tested(confirmed[0], context.test))
    else:
        console.say(f"trial {confirmed[0].trial}: {UNTESTED}")
    _caveats(console, context.caveats(study.space, study.best(), confirmed))


def _figures(console: Console, figures: Figures) -> None:
    console.say(figures.title)
    console.table(figures.columns, [list(map(_figure, row)) for row in figures.rows])


def _caveats(console: Console, caveats: Sequence[str]) -> None:
    for each in caveats:
        console.say(f"note: {each}")


def _figure(value: str | int | float | None) -> str:
    if isinstance(value, float):
        return f"{value:.4f}"
    return "" if value is None else str(value)


def _counted(counts: Mapping[Any, int]) -> str:
    """The numbers of trials by state as a text."""
    return ", ".join(f"{count} {state}" for state, count in counts.items()) or "no trials yet"

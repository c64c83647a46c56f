"""`topk-tune run` and `topk-tune resume`: studies."""

from dataclasses import replace
from typing import Any

from topk_tune.backends.base import Backend
from topk_tune.backends.resources import ResourceOptions
from topk_tune.commands import driving
from topk_tune.commands.terminal import console
from topk_tune.engine.stopping import StopOptions
from topk_tune.records.trials import FINISHED
from topk_tune.storage import Location
from topk_tune.storage.store import check_new, exists
from topk_tune.study.dry_run import estimate
from topk_tune.study.extension import extend
from topk_tune.study.options import SearchOptions
from topk_tune.study.plan import Plan, make_plan, wider_space
from topk_tune.study.study import Study
from topk_tune.terminal.study_views import show_estimate, show_extension

_ALLOWED = ("timeout", "failures")
"""The limits of a run that carries trials on."""


def run(
    search: SearchOptions,
    stop: StopOptions,
    resources: ResourceOptions,
    *,
    storage: str | None,
    track: bool,
    baselines: bool,
    reopen: bool,
    dry_run: bool,
    prepared: Backend | None = None,
) -> None:
    """Make a study, or with `reopen` open the one that exists, and run it."""
    if reopen and search.name is None:
        raise ValueError("--resume needs --name NAME, but got no name")
    resources.check()
    tracking = driving.tracking(track)
    location = Location.of(storage)
    plan = make_plan(search, stop.or_default(), resources, location=location)
    there = reopen and exists(location, plan.settings.name)
    if dry_run:
        if there:
            Study.reopen(location, plan.settings)
        else:
            check_new(location, plan.settings.name)
        show_estimate(console, estimate(plan, baselines, tracked=tracking is not None))
        return
    if there:
        study = Study.reopen(location, plan.settings)
        study.store.drive()
    else:
        study = Study.create(location, plan)
    driving.drive(study, replace(plan, prepared=prepared), tracking, baselines)


def resume(
    name: str,
    trials: str | None,
    changes: dict[str, Any],
    space: str | None,
    resources: ResourceOptions,
    *,
    extend_loops: int | None,
    dataset: str | None,
    storage: str | None,
    track: bool,
    baselines: bool,
    prepared: Backend | None = None,
) -> None:
    """Continue a study, with `changes` to its limits."""
    resources.check()
    if extend_loops is not None:
        _check_alone(trials, space, changes)
    tracking = driving.tracking(track)
    study = driving.open_to_drive(name, storage, dataset)
    if trials is not None:
        changes["trials"] = _trials_in_all(trials, study)
    if extend_loops is not None:
        extension = extend(study, extend_loops)
        show_extension(console, extension, extend_loops)
        study = extension.study
        stop = StopOptions(trials=len(study.records()), **changes)
    else:
        stop = StopOptions.resumed(study.budget, changes)
        if trials is not None:  # they were asked for, so what ended the study before does not
            finished = [record for record in study.records() if record.state in FINISHED]
            stop = stop.going_on(finished, given=changes)
    if space is not None:
        study = study.with_space(wider_space(study, space))
    plan = replace(Plan.resumed(study, stop, resources), prepared=prepared)
    driving.drive(study, plan, tracking, baselines)


def _check_alone(trials: str | None, space: str | None, changes: dict[str, Any]) -> None:
    """Refuse options that would end an extension before it is done, or search on beside it."""
    given = {"trials": trials, "space": space, **changes}
    wrong = [name for name, value in given.items() if value is not None and name not in _ALLOWED]
    if wrong:
        raise ValueError(
            f"--extend-loops must be done before a study searches on, so of the limits it takes "
            f"{' and '.join(_ALLOWED)} only, but got {', '.join(wrong)}"
        )


def _trials_in_all(trials: str, study: Study) -> int:
    """A number of trials in all, or +N for N more than a study has finished."""
    digits = trials.removeprefix("+")
    if not digits.isdecimal() or int(digits) < 1:
        raise ValueError(f"--trials must be a number such as 50 or +50, but got {trials!r}")
    done = sum(record.state in FINISHED for record in study.records())
    return int(digits) + (done if trials.startswith("+") else 0)

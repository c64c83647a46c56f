"""`topk-tune run` and `topk-tune resume`: studies."""

from typing import Annotated

import typer

from topk_tune.backends.resources import ResourceOptions
from topk_tune.cli import driving, remote
from topk_tune.cli import study_options as options
from topk_tune.cli.option_groups import Changes, Without, with_groups
from topk_tune.cli.terminal import console
from topk_tune.engine.stopping import StopOptions
from topk_tune.study.options import SearchOptions


@with_groups
def run(
    context: typer.Context,
    search: SearchOptions,
    stop: StopOptions,
    resources: ResourceOptions,
    storage: options.Storage = None,
    track: options.Track = True,
    baselines: options.Baselines = False,
    cluster: remote.Cluster = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Resume the study if it exists already.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything, estimate the time, run nothing.")
    ] = False,
) -> None:
    """Search for the best configuration of a booster on a data set.

    Without an algorithm or a space it is topada; without a limit it stops after 50 trials.

    Ctrl-C stops it at any time; `resume` continues.

    Example: topk-tune run --dataset yeast --algorithm topada --trials 20 --workers 2 --name demo
    """
    remote.send(context, cluster)
    from topk_tune.storage import Location
    from topk_tune.storage.store import check_new, exists
    from topk_tune.study.dry_run import estimate
    from topk_tune.study.plan import make_plan
    from topk_tune.study.study import Study

    if resume and search.name is None:
        raise ValueError("--resume needs --name NAME, but got no name")
    resources.check()
    tracking = driving.tracking(track)
    location = Location.of(storage)
    plan = make_plan(search, stop.or_default(), resources)
    there = resume and exists(location, plan.settings.name)
    if dry_run:
        if there:
            Study.reopen(location, plan.settings)
        else:
            check_new(location, plan.settings.name)
        console.estimated(estimate(plan, baselines))
        return
    if there:
        study = Study.reopen(location, plan.settings)
        study.store.drive()
    else:
        study = Study.create(location, plan)
    driving.drive(study, plan, tracking, baselines)


@with_groups
def resume(
    context: typer.Context,
    name: options.Name,
    *,
    trials: Annotated[
        str | None, typer.Option(help="Stop after N trials in all, or +N for N more.")
    ] = None,
    changes: Annotated[Changes, StopOptions, Without("trials")],
    space: Annotated[str | None, typer.Option(help="Continue with a wider search space.")] = None,
    resources: ResourceOptions,
    storage: options.Storage = None,
    track: options.Track = True,
    baselines: options.Baselines = False,
    cluster: remote.Cluster = None,
) -> None:
    """Continue a study: finish what was interrupted, then search on.

    Limits that are left out are those of the last run, except --timeout.

    Example: topk-tune resume demo --trials +50
    """
    remote.send(context, cluster)
    from topk_tune.storage import Location
    from topk_tune.study.plan import Plan, choose_space
    from topk_tune.study.study import Study

    resources.check()
    tracking = driving.tracking(track)
    study = Study.open(Location.of(storage), name)
    study.store.drive()
    if trials is not None:
        changes["trials"] = driving.trials_in_all(trials, study)
    stop = StopOptions.resumed(study.budget, changes)
    if space is not None:
        study = study.with_space(choose_space(space, None, study.settings.dataset))
    driving.drive(study, Plan.resumed(study, stop, resources), tracking, baselines)

"""`topk-tune run` and `topk-tune resume`: studies."""

from typing import Annotated

import typer

from topk_tune.backends.resources import ResourceOptions
from topk_tune.cli import remote
from topk_tune.cli import study_options as options
from topk_tune.cli.option_groups import Changes, Without, with_groups
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
    with resources.prepared(wanted=not dry_run) as prepared:
        from topk_tune.commands import studies

        studies.run(
            search,
            stop,
            resources,
            storage=storage,
            track=track,
            baselines=baselines,
            reopen=resume,
            dry_run=dry_run,
            prepared=prepared,
        )


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
    extend_loops: Annotated[
        int | None, typer.Option(help="Carry all complete trials on to N loops, and end.")
    ] = None,
    resources: ResourceOptions,
    dataset: options.Dataset = None,
    storage: options.Storage = None,
    track: options.Track = True,
    baselines: options.Baselines = False,
    cluster: remote.Cluster = None,
) -> None:
    """Continue a study: finish what was interrupted, then search on.

    Limits that are not given are those of the last run, except --timeout.

    Example: topk-tune resume demo --trials +50
    """
    remote.send(context, cluster)
    with resources.prepared() as prepared:
        from topk_tune.commands import studies

        studies.resume(
            name,
            trials,
            changes,
            space,
            resources,
            extend_loops=extend_loops,
            dataset=dataset,
            storage=storage,
            track=track,
            baselines=baselines,
            prepared=prepared,
        )

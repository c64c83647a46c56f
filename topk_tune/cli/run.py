"""`topk-tune run` and `topk-tune resume`: studies."""

from pathlib import Path
from typing import Annotated

import typer

from topk_tune.cli import driving, remote
from topk_tune.cli import study_options as options
from topk_tune.cli.terminal import console
from topk_tune.engine.pruners import PRUNERS
from topk_tune.engine.samplers import SAMPLERS
from topk_tune.training.metrics import METRICS


def run(
    context: typer.Context,
    dataset: Annotated[str, typer.Option(help="Data set: a name, openml:ID or a path.")] = "yeast",
    algorithm: options.Algorithm = None,
    space: Annotated[
        str | None,
        typer.Option(help="Search space: a name or a YAML file (default: the algorithm's)."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the study (default: made up).")] = None,
    trials: Annotated[int | None, typer.Option(help="Stop after so many trials.")] = None,
    timeout: options.Timeout = None,
    target: options.Target = None,
    patience: options.Patience = None,
    sampler: Annotated[
        str,
        typer.Option(
            autocompletion=lambda: list(SAMPLERS),
            help=f"{', '.join(SAMPLERS.own)}, or MODULE:CLASS of Optuna's kind.",
        ),
    ] = "tpe",
    pruner: Annotated[
        str | None,
        typer.Option(
            autocompletion=lambda: list(PRUNERS),
            help=f"{', '.join(PRUNERS.own)}, or MODULE:CLASS (default: median).",
        ),
    ] = None,
    protocol: Annotated[
        str, typer.Option(help="validation, or paper to choose by the test rows.")
    ] = "validation",
    holdout: Annotated[
        str,
        typer.Option(
            help="Training rows to hold out: tail:SHARE, random:SHARE:SEED, or folds:NUMBER:SEED "
            "for another part with each seed."
        ),
    ] = "random:0.25:0",
    objective: Annotated[
        str | None,
        typer.Option(
            autocompletion=lambda: list(METRICS),
            help="Metric that decides what is best (default: shown_loss): "
            f"{', '.join(METRICS.own)}.",
        ),
    ] = None,
    exploration_cost: Annotated[
        float | None,
        typer.Option(
            help="Search by greedy loss among configurations whose shown loss is at most this much "
            "higher, where pairs that tie count as right in the greedy loss.",
        ),
    ] = None,
    seeds: Annotated[int, typer.Option(help="Trainings of each configuration.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the study.")] = 0,
    runtime: Annotated[
        bool, typer.Option("--runtime", help="Minimise the time too: a Pareto front.")
    ] = False,
    deterministic: Annotated[
        bool, typer.Option("--deterministic", help="The same trials on any number of workers.")
    ] = False,
    config: Annotated[
        list[Path] | None, typer.Option(help="An exported configuration to try first; repeatable.")
    ] = None,
    labels: Annotated[str | None, typer.Option(help="Label columns of your own file.")] = None,
    split: Annotated[
        str | None, typer.Option(help="Test rows of your own file: tail:SHARE, random:SHARE:SEED.")
    ] = None,
    storage: options.Storage = None,
    workers: options.Workers = None,
    backend: options.Backend = "ray",
    address: options.Address = None,
    cpus: options.Cpus = 1.0,
    memory: options.Memory = None,
    node_label: options.Labels = None,
    trial_timeout: options.TrialTimeout = None,
    retries: options.Retries = 3,
    track: options.Track = True,
    baselines: options.Baselines = False,
    cluster: remote.Cluster = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Go on with the study of this name if there is one already."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Check everything, estimate the time, run nothing.")
    ] = False,
) -> None:
    """Search for the best configuration of a booster on a data set.

    Without an algorithm or a space it is topada; without a limit it stops after 50 trials.

    Ctrl-C stops it at any time; `resume` goes on.

    Example: topk-tune run --dataset yeast --algorithm topada --trials 20 --workers 2 --name demo
    """
    remote.send(context, cluster)
    from topk_tune.engine.stopping import StopRule
    from topk_tune.export.config import read_config
    from topk_tune.storage import Location
    from topk_tune.storage.store import check_new, exists
    from topk_tune.study.create import prepare
    from topk_tune.study.dry_run import estimate
    from topk_tune.study.study import Study

    if resume and name is None:
        raise ValueError("--resume is for a study that may be there already: it needs --name NAME")
    stop = StopRule(trials, options.seconds("--timeout", timeout), target, patience)
    if (stop.trials, stop.seconds, stop.target, stop.patience) == (None,) * 4:
        stop = StopRule(trials=50)
    machines = driving.machines(backend, workers, address, cpus, memory, node_label)
    limits = driving.limits(trial_timeout, retries)
    tracking = driving.tracking(track)
    location = Location.of(storage)
    settings, data = prepare(
        dataset,
        algorithm,
        space,
        name,
        labels=labels,
        split=split,
        sampler=sampler,
        pruner=pruner,
        protocol=protocol,
        runtime_objective=runtime,
        holdout=holdout,
        objective=objective,
        exploration_cost=exploration_cost,
        seeds=seeds,
        seed=seed,
        deterministic=deterministic,
        first=[read_config(path) for path in config or []],
    )
    there = resume and exists(location, settings.name)
    if dry_run:
        if there:
            Study.reopen(location, settings)
        else:
            check_new(location, settings.name)
        console.estimated(estimate(settings, data, machines.count, stop.trials, baselines))
        return
    if there:
        study = Study.reopen(location, settings)
        study.store.drive()
    else:
        study = Study.create(location, settings, data)
    driving.drive(study, stop, machines, limits, tracking, data, baselines)


def resume(
    context: typer.Context,
    name: options.Name,
    trials: Annotated[
        str | None, typer.Option(help="So many trials in all, or +N for N more.")
    ] = None,
    space: Annotated[str | None, typer.Option(help="Go on with a wider search space.")] = None,
    timeout: options.Timeout = None,
    target: options.Target = None,
    patience: options.Patience = None,
    storage: options.Storage = None,
    workers: options.Workers = None,
    backend: options.Backend = "ray",
    address: options.Address = None,
    cpus: options.Cpus = 1.0,
    memory: options.Memory = None,
    node_label: options.Labels = None,
    trial_timeout: options.TrialTimeout = None,
    retries: options.Retries = 3,
    track: options.Track = True,
    baselines: options.Baselines = False,
    cluster: remote.Cluster = None,
) -> None:
    """Go on with a study: finish what was interrupted, then search on.

    Limits that are left out are those of the last run, except --timeout.

    Example: topk-tune resume demo --trials +50
    """
    remote.send(context, cluster)
    from topk_tune.records.trials import FINISHED
    from topk_tune.storage import Location
    from topk_tune.study.create import choose_space
    from topk_tune.study.study import Study

    machines = driving.machines(backend, workers, address, cpus, memory, node_label)
    limits = driving.limits(trial_timeout, retries)
    tracking = driving.tracking(track)
    study = Study.open(Location.of(storage), name)
    study.store.drive()
    done = sum(record.state in FINISHED for record in study.records())
    stop = driving.stop_rule(study, trials, done, timeout, target, patience)
    if space is not None:
        study = study.with_space(choose_space(space, None, study.settings.dataset))
    driving.drive(study, stop, machines, limits, tracking, baselines=baselines)

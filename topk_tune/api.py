"""Tuning from Python: `from topk_tune import tune`."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # importing the package must not load Numba, Optuna and Ray
    from booster import Log
    from topk_tune.data import Dataset
    from topk_tune.spaces import Space
    from topk_tune.study.study import Study


def tune(
    dataset: str | PathLike[str] | tuple[Any, Any] | Log | Dataset = "yeast",
    algorithm: str | None = None,
    *,
    trials: int | None = 50,
    space: str | Space | None = None,
    objective: str | None = None,
    exploration_cost: float | None = None,
    name: str | None = None,
    storage: str | None = None,
    timeout: float | None = None,
    target: float | None = None,
    patience: int | None = None,
    settled: int | None = None,
    backend: str = "auto",
    workers: int | None = None,
    address: str | None = None,
    trial_timeout: float | None = None,
    labels: str | None = None,
    split: str | None = None,
    k: int | None = None,
    progress: bool = True,
    track: bool = True,
    baselines: bool = False,
    **options: Any,
) -> Study:
    """Search for the best configuration of a booster; return the study with its results.

    Parameters
    ----------
    dataset, labels, split
        The data set, as `topk_tune.data.load` takes it, which may be a log; or rows in memory, as
        `topk_tune.data.from_memory` takes them: a pair `(X, Y)` of arrays, DataFrames or sparse
        matrices, a `booster.Log`, or a `Dataset`. The study's folder keeps a copy of such rows,
        with which it can be resumed and confirmed.
    k
        The number of labels at the top that get feedback; by default 3, or 2 if there are only 2
        labels.
    algorithm
        The algorithm by name; "topada" if no space is given.
    trials, timeout, target, patience, settled
        When to stop; see `StopOptions`.
    space
        The search space: a `Space`, the name of one that ships with the project, or a YAML file;
        by default the algorithm's.
    objective
        The name of the metric to optimise; "shown_loss" by default.
    exploration_cost
        Optimise greedy loss among configurations whose shown loss is at most this much higher,
        where ties count as right in the greedy loss.
    name, storage
        The name of the study and its storage; by default auto-generated and ./studies.
    backend, workers, address, trial_timeout
        Where trials run, and the seconds after which a trial is stopped; see `ResourceOptions`.
    progress
        Whether to show the progress.
    track
        Whether to log to MLflow, as set in `mlflow.yaml` of the current folder.
    baselines
        Whether to fit ExtraTrees and logistic regression to all labels at the end, for
        comparison; label frequency is always computed.
    options
        Further options of the three groups by name, for example `seeds=3` or `sampler="random"`
        of `SearchOptions`, `failures=3` of `StopOptions`, `retries=0` of `ResourceOptions`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from topk_tune import tune
    >>> from topk_tune.spaces import Fixed, Int, Space
    >>> small = Space({
    ...     "algorithm": Fixed("topada"), "loops": Fixed(2), "n_learners": Int(2, 6, step=2),
    ... })
    >>> with TemporaryDirectory() as folder:
    ...     study = tune("yeast", space=small, trials=3, storage=folder, backend="local",
    ...                  workers=1, progress=False, track=False)
    ...     len(study.dataframe())
    3
    """
    from topk_tune.backends.resources import ResourceOptions
    from topk_tune.data import from_memory
    from topk_tune.engine.stopping import StopOptions
    from topk_tune.plugins.options import pack
    from topk_tune.session import run_tracked
    from topk_tune.storage import Location
    from topk_tune.study.data_copy import with_copy
    from topk_tune.study.options import SearchOptions
    from topk_tune.study.plan import make_plan
    from topk_tune.study.study import Study
    from topk_tune.terminal.console import Console
    from topk_tune.terminal.study_views import study_starts
    from topk_tune.tracking import read_config

    place = fspath(dataset) if isinstance(dataset, str | PathLike) else None
    data = from_memory(dataset, labels=labels, split=split) if place is None else None
    named = {
        "dataset": data.name if data else place,
        "algorithm": algorithm,
        "trials": trials,
        "space": space,
        "objective": objective,
        "exploration_cost": exploration_cost,
        "name": name,
        "timeout": timeout,
        "target": target,
        "patience": patience,
        "settled": settled,
        "backend": backend,
        "workers": workers,
        "address": address,
        "trial_timeout": trial_timeout,
        "labels": None if data else labels,
        "split": None if data else split,
        "k": k,
    }
    groups = (SearchOptions, StopOptions, ResourceOptions)
    search, stop, resources = pack({**named, **options}, *groups)
    resources.check()
    location = Location.of(storage)
    tracking = read_config() if track else None
    with resources.prepared() as prepared:
        plan = make_plan(search, stop, resources, data, location)
        plan = replace(plan, prepared=prepared)
        if data:
            plan = with_copy(plan, location)
        study = Study.create(location, plan)
        view = study_starts(Console(), study, quiet=not progress)
        with view:
            run_tracked(study, plan, [view.observe], tracking, baselines)
    study.store.close()
    return study

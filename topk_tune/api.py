"""Tuning from Python: `from topk_tune import tune`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # importing the package must not wait for numba, Optuna and Ray
    from topk_tune.spaces import Space
    from topk_tune.study.study import Study


def tune(
    dataset: str = "yeast",
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
    backend: str = "ray",
    workers: int | None = None,
    address: str | None = None,
    trial_timeout: float | None = None,
    labels: str | None = None,
    split: str | None = None,
    progress: bool = True,
    track: bool = True,
    baselines: bool = False,
    **settings: Any,
) -> Study:
    """Search for the best configuration of a booster; returns the study with its results.

    Parameters
    ----------
    dataset, labels, split
        The data set, as `topk_tune.data.load` takes it.
    algorithm
        The booster: "topopt", "topada", "fullopt" or "fullada"; "topada" if no space is given.
    trials, timeout, target, patience
        When to stop; see `StopRule`.
    space
        Where to search: a `Space`, the name of one that ships with the project, or a YAML file;
        by default the algorithm's.
    objective
        The metric that decides what is best, by name; "shown_loss" if left out.
    exploration_cost
        Search by greedy loss among configurations whose shown loss is at most this much higher,
        where pairs that tie count as right in the greedy loss.
    name, storage
        What the study is called and where it is kept; made up and ./studies if left out.
    backend, workers, address
        Where trials run; see `Machines`.
    trial_timeout
        Seconds after which a trial is ended.
    progress
        Whether to show how the study goes.
    track
        Whether to log to MLflow, as `mlflow.yaml` of the current folder says.
    baselines
        Whether to fit ExtraTrees and logistic regression to all labels in the end, to compare
        with; label frequency always is.
    settings
        Further settings by name, such as `seeds=3` or `sampler="random"`; see `StudySettings`.

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
    from topk_tune.backends.resources import BackendName, Machines
    from topk_tune.engine.loop import Limits
    from topk_tune.engine.stopping import StopRule
    from topk_tune.plugins.names import one_of_literal
    from topk_tune.session import run_tracked
    from topk_tune.storage import Location
    from topk_tune.study.create import prepare
    from topk_tune.study.study import Study
    from topk_tune.terminal.console import Console
    from topk_tune.tracking import read_config

    stop = StopRule(trials, timeout, target, patience)
    where = one_of_literal("backend", backend, BackendName)
    machines = Machines(where, workers, address)
    machines.check()
    aim: dict[str, Any] = {"objective": objective, "exploration_cost": exploration_cost}
    made, data = prepare(
        dataset, algorithm, space, name, labels=labels, split=split, **aim, **settings
    )
    study = Study.create(Location.of(storage), made, data)
    view = Console().study(study, quiet=not progress)
    tracking = read_config() if track else None
    with view:
        limits = Limits(trial_timeout)
        run_tracked(study, stop, machines, limits, [view.observe], tracking, data, baselines)
    study.store.close()
    return study

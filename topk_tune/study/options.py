"""The options of a task and of a new study, from which its settings are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import search_spaces
from booster.tables import ALGORITHMS
from topk_tune import data
from topk_tune.engine.pruners import PRUNERS
from topk_tune.engine.samplers import SAMPLERS
from topk_tune.plugins.options import option
from topk_tune.training.metrics import METRICS

if TYPE_CHECKING:  # the command line lists these options without loading NumPy
    from topk_tune.spaces import Space

DEFAULT_ALGORITHM = "topada"
"""The algorithm if neither an algorithm nor a space is given."""


@dataclass(frozen=True, kw_only=True)
class TaskOptions:
    """What is to be learned: the rows, and the feedback on each."""

    dataset: str = option(
        "yeast", "Data set: a name, openml:ID or a path.", names=lambda: data.names(), paths=True
    )
    labels: str | None = option(
        None, "Label columns of your own file: how many at the end, names, or a prefix."
    )
    split: str | None = option(None, "Test rows of your own file: tail:SHARE or random:SHARE:SEED.")
    k: int | None = option(
        None, "Labels at the top that get feedback (default: 3, at most all labels)."
    )


@dataclass(frozen=True, kw_only=True)
class SearchOptions(TaskOptions):
    """The search options of a study; `StudySettings` explains and checks them."""

    algorithm: str | None = option(
        None,
        f"Algorithm: {', '.join(ALGORITHMS.own)} (default: {DEFAULT_ALGORITHM}, or the space's).",
        names=ALGORITHMS.keys,
    )
    space: "str | Space | None" = option(
        None,
        "Search space: a name or a YAML file (default: the algorithm's).",
        type=str | None,
        names=search_spaces.spaces,
        paths=True,
    )
    name: str | None = option(None, "Name of the study (default: auto-generated).")
    sampler: str = option(
        "tpe",
        f"Sampler: {', '.join(SAMPLERS.own)}, or MODULE:CLASS of an Optuna sampler.",
        names=SAMPLERS.keys,
    )
    pruner: str | None = option(
        None,
        f"Pruner: {', '.join(PRUNERS.own)}, or MODULE:CLASS of an Optuna pruner (default: asha).",
        names=PRUNERS.keys,
    )
    protocol: str = option(
        "validation",
        "Rows that measure a trial: validation (held-out training rows) or paper (the test rows, "
        "learning from them).",
    )
    holdout: str = option(
        "random:0.25:0",
        "Training rows to hold out: tail:SHARE, random:SHARE:SEED, or folds:NUMBER:SEED for a "
        "different fold per seed.",
    )
    objective: str | None = option(
        None,
        f"Metric to optimise (default: shown_loss): {', '.join(METRICS.own)}.",
        names=METRICS.keys,
    )
    exploration_cost: float | None = option(
        None,
        "Optimise greedy_loss among configurations whose shown loss is at most this much higher "
        "(ties count as correct in that comparison).",
    )
    seeds: int = option(1, "Trainings per configuration, each with a different seed.")
    seed: int = option(0, "Random seed of the study.")
    runtime_objective: bool = option(
        False, "Minimise the training time too: a Pareto front.", flag="--runtime"
    )
    deterministic: bool = option(False, "Run the same trials on any number of workers.")
    first: Sequence[Mapping[str, Any] | Path] = option(
        (),
        "Exported configuration to try first; repeatable.",
        flag="--config",
        type=list[Path] | None,
    )
    like: str | Sequence[str] | None = option(
        None,
        "Begin with configurations that did well elsewhere: auto (your studies, shipped results), "
        "shipped (default with a sampler that learns), a study, a data set, or none; repeatable.",
        type=list[str] | None,
    )

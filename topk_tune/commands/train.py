"""`topk-tune train`: one booster, from parameters on the command line."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from booster.protocol import Trainable
from booster.tables import ALGORITHMS
from topk_tune.commands.outputs import check_file
from topk_tune.commands.terminal import console
from topk_tune.data import Dataset, load
from topk_tune.data.catalog import check_known, names_files
from topk_tune.study.config_file import Export, read_export
from topk_tune.study.options import TaskOptions
from topk_tune.terminal.training_views import loops, trial_ends, trial_starts
from topk_tune.training.training import run_trial
from topk_tune.training.trial import (
    TrialConfig,
    configure,
    test_rows,
    train_booster,
    why_unsaved,
)


def train(
    data: str | None,
    task: TaskOptions,
    algorithm: str | None,
    config: Path | None,
    parameters: Mapping[str, Any],
    *,
    tuned: bool,
    save: Path | None,
    seed: int,
) -> None:
    """Train a booster, with those of the parameters that are not None, and print its losses.

    Without `data`, the data set is that of the configuration file, or else that of the task.
    """
    if algorithm is not None:
        ALGORITHMS.named(algorithm)
    if config is not None and tuned:
        raise ValueError("--tuned and --config both say what to train; give one of them")
    check_file("--save", save)
    export = None if config is None else read_export(config)
    task = _task(data, task, export)
    given = {name: v for name, v in {**parameters, "k": task.k}.items() if v is not None}
    trial = _trial(algorithm, task, export, given, tuned)
    if save is not None and (reason := why_unsaved(trial.flat())):
        raise ValueError(f"--save needs a booster that can be saved, but {reason}")
    dataset = _load(task, config if data is None else None)
    _show(trial, dataset, export, seed)
    if save is not None:
        train_booster(trial.flat(), seed, dataset).save(save)
        console.say(f"the booster, trained on the training rows, is in {save}")


def train_config(config: Path, seed: int = 0) -> tuple[Trainable, Dataset]:
    """Train the booster of a configuration file on its data, and print its losses meanwhile."""
    export = read_export(config)
    task = _task(None, TaskOptions(), export)
    trial = _trial(None, task, export, {}, tuned=False)
    dataset = _load(task, config)
    _show(trial, dataset, export, seed)
    return train_booster(trial.flat(), seed, dataset), dataset


def _show(trial: TrialConfig, dataset: Dataset, export: Export | None, seed: int) -> None:
    """Print the losses of a training, loop by loop."""
    trial_starts(console, trial, dataset, seed)
    if export is not None:
        _compare(dataset, export)
    with console.following("booster"), loops(console, trial.loops) as report:
        for now in run_trial(trial, seed, test_rows(dataset), "paper"):
            report(now)
    trial_ends(console, now)


def _task(data: str | None, task: TaskOptions, export: Export | None) -> TaskOptions:
    """Return the task with what the configuration file says of it; options have priority."""
    known = export.data if export else {}
    place = check_known(data or known.get("dataset", task.dataset))
    if names_files(place):  # other data sets define their labels and test rows
        task = replace(
            task,
            labels=task.labels or known.get("labels"),
            split=task.split or known.get("split"),
        )
    return replace(task, dataset=place)


def _trial(
    algorithm: str | None,
    task: TaskOptions,
    export: Export | None,
    given: Mapping[str, Any],
    tuned: bool,
) -> TrialConfig:
    if export is None and names_files(task.dataset):
        raise ValueError(
            f"your own data needs --config FILE, as `topk-tune export` writes it, but got only "
            f"{task.dataset}"
        )
    if export is None:
        return configure(algorithm or "topopt", task.dataset, given, tuned)
    chosen = {"algorithm": algorithm} if algorithm else {}
    return TrialConfig.of({**export.config, **chosen, **given})


def _load(task: TaskOptions, config: Path | None) -> Dataset:
    """Load the data set of a task; `config` is the file that says where it is, if one does."""
    try:
        with console.following("topk_tune"):
            return load(task.dataset, labels=task.labels, split=task.split)
    except FileNotFoundError as error:
        if config is None:
            raise
        raise FileNotFoundError(
            f"{config}: {error}: say where the data set is now, `topk-tune train PATH --config "
            f"{config}`"
        ) from None


def _compare(dataset: Dataset, export: Export) -> None:
    """Print a note if the rows are not those of the study."""
    known = export.data.get("fingerprint")
    if known is not None and not dataset.matches(known):
        console.say(
            f"note: the configuration was found on other rows: their fingerprint is {known[:12]}, "
            f"that of these rows {dataset.fingerprint[:12]}"
        )

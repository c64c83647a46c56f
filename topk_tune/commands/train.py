"""`topk-tune train`: one booster, from parameters on the command line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from booster.tables import ALGORITHMS
from topk_tune.commands.terminal import console
from topk_tune.data import load
from topk_tune.study.config_file import read_config
from topk_tune.terminal.training_views import loops, trial_ends, trial_starts
from topk_tune.training.trial import (
    TrialConfig,
    configure,
    run_trial,
    test_rows,
    train_booster,
    why_unsaved,
)


def train(
    data: str,
    algorithm: str | None,
    config: Path | None,
    parameters: Mapping[str, Any],
    *,
    tuned: bool,
    save: Path | None,
    seed: int,
) -> None:
    """Train a booster, with those of the parameters that are not None, and print its losses."""
    given = {name: value for name, value in parameters.items() if value is not None}
    with console.following("topk_tune"):
        dataset = load(data)
    if algorithm is not None:
        ALGORITHMS.named(algorithm)
    if config is not None and tuned:
        raise ValueError("--tuned and --config both say what to train; give one of them")
    if config is not None:
        chosen = {"algorithm": algorithm} if algorithm else {}
        trial = TrialConfig.of({**read_config(config), **chosen, **given})
    else:
        trial = configure(algorithm or "topopt", data, given, tuned)
    if save is not None and (reason := why_unsaved(trial.flat())):
        raise ValueError(f"--save needs a booster that can be saved, but {reason}")
    trial_starts(console, trial, dataset, seed)
    with console.following("booster"), loops(console, trial.loops) as report:
        for now in run_trial(trial, seed, test_rows(dataset), "paper"):
            report(now)
    trial_ends(console, now)
    if save is not None:
        train_booster(trial.flat(), seed, dataset).save(save)
        console.say(f"the booster, trained on the training rows, is in {save}")

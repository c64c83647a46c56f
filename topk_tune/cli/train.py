"""`topk-tune train`: one booster, from parameters on the command line."""

from pathlib import Path
from typing import Annotated

import typer

from booster.tables import ALGORITHMS
from topk_tune.cli.terminal import console


def train(
    data: Annotated[str, typer.Argument(help="Data set: a name, openml:ID or a path.")] = "yeast",
    algorithm: Annotated[
        str | None,
        typer.Option(
            autocompletion=lambda: list(ALGORITHMS),
            help=f"Algorithm: {', '.join(ALGORITHMS.own)} (default: topopt).",
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="Exported configuration; other options override it.")
    ] = None,
    tuned: Annotated[
        bool, typer.Option("--tuned", help="Use the parameters that `reproduce` found.")
    ] = False,
    save: Annotated[Path | None, typer.Option(help="File to save the trained booster to.")] = None,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    loops: Annotated[int | None, typer.Option(help="Passes over the training rows.")] = None,
    n_learners: Annotated[int | None, typer.Option(help="Number of weak learners.")] = None,
    gamma: Annotated[float | None, typer.Option(help="Assumed edge of the weak learners.")] = None,
    rho: Annotated[float | None, typer.Option(help="Initial exploration rate.")] = None,
    k: Annotated[int | None, typer.Option(help="Labels at the top that get feedback.")] = None,
    exploration: Annotated[str | None, typer.Option(help="How rankings are randomised.")] = None,
) -> None:
    """Train a booster and print its loss after each loop, in training and on the test rows.

    What is left out is taken from --config, or else it is what the paper picked for the data set,
    or with --tuned what was found to be better; the algorithm is TopOpt.

    Example: topk-tune train yeast --tuned --save booster.npz
    """
    # Imported here because the commands that train nothing should not wait for numba.
    from topk_tune.data import load
    from topk_tune.study.config_file import read_config
    from topk_tune.training.trial import (
        TrialConfig,
        configure,
        run_trial,
        test_rows,
        train_booster,
        why_unsaved,
    )

    parameters = {
        "loops": loops,
        "n_learners": n_learners,
        "gamma": gamma,
        "rho": rho,
        "k": k,
        "exploration": exploration,
    }
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
    console.trial_starts(trial, dataset, seed)
    with console.following("booster"), console.loops(trial.loops) as report:
        for now in run_trial(trial, seed, test_rows(dataset), "paper"):
            report(now)
    console.trial_ends(now)
    if save is not None:
        train_booster(trial.flat(), seed, dataset).save(save)
        console.say(f"the booster, trained on the training rows, is in {save}")

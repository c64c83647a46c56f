"""`topk-tune train`: one booster, from parameters on the command line."""

from pathlib import Path
from typing import Annotated

import typer

from booster.tables import ALGORITHMS
from topk_tune.cli.completion import datasets
from topk_tune.cli.option_groups import Without, with_groups
from topk_tune.study.options import TaskOptions


@with_groups
def train(
    data: Annotated[
        str | None,
        typer.Argument(
            help="Data set: a name, openml:ID or a path (default: that of --config, or yeast).",
            autocompletion=datasets,
        ),
    ] = None,
    *,
    task: Annotated[TaskOptions, Without("dataset")],
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
    exploration: Annotated[str | None, typer.Option(help="How rankings are randomised.")] = None,
) -> None:
    """Train a booster and print its loss after each loop, in training and on the test rows.

    Parameters that are not given come from --config, else from the paper's choice for the data
    set, or with --tuned from our own search. The default algorithm is TopOpt. An exported
    configuration also says which data set it is for, its labels and its test rows.

    Example: topk-tune train yeast --tuned

    Example: topk-tune train --config best.yaml --save booster.npz
    """
    from topk_tune.commands import train as work

    parameters = {
        "loops": loops,
        "n_learners": n_learners,
        "gamma": gamma,
        "rho": rho,
        "exploration": exploration,
    }
    work.train(data, task, algorithm, config, parameters, tuned=tuned, save=save, seed=seed)

"""`topk-tune train`: one booster, from parameters on the command line."""

from typing import Annotated, Literal

import typer

from topk_tune.cli.terminal import console

Algorithm = Literal["topopt", "topada", "fullopt", "fullada"]


def train(
    data: Annotated[str, typer.Argument(help="Name of a data set.")] = "yeast",
    algorithm: Annotated[Algorithm, typer.Option(help="The booster to train.")] = "topopt",
    seed: Annotated[int, typer.Option(help="Seed of every random choice.")] = 0,
    loops: Annotated[int | None, typer.Option(help="Passes over the training rows.")] = None,
    n_learners: Annotated[int | None, typer.Option(help="Number of weak learners.")] = None,
    gamma: Annotated[float | None, typer.Option(help="Assumed edge of a weak learner.")] = None,
    rho: Annotated[float | None, typer.Option(help="Exploration rate.")] = None,
    k: Annotated[int | None, typer.Option(help="Labels at the top that get feedback.")] = None,
    exploration: Annotated[str | None, typer.Option(help="How rankings are randomised.")] = None,
) -> None:
    """Train a booster and print its loss on the training rows and on the test rows, each loop.

    An option that is left out has the value that the paper picked for the data set.
    """
    # Imported here because the commands that train nothing should not wait for numba.
    from topk_tune.data import load
    from topk_tune.trial import configure, run_trial, test_rows

    options = {
        "loops": loops,
        "n_learners": n_learners,
        "gamma": gamma,
        "rho": rho,
        "k": k,
        "exploration": exploration,
    }
    given = {name: value for name, value in options.items() if value is not None}
    with console.following("topk_tune"):
        dataset = load(data)
    config = configure(algorithm, data, given)
    console.trial_starts(config, dataset, seed)
    with console.following("booster"), console.loops(config.loops) as report:
        for now in run_trial(config, seed, test_rows(dataset), "predict-then-learn"):
            report(now)
    console.trial_ends(now)

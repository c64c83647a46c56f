"""The command `topk-tune`."""

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from topk_tune import __version__
from topk_tune.console import Console

Algorithm = Literal["topopt", "topada", "fullopt", "fullada"]

_NEXT_STEPS = """\
topk-tune learns to rank the labels of examples that arrive one by one.

  topk-tune train          train a booster on Yeast and print its loss
  topk-tune train --help   choose the algorithm and its parameters
  topk-tune --help         list the commands"""

app = typer.Typer(pretty_exceptions_enable=False)
console = Console()


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; a wrong value ends it with one sentence and exit code 2."""
    try:
        app(args=arguments)
    except ValueError as error:
        console.error(str(error))
        raise SystemExit(2) from None


@app.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Online multilabel boosting from top-k feedback."""
    if context.invoked_subcommand is None:
        console.say(_NEXT_STEPS)


@app.command()
def version() -> None:
    """Print the version."""
    console.say(f"topk-tune {__version__}")


@app.command()
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
    """Train a booster and print its loss on the training loops and on the test rows.

    An option that is left out has the value that the paper picked for the data set.
    """
    # Imported here because the commands that train nothing should not wait for numba.
    from topk_tune.data import load
    from topk_tune.trial import configure, run_trial

    options = {
        "loops": loops,
        "n_learners": n_learners,
        "gamma": gamma,
        "rho": rho,
        "k": k,
        "exploration": exploration,
    }
    given = {name: value for name, value in options.items() if value is not None}
    dataset = load(data)
    config = configure(algorithm, data, given)
    console.trial_starts(config, dataset, seed)
    with console.following("booster"), console.loops(config.loops) as report:
        result = run_trial(config, seed, dataset, report)
    console.trial_ends(result)

"""The commands of `topk-tune`, put together.

A command imports what it runs inside its function: help and completion must not wait for
numba, Ray or MLflow.
"""

from collections.abc import Sequence

import typer

from topk_tune import __version__
from topk_tune.cli.data import data_app
from topk_tune.cli.results import confirm, export, status
from topk_tune.cli.run import resume, run
from topk_tune.cli.terminal import console
from topk_tune.cli.tracking import sync, ui
from topk_tune.cli.train import train

_NEXT_STEPS = """\
topk-tune learns to rank the labels of examples that arrive one by one.

  topk-tune train          train a booster on Yeast and print its loss
  topk-tune train --help   choose the algorithm and its parameters
  topk-tune --help         list the commands"""

app = typer.Typer(pretty_exceptions_enable=False)
app.command()(run)
app.command()(resume)
app.command()(status)
app.command()(confirm)
app.command()(export)
app.command()(train)
app.command()(ui)
app.command()(sync)
app.add_typer(data_app, name="data")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; a wrong value ends it with one sentence and exit code 2."""
    try:
        app(args=arguments)
    except ValueError as error:
        console.error(_plain(error))
        raise SystemExit(2) from None
    except (OSError, RuntimeError) as error:
        console.error(_plain(error))
        raise SystemExit(1) from None


def _plain(error: Exception) -> str:
    """An error in words: pydantic's as our own sentences, an operating system's with its file."""
    from pydantic import ValidationError

    if isinstance(error, ValidationError):
        return "; ".join(
            ": ".join([*map(str, each["loc"]), each["msg"].removeprefix("Value error, ")])
            for each in error.errors()
        )
    return str(error)


@app.callback(invoke_without_command=True)
def start(context: typer.Context) -> None:
    """Online multilabel boosting from top-k feedback."""
    if context.invoked_subcommand is None:
        console.say(_NEXT_STEPS)


@app.command()
def version() -> None:
    """Print the version."""
    console.say(f"topk-tune {__version__}")

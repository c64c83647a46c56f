"""The commands of `topk-tune`, put together.

Here they are declared; what they do is in `topk_tune.commands`. A command imports its module
there inside its function: help and completion must not wait for numba, Ray or MLflow.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from topk_tune.cli.cluster import cluster_app
from topk_tune.cli.dashboard import dashboard
from topk_tune.cli.data import data_app
from topk_tune.cli.doctor import doctor
from topk_tune.cli.general_options import with_general_options
from topk_tune.cli.jobs import job_app, submit
from topk_tune.cli.plugins import plugins
from topk_tune.cli.report import report
from topk_tune.cli.reproduce import reproduce
from topk_tune.cli.results import confirm, export
from topk_tune.cli.run import resume, run
from topk_tune.cli.serve import serve
from topk_tune.cli.status import status
from topk_tune.cli.tracking import sync, ui
from topk_tune.cli.train import train
from topk_tune.commands.terminal import console
from topk_tune.terminal.encoding import spell_out
from topk_tune.version import __version__

_NEXT_STEPS = """\
topk-tune finds the best configuration of a booster that learns from top-k feedback.

  topk-tune run --name demo     search on Yeast, 50 trials; Ctrl-C stops, resume goes on
  topk-tune confirm demo        the best again on fresh seeds and on the test rows
  topk-tune export demo         the best configuration as YAML
  topk-tune dashboard           a live page of all studies; leave it open beside a run
  topk-tune report demo         everything about it on one HTML page
  topk-tune ui demo             look at every trial in MLflow
  topk-tune data list           data sets; your own files work too
  topk-tune train               one booster, without a search
  topk-tune serve best.yaml     rankings by HTTP, from a booster that goes on learning
  topk-tune doctor              what this machine has and lacks
  topk-tune --help              all commands"""

_EXIT_CODES = (
    "Exit codes: 0 done; 1 something else failed, such as a disk, a network or a cluster; "
    "2 wrong usage; 130 interrupted."
)

app = typer.Typer(
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 100},
    epilog=_EXIT_CODES,
)
_PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "Tune": (run, resume, status, confirm),
    "Results": (export, train, serve, reproduce),
    "Look": (dashboard, report, ui, sync, plugins, doctor),
}
for panel, commands in _PANELS.items():
    for command in commands:
        app.command(rich_help_panel=panel)(command)
app.add_typer(data_app, name="data", rich_help_panel="Data")
# What follows the name of a command is that command's, options too.
app.command(
    rich_help_panel="Cluster",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)(submit)
app.add_typer(job_app, name="job", rich_help_panel="Cluster")
app.add_typer(cluster_app, name="cluster", rich_help_panel="Cluster")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; an error ends it with one sentence and an exit code."""
    spell_out()
    try:
        with_general_options(typer.main.get_command(app))(args=arguments)
    except (ValueError, OSError, RuntimeError) as error:
        if console.debug:
            raise
        console.error(str(error))
        raise SystemExit(2 if isinstance(error, ValueError) else 1) from None
    except KeyboardInterrupt:
        console.error("interrupted")
        raise SystemExit(130) from None


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Print details too.")] = False,
    log_file: Annotated[
        Path | None, typer.Option(help="Where logs go (default: the study's folder).")
    ] = None,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Tune online multilabel boosters that learn from top-k feedback.

    Example: topk-tune run --dataset yeast --trials 20 --name demo
    """
    console.set_up()
    console.adjust(quiet=quiet, verbose=verbose, log_file=log_file, debug=debug)
    if context.invoked_subcommand is None:
        console.say(_NEXT_STEPS)


@app.command(rich_help_panel="Look")
def version() -> None:
    """Print the version.

    Example: topk-tune version
    """
    console.say(f"topk-tune {__version__}")

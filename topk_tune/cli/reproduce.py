"""`topk-tune reproduce`: the paper's tables and figures again."""

from pathlib import Path
from typing import Annotated

import typer

from booster.tables import ALGORITHMS
from topk_tune.backends.resources import ResourceOptions
from topk_tune.cli import study_options as options
from topk_tune.cli.option_groups import Without, with_groups


@with_groups
def reproduce(
    what: Annotated[str, typer.Argument(help="table1 to table6, figure1 to figure3, or all.")],
    *,
    dataset: Annotated[
        list[str] | None, typer.Option(help="Data set of the paper; repeatable (default: all).")
    ] = None,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            autocompletion=lambda: list(ALGORITHMS.own),
            help="Algorithm to run; repeatable (default: all of the table).",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Take minutes instead of hours: few trials, few loops.")
    ] = False,
    paper_protocol: Annotated[
        bool,
        typer.Option(
            "--paper-protocol",
            help="Also search with protocol paper for Table 1, except Mediamill.",
        ),
    ] = False,
    by_test: Annotated[bool, typer.Option("--by-test/--no-by-test", hidden=True)] = False,
    baselines: Annotated[
        bool,
        typer.Option(
            "--baselines",
            help="Also show baselines of scikit-learn with all labels in Table 1 (minutes).",
        ),
    ] = False,
    known: Annotated[
        bool,
        typer.Option("--known", help="Write tables from earlier results; run nothing."),
    ] = False,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Folder for tables, figures and all losses."),
    ] = Path("reproduced"),
    resources: Annotated[
        ResourceOptions, Without("cpus", "memory", "node_labels", "trial_timeout", "retries")
    ],
    storage: options.Storage = None,
    track: options.Track = True,
) -> None:
    """Run the studies for a table of the paper or a figure, and print ours beside the paper's.

    Stop it with Ctrl-C at any time; call it again to continue. Finished work is not repeated.
    Cells that are in the folder from earlier calls are shown too.

    Example: topk-tune reproduce table1 --quick --dataset yeast
    """
    from topk_tune.commands import reproduce as work

    work.reproduce(
        what,
        dataset,
        algorithm,
        resources,
        quick=quick,
        paper_protocol=paper_protocol or by_test,  # its former name
        baselines=baselines,
        known=known,
        output=output,
        storage=storage,
        track=track,
    )

"""`topk-tune status`: how studies stand."""

from typing import Annotated

import typer

from topk_tune.cli import listing, remote
from topk_tune.cli import study_options as options


def status(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(help="Name of a study (default: list all).", autocompletion=options.studies),
    ] = None,
    storage: options.Storage = None,
    last: Annotated[
        int | None,
        typer.Option(min=1, help="Trials to show, the latest (default: 10, for programs all)."),
    ] = None,
    kind: listing.Format = "table",
    cluster: remote.Cluster = None,
) -> None:
    """Show the progress of studies: finished trials, the best so far, confirmations.

    Example: topk-tune status demo
    """
    remote.look(context, cluster)
    from topk_tune.commands.status import show_studies, show_study

    if name is None:
        show_studies(storage, kind)
    else:
        show_study(name, storage, last, kind)

"""`topk-tune ui` and `topk-tune sync`: what MLflow shows, and what it still has to get."""

from typing import Annotated

import typer

from topk_tune.cli import remote
from topk_tune.cli import study_options as options


def ui(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(
            help="Name of the study whose page to print.", autocompletion=options.studies
        ),
    ] = None,
    storage: options.Storage = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="Port of the server (default: mlflow.yaml's)."),
    ] = None,
    cluster: remote.Cluster = None,
) -> None:
    """Start the MLflow server of mlflow.yaml and print its address; Ctrl-C stops it.

    If studies are tracked on a server elsewhere, only its address is printed. With --cluster the
    server runs on the head, and its port is forwarded to this computer.

    Example: topk-tune ui demo
    """
    remote.serve(context, cluster, port)
    from topk_tune.commands import tracking

    tracking.ui(name, storage, port)


def sync(name: options.Name, storage: options.Storage = None) -> None:
    """Send the records of a study that MLflow missed, because it was unavailable.

    Example: topk-tune sync demo
    """
    from topk_tune.commands import tracking

    tracking.sync(name, storage)

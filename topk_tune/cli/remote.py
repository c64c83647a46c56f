"""`--cluster FILE`: commands whose study is on a cluster, as if it were here.

Each of these does nothing without a cluster, and ends the program with one.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from topk_tune.cli.general_options import GENERAL

Cluster = Annotated[
    Path | None,
    typer.Option(help="Launcher file of a cluster: work there, on the cluster's studies."),
]

_LOCAL = ("cluster", "output", "port")
"""Options that are for this computer alone."""


def send(context: typer.Context, cluster: Path | None) -> None:
    """Run the command on a cluster as a job, follow it and end as it ends."""
    if cluster is not None:
        from topk_tune.commands import remote

        remote.send(_given(context), cluster)


def look(context: typer.Context, cluster: Path | None, output: Path | None = None) -> None:
    """Run the command on the head of a cluster; what it prints is written here."""
    if cluster is not None:
        from topk_tune.commands import remote

        remote.look(_given(context), cluster, output)


def fetch(context: typer.Context, cluster: Path | None, output: Path) -> None:
    """Run the command on the head of a cluster; what it writes comes here."""
    if cluster is not None:
        from topk_tune.commands import remote

        remote.fetch(_given(context), cluster, output)


def serve(context: typer.Context, cluster: Path | None, port: int | None) -> None:
    """Run the command on the head of a cluster; the port it serves leads there."""
    if cluster is not None:
        from topk_tune.commands import remote

        remote.serve(_given(context), cluster, port)


def _given(context: typer.Context) -> list[str]:
    """The command as it was given, without the options that are for this computer alone."""
    words = [str(context.info_name)]
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if parameter.name in (*_LOCAL, *GENERAL) or source is None or source.name != "COMMANDLINE":
            continue
        words += _words(parameter, context.params[str(parameter.name)])
    return words


def _words(parameter: Any, value: object) -> list[str]:
    if isinstance(value, bool):
        return [parameter.opts[0] if value else parameter.secondary_opts[0]]
    values = [str(each) for each in (value if isinstance(value, list | tuple) else [value])]
    if parameter.param_type_name == "argument":
        return values
    return [word for each in values for word in (parameter.opts[0], each)]

"""`topk-tune dashboard`: the live page of studies."""

from typing import Annotated

import typer

from topk_tune.cli import study_options as options


def dashboard(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STUDY]...",
            help="Names of studies (default: all, new ones too).",
            autocompletion=options.studies,
        ),
    ] = None,
    storage: options.Storage = None,
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Port of the page (default: a free one).")
    ] = None,
) -> None:
    """Follow studies on a live page of this machine; Ctrl-C stops it.

    It shows what the report shows, for running and finished studies, one or several side by side.
    The address that is printed has a token; without it, nobody gets anything.

    Example: topk-tune dashboard demo
    """
    from topk_tune.commands import dashboard as work

    work.dashboard(names or (), storage, port)

"""`topk-tune plugins`: what can be named, and which package brings it."""

from typing import Annotated

import typer

from topk_tune.cli import listing
from topk_tune.plugins.kinds import KINDS


def plugins(
    kind: Annotated[
        str | None,
        typer.Argument(
            autocompletion=lambda: list(KINDS),
            help=f"One of {', '.join(KINDS)} (default: list all).",
        ),
    ] = None,
    form: listing.Format = "table",
) -> None:
    """List what can be named in options, spaces and files, and which package brings it.

    What other packages bring is imported, to see whether it can be.

    Example: topk-tune plugins samplers
    """
    from topk_tune.commands.plugins import list_plugins

    list_plugins(kind, form)
